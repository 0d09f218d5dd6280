import { expect, test } from 'vitest';
import { Simulation, type SimMachine } from './index.ts';

/** Sends `count` numbered datagrams one per ms and remembers what it got. */
class Talker implements SimMachine {
  readonly received: [number, number][] = [];
  #next = 0;
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  handleDatagram(now: number, data: Uint8Array, start: number): void {
    this.received.push([now, data[start]!]);
  }

  handleTimeout(): void {}

  pollTransmit(now: number, out: Uint8Array, start: number): number {
    if (this.#next >= this.#count || now < this.#next) return 0;
    out.fill(this.#next++, start, start + 100);
    return 100;
  }

  pollTimeout(): number {
    return this.#next < this.#count ? this.#next : Number.POSITIVE_INFINITY;
  }
}

function run(
  seed: number,
  link: ConstructorParameters<typeof Simulation>[2]['link'],
  count = 200,
): { got: Talker; sim: Simulation } {
  const got = new Talker(0);
  const sim = new Simulation({ machine: new Talker(count) }, { machine: got }, { seed, link: link ?? {} });
  expect(sim.run({ forMs: 10_000 })).toBe(true);
  return { got, sim };
}

test('a perfect link delivers everything in order after its delay', () => {
  const { got } = run(1, { delayMs: 7 });
  expect(got.received).toEqual(Array.from({ length: 200 }, (_, i) => [i + 7, i]));
});

test('the same seed gives the same run, another seed another', () => {
  const link = { delayMs: 5, jitterMs: 20, loss: 0.2, duplicate: 0.1, reorder: 0.1, reorderMs: 30 };
  expect(run(3, link).got.received).toEqual(run(3, link).got.received);
  expect(run(3, link).got.received).not.toEqual(run(4, link).got.received);
});

test('loss and duplication come at about their rate', () => {
  const { sim } = run(5, { loss: 0.25, duplicate: 0.25 }, 250);
  expect(sim.aToB.stats.lost).toBeGreaterThan(35);
  expect(sim.aToB.stats.lost).toBeLessThan(95);
  expect(sim.aToB.stats.duplicated).toBeGreaterThan(20);
});

test('a bottleneck spaces datagrams and drops what its queue does not hold', () => {
  const { got, sim } = run(6, { bytesPerSecond: 50_000, queueBytes: 1000 });
  const gaps = got.received.slice(1).map(([at], i) => at - got.received[i]![0]);
  expect(Math.min(...gaps)).toBeCloseTo(2, 6);
  expect(sim.aToB.stats.overflowed).toBeGreaterThan(50);
});
