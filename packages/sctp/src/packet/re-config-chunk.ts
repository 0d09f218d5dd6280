import { readUint16, readUint32, writeUint16, writeUint32 } from '@millrace/core';
import { chunkHeaderBytes, chunkLength, encodeChunk, encodeParameter, joinParameters, nextChunk } from './chunk.ts';
import { chunkType } from './chunk-type.ts';

/*
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +---------------+---------------+-------------------------------+
 * |  Type = 130   |  Chunk Flags  |         Chunk Length          |
 * +---------------+---------------+-------------------------------+
 * \        Re-configuration Parameter, and optionally one more    \
 * +---------------------------------------------------------------+
 *
 * Outgoing SSN Reset Request (13)        Incoming SSN Reset Request (14)   Response (16)
 * +----------------+-----------------+   +--------------+--------------+   +----------+-----------+
 * |    Type = 13   |     Length      |   |  Type = 14   |    Length    |   | Type = 16|  Length   |
 * +----------------+-----------------+   +--------------+--------------+   +----------+-----------+
 * |    Request Sequence Number       |   |  Request Sequence Number    |   |  Response Sequence   |
 * +----------------------------------+   +--------------+--------------+   +----------------------+
 * |    Response Sequence Number      |   |   Stream 1   |   Stream 2   |   |        Result        |
 * +----------------------------------+   +--------------+--------------+   +----------------------+
 * |    Sender's Last Assigned TSN    |
 * +----------------+-----------------+
 * |    Stream 1    |    Stream 2     |
 * +----------------+-----------------+
 *
 * RFC 6525 sections 3.1, 4.1, 4.2 and 4.4.
 */

export const reConfigParameter = {
  outgoingReset: 13,
  incomingReset: 14,
  ssnTsnReset: 15,
  response: 16,
  addOutgoing: 17,
  addIncoming: 18,
} as const;

/** RFC 6525 section 4.4. */
export const reConfigResult = {
  nothingToDo: 0,
  performed: 1,
  denied: 2,
  wrongSsn: 3,
  requestInProgress: 4,
  badSequenceNumber: 5,
  inProgress: 6,
} as const;

export type ReConfigParameter =
  | {
      readonly kind: 'outgoing-reset';
      readonly requestSeq: number;
      readonly responseSeq: number;
      readonly lastAssignedTsn: number;
      readonly streamIds: readonly number[];
    }
  | { readonly kind: 'incoming-reset'; readonly requestSeq: number; readonly streamIds: readonly number[] }
  | { readonly kind: 'response'; readonly responseSeq: number; readonly result: number }
  /** A request that is understood and not granted: adding streams, resetting all numbers. */
  | { readonly kind: 'other-request'; readonly requestSeq: number };

export function encodeOutgoingReset(
  requestSeq: number,
  responseSeq: number,
  lastAssignedTsn: number,
  streamIds: readonly number[],
): Uint8Array {
  const value = new Uint8Array(12 + 2 * streamIds.length);
  writeUint32(value, 0, requestSeq);
  writeUint32(value, 4, responseSeq);
  writeUint32(value, 8, lastAssignedTsn);
  for (let i = 0; i < streamIds.length; i++) writeUint16(value, 12 + 2 * i, streamIds[i]!);
  return encodeParameter(reConfigParameter.outgoingReset, value);
}

export function encodeReConfigResponse(responseSeq: number, result: number): Uint8Array {
  const value = new Uint8Array(8);
  writeUint32(value, 0, responseSeq);
  writeUint32(value, 4, result);
  return encodeParameter(reConfigParameter.response, value);
}

export function encodeReConfig(parameters: readonly Uint8Array[]): Uint8Array {
  return encodeChunk(chunkType.reConfig, 0, joinParameters(parameters));
}

function streamList(data: Uint8Array, from: number, end: number): number[] {
  const ids: number[] = [];
  for (let i = from; i + 2 <= end; i += 2) ids.push(readUint16(data, i));
  return ids;
}

/** The one or two parameters of the chunk; `undefined` where it is malformed. */
export function decodeReConfig(data: Uint8Array, at: number, length: number): ReConfigParameter[] | undefined {
  const end = at + length;
  const parameters: ReConfigParameter[] = [];
  for (let p = at + chunkHeaderBytes; p < end; ) {
    const size = chunkLength(data, p, end);
    if (size < 8 || parameters.length === 2) return undefined;
    const type = readUint16(data, p);
    const seq = readUint32(data, p + 4);
    if (type === reConfigParameter.outgoingReset) {
      if (size < 16) return undefined;
      parameters.push({
        kind: 'outgoing-reset',
        requestSeq: seq,
        responseSeq: readUint32(data, p + 8),
        lastAssignedTsn: readUint32(data, p + 12),
        streamIds: streamList(data, p + 16, p + size),
      });
    } else if (type === reConfigParameter.incomingReset) {
      parameters.push({ kind: 'incoming-reset', requestSeq: seq, streamIds: streamList(data, p + 8, p + size) });
    } else if (type === reConfigParameter.response) {
      if (size < 12) return undefined;
      parameters.push({ kind: 'response', responseSeq: seq, result: readUint32(data, p + 8) });
    } else if (
      type === reConfigParameter.ssnTsnReset ||
      type === reConfigParameter.addOutgoing ||
      type === reConfigParameter.addIncoming
    ) {
      parameters.push({ kind: 'other-request', requestSeq: seq });
    } else {
      return undefined;
    }
    p = nextChunk(p, size, end);
  }
  return parameters.length === 0 ? undefined : parameters;
}
