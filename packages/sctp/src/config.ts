import { checkNames, type Random, type Trace } from '@millrace/core';
import { type CongestionControlName, congestionControlNames } from './tx/congestion-control.ts';
import type { AssociationOptions, SctpLimits } from './types.ts';

/** The options with their defaults filled in. */
export interface Config {
  readonly localPort: number;
  readonly remotePort: number;
  readonly maxPacketBytes: number;
  readonly congestionControl: CongestionControlName;
  readonly zeroChecksum: boolean;
  readonly receiveBufferBytes: number;
  readonly streams: number;
  readonly highWaterBytes: number;
  readonly lowWaterBytes: number;
  readonly maxIncomingMessageBytes: number;
  readonly rto: { readonly initialMs: number; readonly minMs: number; readonly maxMs: number };
  readonly random: Random;
  readonly trace: Trace | undefined;
}

const mebi = 1 << 20;

function integer(name: string, value: number, min: number, max: number): number {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${name} must be an integer from ${min} to ${max}, not ${value}`);
  }
  return value;
}

function boolean(name: string, value: boolean): boolean {
  if (typeof value !== 'boolean') throw new TypeError(`${name} must be true or false, not ${String(value)}`);
  return value;
}

function oneOf<T extends string>(name: string, value: T, allowed: readonly string[]): T {
  if (!allowed.includes(value)) throw new RangeError(`${name} must be one of ${allowed.join(', ')}, not ${value}`);
  return value;
}

function duration(name: string, value: number, min: number): number {
  if (!Number.isFinite(value) || value < min)
    throw new RangeError(`${name} must be a finite number of ms from ${min}, not ${value}`);
  return value;
}

const optionNames: Readonly<Record<keyof AssociationOptions, true>> = {
  localPort: true,
  remotePort: true,
  maxPacketBytes: true,
  congestionControl: true,
  zeroChecksum: true,
  limits: true,
  trace: true,
  random: true,
  rto: true,
};
const limitNames: Readonly<Record<keyof SctpLimits, true>> = {
  receiveBufferBytes: true,
  streams: true,
  highWaterBytes: true,
  lowWaterBytes: true,
  maxIncomingMessageBytes: true,
};
const rtoNames: Readonly<Record<keyof NonNullable<AssociationOptions['rto']>, true>> = {
  initialMs: true,
  minMs: true,
  maxMs: true,
};

/** Fills in the defaults; throws RangeError or TypeError that names what does not fit. */
export function resolveConfig(options: AssociationOptions): Config {
  checkNames('options', options, optionNames);
  if (typeof options.random?.fill !== 'function') throw new TypeError('random must be a source of randomness with fill()');
  const { limits = {}, rto = {} } = options;
  checkNames('limits', limits, limitNames);
  checkNames('rto', rto, rtoNames);
  const highWaterBytes = integer('limits.highWaterBytes', limits.highWaterBytes ?? mebi, 1, Number.MAX_SAFE_INTEGER);
  const minMs = duration('rto.minMs', rto.minMs ?? 1000, 1);
  const maxMs = duration('rto.maxMs', rto.maxMs ?? 60_000, minMs);
  const initialMs = duration('rto.initialMs', rto.initialMs ?? 1000, 1);
  if (initialMs > maxMs) throw new RangeError(`rto.initialMs must be at most rto.maxMs (${maxMs}), not ${initialMs}`);
  return {
    localPort: integer('localPort', options.localPort ?? 5000, 1, 65_535),
    remotePort: integer('remotePort', options.remotePort ?? 5000, 1, 65_535),
    maxPacketBytes: integer('maxPacketBytes', options.maxPacketBytes ?? 1163, 256, 65_535),
    congestionControl: oneOf('congestionControl', options.congestionControl ?? 'cubic', congestionControlNames),
    zeroChecksum: boolean('zeroChecksum', options.zeroChecksum ?? false),
    receiveBufferBytes: integer('limits.receiveBufferBytes', limits.receiveBufferBytes ?? 5 * mebi, 1500, 0xffff_ffff),
    streams: integer('limits.streams', limits.streams ?? 65_535, 1, 65_535),
    highWaterBytes,
    lowWaterBytes: integer('limits.lowWaterBytes', limits.lowWaterBytes ?? Math.floor(highWaterBytes / 2), 0, highWaterBytes),
    maxIncomingMessageBytes: integer(
      'limits.maxIncomingMessageBytes',
      limits.maxIncomingMessageBytes ?? 256 * mebi,
      1,
      0xffff_ffff,
    ),
    rto: { initialMs, minMs, maxMs },
    random: options.random,
    trace: options.trace,
  };
}
