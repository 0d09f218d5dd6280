import { checkNames, type Random, type Trace, randomBytes, copyOf } from '@millrace/core';
import {
  type Certificate,
  type CryptoProvider,
  type Engine,
  type Fingerprint,
  type GroupName,
  type RecordQueue,
  createImmediateRecordQueue,
  createRecordCipher,
  defaultProvider,
} from '@millrace/crypto';
import { type CipherSuiteParameters, cipherSuites, defaultCipherSuites } from './cipher-suites.ts';
import { checkFingerprints } from './fingerprints.ts';
import { type ReassemblyLimits, defaultReassemblyLimits } from './handshake/reassembly.ts';
import { defaultGroups } from './named-groups.ts';
import type { EarlyRecordLimits } from './record/early-records.ts';
import type { DtlsLimits, DtlsOptions } from './types.ts';

/** What the sealing key has been used for when it is installed. A test starts near a limit. */
export interface KeyStart {
  readonly sequenceNumber: number;
  readonly sealedBlocks: number;
}

/** The options, checked and with their defaults. */
export interface Config {
  readonly role: 'client' | 'server';
  readonly certificate: Certificate | undefined;
  readonly cipherSuites: readonly CipherSuiteParameters[];
  readonly groups: readonly GroupName[];
  readonly engine: Engine;
  readonly remoteFingerprints: readonly Fingerprint[] | undefined;
  readonly requestClientCertificate: boolean;
  readonly onData: (data: Uint8Array, start: number, end: number) => void;
  readonly recordQueue: RecordQueue;
  readonly cookieExchange: boolean;
  readonly clientIdentity: Uint8Array;
  readonly cookieSecret: Uint8Array;
  readonly initialRetransmitMs: number;
  readonly handshakeTimeoutMs: number;
  readonly maxDatagramBytes: number;
  readonly maxRecordsPerEpoch: number;
  readonly enforceKeyLimits: boolean;
  readonly keyStart: KeyStart;
  readonly reassemblyLimits: ReassemblyLimits;
  readonly earlyRecordLimits: EarlyRecordLimits;
  readonly keyLog: ((line: string) => void) | undefined;
  readonly trace: Trace | undefined;
  readonly crypto: CryptoProvider;
  readonly random: Random;
}

const optionNames: Readonly<Record<keyof DtlsOptions, true>> = {
  role: true,
  certificate: true,
  cipherSuites: true,
  groups: true,
  engine: true,
  remoteFingerprints: true,
  requestClientCertificate: true,
  onData: true,
  recordQueue: true,
  cookieExchange: true,
  clientIdentity: true,
  cookieSecret: true,
  initialRetransmitMs: true,
  handshakeTimeoutMs: true,
  maxDatagramBytes: true,
  maxRecordsPerEpoch: true,
  enforceKeyLimits: true,
  limits: true,
  keyLog: true,
  trace: true,
  crypto: true,
  random: true,
};
const limitNames: Readonly<Record<keyof DtlsLimits, true>> = {
  maxMessageBytes: true,
  maxBufferedBytes: true,
  maxEarlyRecords: true,
  maxEarlyBytes: true,
};

/** Throws TypeError or RangeError, naming the option and what it may be. */
export function createConfig(o: DtlsOptions): Config {
  checkNames('options', o, optionNames);
  checkNames('limits', o.limits ?? {}, limitNames);
  if (o.role !== 'client' && o.role !== 'server') throw new TypeError("role must be 'client' or 'server'");
  if (typeof o.onData !== 'function') throw new TypeError('onData must be a function');
  checkCertificate(o);
  const crypto = o.crypto ?? defaultProvider;
  const random = o.random ?? crypto.random;
  const remoteFingerprints = o.remoteFingerprints === undefined ? undefined : checkFingerprints(o.remoteFingerprints);
  if (o.cookieSecret !== undefined && o.cookieSecret.length < 16)
    throw new RangeError('cookieSecret must have at least 16 bytes');
  const limits = o.limits ?? {};
  const names = checkList('cipherSuites', o.cipherSuites ?? defaultCipherSuites, Object.keys(cipherSuites));
  const suites = names.map((name) => cipherSuites[name]);
  return {
    role: o.role,
    certificate: o.certificate,
    cipherSuites: suites,
    groups: checkList('groups', o.groups ?? defaultGroups, defaultGroups),
    engine: checkEngine(o.engine ?? 'auto', suites),
    remoteFingerprints,
    requestClientCertificate: o.requestClientCertificate ?? false,
    onData: (data, start, end) => o.onData(data, start, end),
    recordQueue: o.recordQueue ?? createImmediateRecordQueue(),
    cookieExchange: o.cookieExchange ?? true,
    clientIdentity: copyOf(o.clientIdentity ?? new Uint8Array(0)),
    cookieSecret: o.cookieSecret === undefined ? randomBytes(random, 32) : copyOf(o.cookieSecret),
    initialRetransmitMs: checkNumber('initialRetransmitMs', o.initialRetransmitMs ?? 1000, 1, 60_000),
    handshakeTimeoutMs: checkNumber('handshakeTimeoutMs', o.handshakeTimeoutMs ?? 30_000, 1, 86_400_000),
    maxDatagramBytes: checkInteger('maxDatagramBytes', o.maxDatagramBytes ?? 1200, 256, 65_507),
    maxRecordsPerEpoch: checkInteger('maxRecordsPerEpoch', o.maxRecordsPerEpoch ?? 2 ** 48, 16, 2 ** 48),
    enforceKeyLimits: checkBoolean('enforceKeyLimits', o.enforceKeyLimits ?? false),
    keyStart: { sequenceNumber: 0, sealedBlocks: 0 },
    reassemblyLimits: {
      maxMessageBytes: checkInteger(
        'limits.maxMessageBytes',
        limits.maxMessageBytes ?? defaultReassemblyLimits.maxMessageBytes,
        1024,
        2 ** 24 - 1,
      ),
      maxBufferedBytes: checkInteger(
        'limits.maxBufferedBytes',
        limits.maxBufferedBytes ?? defaultReassemblyLimits.maxBufferedBytes,
        4096,
        2 ** 30,
      ),
      maxMessagesAhead: defaultReassemblyLimits.maxMessagesAhead,
    },
    earlyRecordLimits: {
      maxEarlyRecords: checkInteger('limits.maxEarlyRecords', limits.maxEarlyRecords ?? 16, 0, 65_536),
      maxEarlyBytes: checkInteger('limits.maxEarlyBytes', limits.maxEarlyBytes ?? 16_384, 0, 2 ** 30),
    },
    keyLog: checkFunction('keyLog', o.keyLog),
    trace: checkFunction('trace', o.trace),
    crypto,
    random,
  };
}

function checkCertificate({ role, certificate }: DtlsOptions): void {
  if (certificate === undefined) {
    if (role === 'server') throw new TypeError('certificate is required for a server');
    return;
  }
  if (!(certificate?.der instanceof Uint8Array) || typeof certificate.sign !== 'function') {
    throw new TypeError('certificate must be what generateCertificate or createCertificate of @millrace/crypto gives');
  }
  if (role !== 'server') return;
  if (certificate.type === 'RSA') {
    throw new RangeError('certificate of a server must be of type P-256 or P-384, as all cipher suites sign with ECDSA');
  }
}

/** Which engines there are depends on platform and cipher; a handshake is too late to find out. */
function checkEngine(engine: Engine, suites: readonly CipherSuiteParameters[]): Engine {
  if (engine === 'auto') return engine;
  for (const { algorithm, keyBytes, saltBytes } of suites) {
    createRecordCipher({ algorithm, key: new Uint8Array(keyBytes), iv: new Uint8Array(saltBytes), engine }).destroy();
  }
  return engine;
}

function checkList<T extends string>(option: string, values: readonly T[], allowed: readonly string[]): readonly T[] {
  if (!Array.isArray(values) || values.length === 0) throw new TypeError(`${option} must be an array of at least one name`);
  if (!values.every((value) => allowed.includes(value)) || new Set(values).size !== values.length) {
    throw new RangeError(`${option} must hold names out of ${allowed.join(', ')}, each once`);
  }
  return [...values];
}

function checkFunction<T>(option: string, value: T): T {
  if (value !== undefined && typeof value !== 'function') throw new TypeError(`${option} must be a function`);
  return value;
}

function checkBoolean(option: string, value: boolean): boolean {
  if (typeof value !== 'boolean') throw new TypeError(`${option} must be true or false`);
  return value;
}

function checkNumber(option: string, value: number, least: number, most: number): number {
  if (typeof value !== 'number' || !(value >= least && value <= most)) {
    throw new RangeError(`${option} must be a number from ${least} to ${most}`);
  }
  return value;
}

function checkInteger(option: string, value: number, least: number, most: number): number {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`${option} must be an integer from ${least} to ${most}`);
  }
  return value;
}
