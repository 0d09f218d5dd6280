/** The promises behind `Channel.writable`. */
export class WritableWaiters {
  #waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];

  wait(): Promise<void> {
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  resolve(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.resolve();
  }

  reject(error: Error): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.reject(error);
  }
}
