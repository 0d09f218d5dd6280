/*
 * Data Channel Establishment Protocol (RFC 8832 section 5), under PPID 50.
 *
 * DATA_CHANNEL_OPEN
 *
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   | Message Type  | Channel Type  |            Priority           |
 *   |    (0x03)     |               |                               |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                     Reliability Parameter                     |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |         Label Length          |        Protocol Length        |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |  Label and Protocol: so many bytes of UTF-8 each, no padding  |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *
 * DATA_CHANNEL_ACK: the one byte 0x02.
 */
import { readUint16, readUint32, writeUint16, writeUint32 } from '@millrace/core';

const messageTypeAck = 0x02;
const messageTypeOpen = 0x03;
const openHeaderBytes = 12;
const maxTextBytes = 65535;

/** The low bits of the channel type; the high bit says unordered (RFC 8832 section 8.2.2). */
const reliable = 0x00;
const partialReliableRexmit = 0x01;
const partialReliableTimed = 0x02;
const unorderedBit = 0x80;

/** "Normal" (RFC 8831 section 6.4), which is what browsers send. */
export const normalPriority = 256;

/** What DATA_CHANNEL_OPEN says. At most one of `maxRetransmits` and `maxPacketLifeTime` is set. */
export interface DataChannelOpen {
  readonly label: string;
  readonly protocol: string;
  readonly ordered: boolean;
  /** So many retransmissions, 32 bits on the wire. */
  readonly maxRetransmits: number | undefined;
  /** ms, 32 bits on the wire. */
  readonly maxPacketLifeTime: number | undefined;
  /** 16 bits; a higher one goes first. Default when encoding: 256. */
  readonly priority?: number;
}

export type DcepMessage = ({ readonly type: 'open' } & Required<DataChannelOpen>) | { readonly type: 'ack' };

/**
 * Encodes DATA_CHANNEL_OPEN into a fresh array. Throws TypeError where the label or the protocol
 * has more than 65535 bytes of UTF-8.
 */
export function encodeDataChannelOpen(open: DataChannelOpen): Uint8Array {
  const label = encodeText('label', open.label);
  const protocol = encodeText('protocol', open.protocol);
  const data = new Uint8Array(openHeaderBytes + label.length + protocol.length);
  const { maxRetransmits, maxPacketLifeTime } = open;
  const reliability =
    maxRetransmits !== undefined ? partialReliableRexmit : maxPacketLifeTime !== undefined ? partialReliableTimed : reliable;
  data[0] = messageTypeOpen;
  data[1] = reliability | (open.ordered ? 0 : unorderedBit);
  writeUint16(data, 2, open.priority ?? normalPriority);
  writeUint32(data, 4, maxRetransmits ?? maxPacketLifeTime ?? 0);
  writeUint16(data, 8, label.length);
  writeUint16(data, 10, protocol.length);
  data.set(label, openHeaderBytes);
  data.set(protocol, openHeaderBytes + label.length);
  return data;
}

/** A fresh DATA_CHANNEL_ACK. */
export function encodeDataChannelAck(): Uint8Array {
  return Uint8Array.of(messageTypeAck);
}

/**
 * Reads a DCEP message; `undefined` where it is none: an unknown message or channel type, or lengths
 * that point past the end. Bytes after the end are ignored, as some stacks pad. Text that is not
 * UTF-8 reads with replacement characters: no reason to refuse a channel.
 */
export function decodeDcep(data: Uint8Array): DcepMessage | undefined {
  if (data.length === 0) return undefined;
  if (data[0] === messageTypeAck) return { type: 'ack' };
  if (data[0] !== messageTypeOpen || data.length < openHeaderBytes) return undefined;
  const reliability = data[1]! & ~unorderedBit;
  if (reliability > partialReliableTimed) return undefined;
  const protocolStart = openHeaderBytes + readUint16(data, 8);
  const end = protocolStart + readUint16(data, 10);
  if (end > data.length) return undefined;
  const parameter = readUint32(data, 4);
  return {
    type: 'open',
    label: decodeText(data.subarray(openHeaderBytes, protocolStart)),
    protocol: decodeText(data.subarray(protocolStart, end)),
    ordered: (data[1]! & unorderedBit) === 0,
    // RFC 8832 section 5.1: for a reliable channel the parameter is to be ignored.
    maxRetransmits: reliability === partialReliableRexmit ? parameter : undefined,
    maxPacketLifeTime: reliability === partialReliableTimed ? parameter : undefined,
    priority: readUint16(data, 2),
  };
}

function encodeText(name: string, text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > maxTextBytes) {
    throw new TypeError(`${name} has ${bytes.length} bytes of UTF-8; at most ${maxTextBytes} are allowed`);
  }
  return bytes;
}

function decodeText(bytes: Uint8Array): string {
  // A leading U+FEFF belongs to the text here.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
