import { dataFlag, dataHeaderBytes, encodeDataHeader } from '../packet/data-chunk.ts';
import type { PacketWriter } from '../packet/packet-writer.ts';
import type { OutgoingMessage } from './outgoing-message.ts';

/** Writes the fragment `[offset, offset + length)` of a message as a DATA chunk: its one copy. */
export function writeFragment(
  writer: PacketWriter,
  message: OutgoingMessage,
  tsn: number,
  offset: number,
  length: number,
  immediate: boolean,
): void {
  const source = message.data;
  let flags = 0;
  if (offset === 0) flags |= dataFlag.begin;
  if (offset + length === source.length) flags |= dataFlag.end;
  if (message.unordered) flags |= dataFlag.unordered;
  if (immediate) flags |= dataFlag.immediate;
  const at = writer.at;
  const bytes = encodeDataHeader(writer.data, at, flags, tsn, message.stream.id, message.ssn, message.ppid, length);
  if (length === source.length) writer.data.set(source, at + dataHeaderBytes);
  else writer.data.set(source.subarray(offset, offset + length), at + dataHeaderBytes);
  writer.advance(bytes);
}
