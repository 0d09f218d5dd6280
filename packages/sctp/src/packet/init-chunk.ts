import { readUint16, readUint32, writeUint16, writeUint32, copyOf } from '@millrace/core';
import { chunkLength, encodeChunk, encodeParameter, joinParameters, nextChunk, reportsUnknown, skipsUnknown } from './chunk.ts';
import { chunkType } from './chunk-type.ts';

/*
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +---------------+---------------+-------------------------------+
 * | Type = 1 or 2 |  Chunk Flags  |         Chunk Length          |
 * +---------------+---------------+-------------------------------+
 * |                         Initiate Tag                          |
 * +---------------------------------------------------------------+
 * |          Advertised Receiver Window Credit (a_rwnd)           |
 * +-------------------------------+-------------------------------+
 * |  Number of Outbound Streams   |   Number of Inbound Streams   |
 * +-------------------------------+-------------------------------+
 * |                          Initial TSN                          |
 * +---------------------------------------------------------------+
 * \              Optional/Variable-Length Parameters              \
 * +---------------------------------------------------------------+
 *
 * INIT and INIT ACK, RFC 9260 sections 3.3.2 and 3.3.3.
 */

const fixedBytes = 20;

export const parameterType = {
  stateCookie: 7,
  unrecognizedParameter: 8,
  zeroChecksumAcceptable: 0x8001,
  supportedExtensions: 0x8008,
  forwardTsnSupported: 0xc000,
} as const;

/** Error detection by DTLS below (RFC 9653 section 4, "SCTP over DTLS"). */
const detectionByDtls = 1;

/** Those of an INIT that say something about addresses or lifetimes; over DTLS there is one path, so they say nothing. */
const ignoredParameters: ReadonlySet<number> = new Set([5, 6, 9, 11, 12]);

export interface InitParameters {
  readonly initiateTag: number;
  readonly aRwnd: number;
  readonly outboundStreams: number;
  readonly inboundStreams: number;
  readonly initialTsn: number;
  /** Both by parameter and by Supported Extensions (RFC 3758 section 3.3.1, RFC 5061 section 4.2.7). */
  readonly forwardTsn: boolean;
  readonly reConfig: boolean;
  /** Its sender takes packets whose checksum is zero, since DTLS protects them (RFC 9653). */
  readonly zeroChecksum: boolean;
}

export interface DecodedInit extends InitParameters {
  /** A copy of the State Cookie; INIT ACK alone has one. */
  readonly cookie: Uint8Array | undefined;
  /** Copies of unknown parameters whose type asks for a report (RFC 9260 section 3.2.1). */
  readonly unrecognized: readonly Uint8Array[];
}

/** An INIT, or with a `cookie` an INIT ACK that also returns what it did not know. */
export function encodeInit(init: InitParameters, cookie?: Uint8Array, unrecognized: readonly Uint8Array[] = []): Uint8Array {
  const parameters: Uint8Array[] = [];
  if (cookie !== undefined) parameters.push(encodeParameter(parameterType.stateCookie, cookie));
  const extensions: number[] = [];
  if (init.reConfig) extensions.push(chunkType.reConfig);
  if (init.forwardTsn) {
    extensions.push(chunkType.forwardTsn);
    parameters.push(encodeParameter(parameterType.forwardTsnSupported));
  }
  if (init.zeroChecksum)
    parameters.push(encodeParameter(parameterType.zeroChecksumAcceptable, Uint8Array.of(0, 0, 0, detectionByDtls)));
  if (extensions.length > 0) parameters.push(encodeParameter(parameterType.supportedExtensions, Uint8Array.from(extensions)));
  for (const parameter of unrecognized) parameters.push(encodeParameter(parameterType.unrecognizedParameter, parameter));
  const options = joinParameters(parameters);
  const value = new Uint8Array(fixedBytes - 4 + options.length);
  writeUint32(value, 0, init.initiateTag);
  writeUint32(value, 4, init.aRwnd);
  writeUint16(value, 8, init.outboundStreams);
  writeUint16(value, 10, init.inboundStreams);
  writeUint32(value, 12, init.initialTsn);
  value.set(options, 16);
  return encodeChunk(cookie === undefined ? chunkType.init : chunkType.initAck, 0, value);
}

/** Decodes the chunk `data[at, at + length)`; `undefined` where a length in it is wrong. */
export function decodeInit(data: Uint8Array, at: number, length: number): DecodedInit | undefined {
  if (length < fixedBytes) return undefined;
  const end = at + length;
  let forwardTsn = false;
  let reConfig = false;
  let zeroChecksum = false;
  let cookie: Uint8Array | undefined;
  const unrecognized: Uint8Array[] = [];
  for (let p = at + fixedBytes; p < end; ) {
    const size = chunkLength(data, p, end);
    if (size < 0) return undefined;
    const type = readUint16(data, p);
    if (type === parameterType.stateCookie) {
      cookie = copyOf(data, p + 4, p + size);
    } else if (type === parameterType.forwardTsnSupported) {
      forwardTsn = true;
    } else if (type === parameterType.zeroChecksumAcceptable) {
      zeroChecksum = size === 8 && readUint32(data, p + 4) === detectionByDtls;
    } else if (type === parameterType.supportedExtensions) {
      for (let i = p + 4; i < p + size; i++) {
        if (data[i] === chunkType.forwardTsn) forwardTsn = true;
        if (data[i] === chunkType.reConfig) reConfig = true;
      }
    } else if (type !== parameterType.unrecognizedParameter && !ignoredParameters.has(type)) {
      if (reportsUnknown(type >>> 14)) unrecognized.push(copyOf(data, p, p + size));
      if (!skipsUnknown(type >>> 14)) break;
    }
    p = nextChunk(p, size, end);
  }
  return {
    initiateTag: readUint32(data, at + 4),
    aRwnd: readUint32(data, at + 8),
    outboundStreams: readUint16(data, at + 12),
    inboundStreams: readUint16(data, at + 14),
    initialTsn: readUint32(data, at + 16),
    forwardTsn,
    reConfig,
    zeroChecksum,
    cookie,
    unrecognized,
  };
}
