/**
 * Bytes of garbage per item (a packet, a record) that `work` leaves behind, on the heap and in array
 * buffers outside of it. `work` handles `items` of them per call.
 *
 * Each call is measured by itself and the median is taken, so that neither the compiler's own
 * allocations nor a collection count. Where the young generation holds more than a call makes, which
 * the project's node flags see to, the figure is the same on every machine.
 */
export function bytesPerItem(items: number, work: () => void, prepare: () => void = () => {}): number {
  const samples: number[] = [];
  for (let round = 0; round < warmUpRounds + measuredRounds; round++) {
    prepare();
    if (round % 50 === 0) globalThis.gc!();
    const before = process.memoryUsage();
    work();
    const after = process.memoryUsage();
    if (round >= warmUpRounds) samples.push(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers);
  }
  samples.sort((a, b) => a - b);
  return Math.max(0, samples[samples.length >> 1]! - emptyCall()) / items;
}

const warmUpRounds = 300;
const measuredRounds = 101;
let emptyCallBytes: number | undefined;

/** What the measurement itself leaves behind. */
function emptyCall(): number {
  if (emptyCallBytes === undefined) {
    emptyCallBytes = 0;
    emptyCallBytes = bytesPerItem(1, () => {});
  }
  return emptyCallBytes;
}
