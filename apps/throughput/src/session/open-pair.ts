import type { Options } from '../cli/options.ts';
import type { DemoEngine } from '../engines.ts';
import type { SignalingServer } from '../signaling/signaling-server.ts';
import type { Suite } from '../suites.ts';
import { Pair, type PairOptions } from './pair.ts';

/** Makes pairs of processes, and knows those that live. */
export class PairOpener {
  readonly #signaling: SignalingServer;
  readonly #options: Options;
  readonly #living = new Set<Pair>();

  constructor(signaling: SignalingServer, options: Options) {
    this.#signaling = signaling;
    this.#options = options;
  }

  /** Starts a pair and resolves when it is connected. */
  async open(
    suite: Suite,
    engine: DemoEngine,
    onLive: PairOptions['onLive'],
    file?: { readonly path: string; readonly out: string },
  ): Promise<Pair> {
    const { messageSize, datagramBytes } = this.#options;
    const signalingUrl = this.#signaling.openRoom();
    const common = { suite, engine, messageSize, datagramBytes, signalingUrl, onLive };
    const pair = new Pair(file === undefined ? common : { ...common, file });
    this.#living.add(pair);
    await pair.connected(suite);
    return pair;
  }

  async close(pair: Pair): Promise<void> {
    await pair.close();
    this.#living.delete(pair);
  }

  /** Leaves no process behind. */
  killAll(): void {
    for (const pair of this.#living) pair.kill();
    this.#living.clear();
  }
}
