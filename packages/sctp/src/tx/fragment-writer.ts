import { dataFlag, dataHeaderBytes, encodeDataHeader } from '../packet/data-chunk.ts';
import type { PacketWriter } from '../packet/packet-writer.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import { wireBytes } from './outstanding-data.ts';

/** Below this, the rest of a packet is not worth a fragment of its own. */
const minFragmentBytes = 64;

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

/** User bytes of the next fragment of a message that has `left` to go; 0 where this packet has no good place for it. */
export function fragmentLength(left: number, writer: PacketWriter, maxPacketBytes: number): number {
  const room = (writer.remaining & ~3) - wireBytes(4) + 4;
  if (left <= room) return left;
  if (room < minFragmentBytes) return 0;
  // What fits a packet of its own is not torn: a fragment lost is the message lost.
  const whole = (maxPacketBytes & ~3) - 12 - wireBytes(4) + 4;
  return left <= whole && !writer.isEmpty ? 0 : room;
}
