import { seededRandom } from '@millrace/core';
import { type LinkOptions, Simulation } from '@millrace/sim';
import { type Association, type AssociationEvent, type AssociationOptions, createAssociation } from '../../src/index.ts';

/** One end: the association and everything it has told the application. */
export class TestNode {
  readonly machine: Association;
  readonly events: AssociationEvent[] = [];
  readonly messages: { streamId: number; ppid: number; data: Uint8Array; at: number }[] = [];
  /** Runs in each drain, as an application that reacts would. */
  onDrain: ((now: number) => void) | undefined;
  onEvent: ((event: AssociationEvent, now: number) => void) | undefined;

  constructor(seed: number, options: Partial<AssociationOptions> = {}) {
    this.machine = createAssociation({ random: seededRandom(seed), ...options });
  }

  readonly drain = (now: number): void => {
    for (let event = this.machine.pollEvent(); event !== undefined; event = this.machine.pollEvent()) {
      this.events.push(event);
      if (event.type === 'message') this.messages.push({ streamId: event.streamId, ppid: event.ppid, data: event.data, at: now });
      this.onEvent?.(event, now);
    }
    this.onDrain?.(now);
  };

  all<T extends AssociationEvent['type']>(type: T): Extract<AssociationEvent, { type: T }>[] {
    return this.events.filter((event): event is Extract<AssociationEvent, { type: T }> => event.type === type);
  }
}

export interface Pair {
  readonly a: TestNode;
  readonly b: TestNode;
  readonly sim: Simulation;
}

export interface PairOptions {
  readonly seed?: number;
  readonly link?: LinkOptions;
  readonly aToB?: LinkOptions;
  readonly bToA?: LinkOptions;
  readonly a?: Partial<AssociationOptions>;
  readonly b?: Partial<AssociationOptions>;
}

export function createPair(options: PairOptions = {}): Pair {
  const { seed = 1 } = options;
  const a = new TestNode(seed * 2 + 1, options.a);
  const b = new TestNode(seed * 2 + 2, options.b);
  const { link = { delayMs: 5 }, aToB = link, bToA = link } = options;
  return { a, b, sim: new Simulation(a, b, { seed, aToB, bToA }) };
}

/** Connects, by default as WebRTC does: both sides call. */
export function connect(pair: Pair, callers: 'a' | 'both' = 'both'): Pair {
  pair.a.machine.connect(pair.sim.now);
  if (callers === 'both') pair.b.machine.connect(pair.sim.now);
  const done = pair.sim.run({ forMs: 120_000, until: () => isUp(pair) });
  if (!done) throw new Error('the pair did not connect');
  return pair;
}

export function isUp({ a, b }: Pair): boolean {
  return a.machine.state === 'established' && b.machine.state === 'established';
}

/** Runs for a while of virtual time, or until the condition holds. */
export function run(pair: Pair, forMs: number, until?: () => boolean): boolean {
  return pair.sim.run(until === undefined ? { forMs } : { forMs, until });
}

/** `length` bytes that tell messages apart and show any shift. */
export function pattern(length: number, seed = 0): Uint8Array {
  const data = new Uint8Array(length);
  for (let i = 0, x = seed * 2654435761 + 1; i < length; i++) {
    x = (Math.imul(x, 1103515245) + 12345) | 0;
    data[i] = x >>> 16;
  }
  return data;
}
