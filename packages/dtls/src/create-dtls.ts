/*
 * What stands above a version of DTLS: datagrams are cut into records, a server waits for a
 * ClientHello and its cookie, and a client that lost its state may begin anew (RFC 6347 sections
 * 4.2.1 and 4.2.8). Sessions do the rest.
 */
import { bytesEqual, readUint16, readUint48, copyOf } from '@millrace/core';
import type { Fingerprint } from '@millrace/crypto';
import { alertBytes, encodeAlert } from './alerts.ts';
import { type Config, createConfig } from './config.ts';
import type { DropReason } from './drop-reason.ts';
import { DtlsError } from './errors.ts';
import { type Failure, failure, isFailure } from './failure.ts';
import { checkFingerprints } from './fingerprints.ts';
import { chooseVersion } from './handshake/choose-version.ts';
import { createCookie, verifyCookie } from './handshake/cookie.ts';
import { handshakeType } from './handshake/handshake-header.ts';
import { type HandshakeMessage, createHandshakeMessage } from './handshake/handshake-message.ts';
import { HelloIntake } from './handshake/hello-intake.ts';
import { type ClientHello, decodeClientHello } from './messages/client-hello.ts';
import { encodeHelloVerifyRequest } from './messages/hello-verify-request.ts';
import {
  contentType,
  maxFragmentBytes,
  maxPlaintextBytes,
  protocolVersion,
  recordHeaderBytes,
  recordOffset,
} from './record/record-header.ts';
import { WriteEpoch } from './record/write-epoch.ts';
import type { MutableStats, Session, SessionHost } from './session.ts';
import type { CipherSuite, Dtls, DtlsEvent, DtlsOptions, DtlsStats, KeyUsage } from './types.ts';
import { chooseFromClientHello } from './v12/negotiate.ts';
import { createSession } from './v12/session.ts';

const minRetransmitMs = 50;
const maxRetransmitMs = 60_000;

/** What every suite needs at most, for as long as none is chosen. */
const defaultHeadroomBytes: number = recordHeaderBytes + 8;
const defaultTailroomBytes = 16;

/**
 * A DTLS 1.2 client or server for one peer. It does no I/O: the caller hands it datagrams, asks it
 * for datagrams and for the time of its next timeout (see `Machine`).
 *
 * Throws TypeError or RangeError on an option that is not allowed, naming it.
 */
export function createDtls(options: DtlsOptions): Dtls {
  return createConnection(createConfig(options));
}

/** As `createDtls`, with the options checked already. */
export function createConnection(config: Config): Dtls {
  return new Connection(config);
}

class Connection implements Dtls, SessionHost {
  readonly config: Config;
  readonly #stats: MutableStats = {
    recordsSent: 0,
    recordsReceived: 0,
    handshakeRetransmissions: 0,
    keyUsage: undefined,
    dropped: {},
  };
  readonly #hellos: HelloIntake;
  readonly #events: DtlsEvent[] = [];
  /** The association, or the first attempt at one. It stays when it has ended, for its last alert. */
  #session: Session | undefined;
  /** A new handshake of a client that lost its state, until it is complete. */
  #candidate: Session | undefined;
  #closed = false;
  /** A datagram that goes out without a session: a cookie or an alert. The last one counts. */
  #reply: Uint8Array | undefined;
  #remoteFingerprints: readonly Fingerprint[] | undefined;
  #retransmitMs: number;

  constructor(config: Config) {
    this.config = config;
    this.#remoteFingerprints = config.remoteFingerprints;
    this.#retransmitMs = config.initialRetransmitMs;
    this.#hellos = new HelloIntake(config.reassemblyLimits, (reason) => this.drop(reason));
  }

  get stats(): DtlsStats & MutableStats {
    return this.#stats;
  }

  get state(): Dtls['state'] {
    if (this.#closed) return 'closed';
    if (this.#session === undefined) return 'new';
    return this.#session.connected ? 'connected' : 'connecting';
  }

  get headroomBytes(): number {
    return this.#chosen?.headroomBytes ?? defaultHeadroomBytes;
  }

  get tailroomBytes(): number {
    return this.#chosen?.tailroomBytes ?? defaultTailroomBytes;
  }

  get cipherSuite(): CipherSuite | undefined {
    return this.#session?.cipherSuite;
  }

  get remoteCertificate(): Uint8Array | undefined {
    return this.#session?.remoteCertificate;
  }

  get remoteFingerprints(): readonly Fingerprint[] | undefined {
    return this.#remoteFingerprints;
  }

  get retransmitMs(): number {
    return this.#retransmitMs;
  }

  // Calls of the application

  connect(now: number): void {
    if (this.config.role !== 'client')
      throw new TypeError("connect is for role 'client'; a server starts with the first ClientHello");
    if (this.#closed || this.#session !== undefined) return;
    this.#session = createSession(this, now, undefined);
  }

  setRemoteFingerprints(fingerprints: readonly Fingerprint[]): void {
    this.#remoteFingerprints = checkFingerprints(fingerprints);
    if (this.#closed) return;
    this.#candidate?.checkRemoteCertificate();
    this.#session?.checkRemoteCertificate();
  }

  setRoundTripTime(rttMs: number): void {
    if (!(rttMs >= 0)) throw new RangeError('rttMs must be a number from 0 on');
    this.#retransmitMs = Math.min(maxRetransmitMs, Math.max(minRetransmitMs, 1.5 * rttMs));
    this.#candidate?.setRetransmitMs(this.#retransmitMs);
    this.#session?.setRetransmitMs(this.#retransmitMs);
  }

  seal(data: Uint8Array, start: number, length: number): number {
    const session = this.#connectedSession();
    if (!(length >= 0 && length <= maxPlaintextBytes))
      throw new RangeError(`length must be from 0 to ${maxPlaintextBytes} bytes`);
    if (!(start >= 0) || start + session.headroomBytes + length + session.tailroomBytes > data.length) {
      throw new RangeError('start and length must leave headroomBytes and tailroomBytes within data');
    }
    return session.seal(data, start, length);
  }

  exportKeyingMaterial(label: string, context: Uint8Array | undefined, length: number): Uint8Array {
    return this.#connectedSession().exportKeyingMaterial(label, context, length);
  }

  close(now: number): void {
    if (this.#closed) return;
    this.trace(now, 'close');
    if (this.#session === undefined) this.#finish(undefined);
    else this.#session.close();
  }

  // The machine

  handleDatagram(now: number, data: Uint8Array, start: number, end: number): void {
    // RFC 7983 section 7: other protocols share the port.
    if (start >= end || data[start]! < 20 || data[start]! > 63) return this.drop('not-dtls');
    for (let at = start; at < end; ) {
      const type = data[at]!;
      // A header of another shape (RFC 9146, RFC 9147) hides where the next record begins.
      if (type > contentType.applicationData || type < contentType.changeCipherSpec) return this.drop('unknown-content-type');
      if (end - at < recordHeaderBytes) return this.drop('truncated-record');
      const next = at + recordHeaderBytes + readUint16(data, at + recordOffset.length);
      if (next > end) return this.drop('truncated-record');
      // RFC 6347 section 4.1.2.7: a bad record does not spoil those after it.
      const reason = this.#closed ? 'closed' : checkHeader(data, at, next);
      if (reason !== undefined) this.drop(reason);
      else this.#handleRecord(now, type, data, at, next);
      at = next;
    }
  }

  handleTimeout(now: number): void {
    this.#candidate?.handleTimeout(now);
    this.#session?.handleTimeout(now);
  }

  pollTransmit(now: number, out: Uint8Array, start: number, end: number): number {
    const reply = this.#reply;
    if (reply !== undefined && reply.length <= end - start) {
      this.#reply = undefined;
      out.set(reply, start);
      this.#stats.recordsSent++;
      return reply.length;
    }
    const written = this.#session?.pollTransmit(now, out, start, end) ?? 0;
    return written > 0 ? written : (this.#candidate?.pollTransmit(now, out, start, end) ?? 0);
  }

  pollTimeout(): number {
    const first = this.#session?.pollTimeout() ?? Number.POSITIVE_INFINITY;
    return Math.min(first, this.#candidate?.pollTimeout() ?? Number.POSITIVE_INFINITY);
  }

  pollEvent(): DtlsEvent | undefined {
    return this.#events.shift();
  }

  // Calls of the sessions

  drop(reason: DropReason): void {
    this.#stats.dropped[reason] = (this.#stats.dropped[reason] ?? 0) + 1;
  }

  trace(now: number, name: string, detail?: Readonly<Record<string, unknown>>): void {
    this.config.trace?.({ now, layer: 'dtls', name, ...(detail === undefined ? {} : { detail }) });
  }

  sessionConnected(now: number, session: Session): void {
    const restarted = session === this.#candidate;
    if (restarted) {
      this.#session?.abandon();
      this.#session = session;
      this.#candidate = undefined;
    }
    const cipherSuite = session.cipherSuite!;
    const { remoteCertificate } = session;
    this.trace(now, restarted ? 'restarted' : 'connected', { cipherSuite });
    const event = { cipherSuite, ...(remoteCertificate === undefined ? {} : { remoteCertificate: copyOf(remoteCertificate) }) };
    // Whoever does not poll need not hold more than one of these.
    if (this.#events.at(-1)?.type === 'restarted') this.#events.pop();
    this.#events.push({ type: restarted ? 'restarted' : 'connected', ...event });
  }

  keyLevelPassed(level: 'near' | 'reached', usage: KeyUsage): void {
    this.#events.push({ type: 'keyUsage', level, usage: { ...usage } });
  }

  sessionEnded(session: Session, error: DtlsError | undefined): void {
    // The failure of a new attempt does not touch the association that it would have replaced.
    if (session === this.#session) this.#finish(error);
  }

  /** The session whose overhead is settled. */
  get #chosen(): Session | undefined {
    return this.#session?.cipherSuite === undefined ? undefined : this.#session;
  }

  #connectedSession(): Session {
    const session = this.#session;
    if (this.#closed || session === undefined || !session.connected) {
      throw new DtlsError('NOT_CONNECTED', this.#closed ? 'the connection is closed' : 'the handshake is not complete');
    }
    return session;
  }

  #finish(error: DtlsError | undefined): void {
    this.#closed = true;
    this.#candidate?.abandon();
    this.#candidate = undefined;
    this.#events.push({ type: 'closed', ...(error === undefined ? {} : { error }) });
  }

  #handleRecord(now: number, type: number, data: Uint8Array, at: number, next: number): void {
    if (type !== contentType.applicationData) {
      // Handled at once, so that what came before has to be settled first.
      this.config.recordQueue.flush();
      if (this.#closed) return this.drop('closed');
    }
    const epoch = readUint16(data, at + recordOffset.epoch);
    const payload = at + recordHeaderBytes;
    const isHello = epoch === 0 && type === contentType.handshake && data[payload] === handshakeType.clientHello;
    if (isHello && this.config.role === 'server') {
      const message = this.#hellos.handlePayload(data, payload, next);
      if (message !== undefined) this.#handleHello(now, message, readUint48(data, at + recordOffset.sequenceNumber));
      return;
    }
    const session = this.#session;
    if (session === undefined) return this.drop(epoch === 0 ? 'before-hello' : 'wrong-epoch');
    const candidate = this.#candidate;
    // The new handshake has epoch 0 for itself; under the same epoch 1 only the keys tell.
    const isCandidates =
      candidate !== undefined &&
      (epoch === 0 || (type !== contentType.applicationData && candidate.authenticates(data, at, next)));
    (isCandidates ? candidate : session).handleRecord(now, data, at, next);
  }

  #handleHello(now: number, message: HandshakeMessage, recordSequenceNumber: number): void {
    const { config } = this;
    const hello = decodeClientHello(message.body);
    if (hello === undefined) return this.drop('malformed-handshake');
    for (const session of [this.#candidate, this.#session]) {
      if (session?.clientRandom !== undefined && bytesEqual(session.clientRandom, hello.random)) {
        return session.handleRepeatedHello(now, message.messageSeq);
      }
    }
    if (config.cookieExchange) {
      // RFC 6347 section 4.2.1: a wrong cookie is treated as none.
      if (!verifyCookie(config.crypto, config.cookieSecret, config.clientIdentity, hello)) {
        return this.#requestCookie(now, message, hello, recordSequenceNumber);
      }
    } else if (this.#session !== undefined) {
      // Without a cookie anyone could have sent it; under ICE a new association has a new transport.
      return this.drop('foreign-hello');
    }
    if (chooseVersion(hello) === undefined) {
      return this.#reject(failure('protocol_version', 'the client does not offer DTLS 1.2'), recordSequenceNumber);
    }
    const choice = chooseFromClientHello(config, config.certificate!, hello);
    if (isFailure(choice)) return this.#reject(choice, recordSequenceNumber);
    const session = createSession(this, now, { message, hello, choice, recordSequenceNumber });
    if (this.#session?.connected === true) {
      this.#candidate?.abandon();
      this.#candidate = session;
    } else {
      this.#session?.abandon();
      this.#session = session;
    }
    this.trace(now, 'hello-accepted', { cipherSuite: choice.suite.name, group: choice.group });
  }

  #requestCookie(now: number, message: HandshakeMessage, hello: ClientHello, recordSequenceNumber: number): void {
    const { crypto, cookieSecret, clientIdentity } = this.config;
    const cookie = createCookie(crypto, cookieSecret, clientIdentity, hello);
    const request = createHandshakeMessage(
      handshakeType.helloVerifyRequest,
      message.messageSeq,
      encodeHelloVerifyRequest(cookie),
    );
    this.#reply = plainRecord(contentType.handshake, request.bytes, recordSequenceNumber);
    this.trace(now, 'cookie-requested');
  }

  /** Tells the client that nothing fits. Where there is no association yet, that is the end. */
  #reject(wrong: Failure, recordSequenceNumber: number): void {
    const alert = new Uint8Array(alertBytes);
    encodeAlert(alert, 0, true, wrong.alert);
    this.#reply = plainRecord(contentType.alert, alert, recordSequenceNumber);
    if (this.#session === undefined) this.#finish(new DtlsError(wrong.code, wrong.message, wrong.alert));
  }
}

/** Why a record is not looked at, or `undefined`. */
function checkHeader(data: Uint8Array, at: number, next: number): DropReason | undefined {
  if (next - at - recordHeaderBytes > maxFragmentBytes) return 'oversized-record';
  // A first ClientHello may come as version 1.0; afterwards the negotiated version stands (RFC 6347 section 4.2.1).
  const version = readUint16(data, at + recordOffset.version);
  const isPlain = readUint16(data, at + recordOffset.epoch) === 0;
  if (version === protocolVersion.dtls12 || (isPlain && version === protocolVersion.dtls10)) return undefined;
  return 'wrong-version';
}

/**
 * A record without a session. It takes the sequence number of the record that it answers, so that
 * no state is needed to keep numbers apart (RFC 6347 section 4.2.1).
 */
function plainRecord(type: number, payload: Uint8Array, sequenceNumber: number): Uint8Array {
  const epoch = new WriteEpoch(0, undefined, sequenceNumber);
  const out = new Uint8Array(epoch.headroomBytes + payload.length);
  out.set(payload, epoch.headroomBytes);
  epoch.seal(type, out, 0, payload.length);
  return out;
}
