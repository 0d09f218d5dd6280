/** What a heap keeps for each of its members: when it is scheduled, `Infinity` where it is not. */
export interface Scheduled {
  scheduledAt: number;
}

/**
 * Deadlines of many peers. A deadline that moves back costs nothing: the entry stays, comes up
 * early, and its owner schedules itself again. One that moves forward is added, and the entry that
 * it replaces is passed over when it comes up.
 */
export class DeadlineHeap<T extends Scheduled> {
  readonly #times: number[] = [];
  readonly #items: T[] = [];

  /** The earliest entry, or `Infinity`. */
  get nextAt(): number {
    this.#dropStale();
    return this.#times[0] ?? Number.POSITIVE_INFINITY;
  }

  schedule(item: T, at: number): void {
    if (at >= item.scheduledAt || at === Number.POSITIVE_INFINITY) return;
    item.scheduledAt = at;
    const times = this.#times;
    const items = this.#items;
    let i = times.length;
    times.push(at);
    items.push(item);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (times[parent]! <= at) break;
      times[i] = times[parent]!;
      items[i] = items[parent]!;
      i = parent;
    }
    times[i] = at;
    items[i] = item;
  }

  /** Takes an item whose time has come, or `undefined`. */
  pop(now: number): T | undefined {
    this.#dropStale();
    if (this.#times.length === 0 || this.#times[0]! > now) return undefined;
    const item = this.#items[0]!;
    item.scheduledAt = Number.POSITIVE_INFINITY;
    this.#removeFirst();
    return item;
  }

  clear(): void {
    this.#times.length = 0;
    this.#items.length = 0;
  }

  #dropStale(): void {
    while (this.#times.length > 0 && this.#items[0]!.scheduledAt !== this.#times[0]) this.#removeFirst();
  }

  #removeFirst(): void {
    const times = this.#times;
    const items = this.#items;
    const at = times.pop()!;
    const item = items.pop()!;
    const length = times.length;
    if (length === 0) return;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= length) break;
      if (child + 1 < length && times[child + 1]! < times[child]!) child++;
      if (times[child]! >= at) break;
      times[i] = times[child]!;
      items[i] = items[child]!;
      i = child;
    }
    times[i] = at;
    items[i] = item;
  }
}
