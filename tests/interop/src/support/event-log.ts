interface Waiter<E> {
  readonly matches: (event: E) => boolean;
  readonly resolve: (event: E) => void;
}

/** Events that a test waits for, in whatever order they come. Each is taken once. */
export class EventLog<E> {
  readonly #events: E[] = [];
  readonly #waiters = new Set<Waiter<E>>();
  #failure: Error | undefined;
  readonly #rejections = new Set<(error: Error) => void>();

  push(event: E): void {
    for (const waiter of this.#waiters) {
      if (!waiter.matches(event)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(event);
      return;
    }
    this.#events.push(event);
  }

  /** Ends every wait, now and later, with `error`. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const reject of this.#rejections) reject(error);
    this.#rejections.clear();
  }

  /** The first matching event, now or later. `what` stands in the error of a wait that took too long. */
  take(what: string, matches: (event: E) => boolean, limitMs = 15_000): Promise<E> {
    const index = this.#events.findIndex(matches);
    if (index !== -1) return Promise.resolve(this.#events.splice(index, 1)[0]!);
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        this.#rejections.delete(rejected);
      };
      const rejected = (error: Error): void => {
        finish();
        reject(error);
      };
      const waiter: Waiter<E> = {
        matches,
        resolve: (event) => {
          finish();
          resolve(event);
        },
      };
      const timer = setTimeout(
        () =>
          rejected(new Error(`no ${what} in ${limitMs} ms; what came instead: ${JSON.stringify(this.#events).slice(0, 2000)}`)),
        limitMs,
      );
      this.#waiters.add(waiter);
      this.#rejections.add(rejected);
    });
  }

  /** What came and was not taken. */
  get pending(): readonly E[] {
    return this.#events;
  }
}
