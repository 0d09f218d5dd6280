import { Ring, type Trace } from '@millrace/core';
import type { IceEvent, IceState } from '../types.ts';

/** The agent's state and what it tells its owner. */
export class AgentLife {
  readonly #events = new Ring<IceEvent>();
  readonly #traceTo: Trace | undefined;
  #state: IceState = 'new';

  constructor(traceTo: Trace | undefined) {
    this.#traceTo = traceTo;
  }

  get state(): IceState {
    return this.#state;
  }

  get isOver(): boolean {
    return this.#state === 'failed' || this.#state === 'closed';
  }

  /** Moves to a state and says so, where it is another one. */
  enter(now: number, state: IceState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#events.push({ type: 'state', state });
    this.trace(now, 'state', { state });
  }

  push(event: IceEvent): void {
    this.#events.push(event);
  }

  shift(): IceEvent | undefined {
    return this.#events.shift();
  }

  trace(now: number, name: string, detail: Readonly<Record<string, unknown>>): void {
    this.#traceTo?.({ now, layer: 'ice', name, detail });
  }
}
