import type { PacketWriter } from '../packet/packet-writer.ts';
import { encodeDuplicateTsn, encodeGapAckBlock, encodeSackHeader, sackHeaderBytes } from '../packet/sack-chunk.ts';
import type { DataTracker } from './data-tracker.ts';

/** Writes the next SACK that is due. The packet must have room for one without gap blocks. */
export function writeSack(writer: PacketWriter, tracker: DataTracker, aRwnd: number): void {
  const horizon = tracker.policy.takeHorizon();
  const last = horizon === Number.POSITIVE_INFINITY;
  const cumulative = Math.min(horizon, tracker.cumulativeTsn);
  const ranges = tracker.ranges;
  // What does not fit is told by a later SACK, when the lower holes are filled.
  const room = Math.floor((writer.remaining - sackHeaderBytes) / 4);
  let blocks = 0;
  if (cumulative === tracker.cumulativeTsn) {
    // A block says where it begins and ends in 16 bits.
    const highest = Math.min(horizon, cumulative + 0xffff);
    while (blocks < ranges.length && blocks < room && ranges.start(blocks) <= highest) {
      const end = Math.min(ranges.end(blocks), highest);
      encodeGapAckBlock(writer.data, writer.at, blocks, ranges.start(blocks) - cumulative, end - cumulative);
      blocks++;
    }
  }
  const duplicates = last ? Math.min(tracker.duplicates.length, room - blocks) : 0;
  for (let i = 0; i < duplicates; i++) encodeDuplicateTsn(writer.data, writer.at, blocks + i, tracker.duplicates[i]!);
  if (last) tracker.duplicates.length = 0;
  writer.advance(encodeSackHeader(writer.data, writer.at, tracker.wrap(cumulative), aRwnd, blocks, duplicates));
}
