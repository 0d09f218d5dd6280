/** Typed events of an object that talks to the application. `M` maps an event to its arguments. */
export interface Listener<M extends Record<keyof M, readonly unknown[]>> {
  on<K extends keyof M>(event: K, fn: (...args: M[K]) => void): this;
  /** Like `on`, for the next occurrence alone. */
  once<K extends keyof M>(event: K, fn: (...args: M[K]) => void): this;
  off<K extends keyof M>(event: K, fn: (...args: M[K]) => void): this;
}

/** A listener with its argument types forgotten: the map's key knows them. */
type Handler = (...args: readonly unknown[]) => void;

interface Entry {
  readonly fn: Handler;
  readonly once: boolean;
}

/** The registry behind `Listener`: an owner holds one and forwards `on`, `once` and `off` to it. */
export class Listeners<M extends Record<keyof M, readonly unknown[]>> {
  readonly #handlers = new Map<keyof M, readonly Entry[]>();
  readonly #events: readonly (keyof M)[];

  /** `events` are all that the owner emits. */
  constructor(events: readonly (keyof M)[]) {
    this.#events = events;
  }

  /** Throws TypeError where the owner never emits the event, or `fn` is no function. */
  add<K extends keyof M>(event: K, fn: (...args: M[K]) => void, once = false): void {
    if (!this.#events.includes(event)) {
      throw new TypeError(`event must be one of ${this.#events.join(', ')}, and not '${String(event)}'`);
    }
    if (typeof fn !== 'function') throw new TypeError(`listener of '${String(event)}' must be a function`);
    // Copied on write, so that a listener may add or remove listeners while an event is emitted.
    this.#handlers.set(event, [...(this.#handlers.get(event) ?? []), { fn: fn as unknown as Handler, once }]);
  }

  remove<K extends keyof M>(event: K, fn: (...args: M[K]) => void): void {
    for (const entry of this.#handlers.get(event) ?? []) if (entry.fn === (fn as unknown as Handler)) this.#drop(event, entry);
  }

  /** Calls the listeners in the order of their registration. True where there was one. */
  emit<K extends keyof M>(event: K, ...args: M[K]): boolean {
    const handlers = this.#handlers.get(event);
    if (handlers === undefined) return false;
    for (const entry of handlers) {
      if (entry.once) this.#drop(event, entry);
      entry.fn(...args);
    }
    return true;
  }

  #drop(event: keyof M, dropped: Entry): void {
    const kept = (this.#handlers.get(event) ?? []).filter((entry) => entry !== dropped);
    if (kept.length === 0) this.#handlers.delete(event);
    else this.#handlers.set(event, kept);
  }
}
