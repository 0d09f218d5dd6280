/** A binary heap of things that happen at a time; equal times keep the order of insertion. */
export class EventHeap<T> {
  readonly #heap: { at: number; order: number; item: T }[] = [];
  #order = 0;

  get length(): number {
    return this.#heap.length;
  }

  /** The earliest time, or `Infinity`. */
  get nextAt(): number {
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  push(at: number, item: T): void {
    const heap = this.#heap;
    heap.push({ at, order: this.#order++, item });
    for (let i = heap.length - 1; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!this.#before(i, parent)) break;
      this.#swap(i, parent);
      i = parent;
    }
  }

  pop(): T | undefined {
    const heap = this.#heap;
    const top = heap[0];
    if (top === undefined) return undefined;
    const last = heap.pop()!;
    if (heap.length > 0) {
      heap[0] = last;
      for (let i = 0; ; ) {
        let least = i;
        for (const child of [2 * i + 1, 2 * i + 2]) {
          if (child < heap.length && this.#before(child, least)) least = child;
        }
        if (least === i) break;
        this.#swap(i, least);
        i = least;
      }
    }
    return top.item;
  }

  #before(a: number, b: number): boolean {
    const x = this.#heap[a]!;
    const y = this.#heap[b]!;
    return x.at < y.at || (x.at === y.at && x.order < y.order);
  }

  #swap(a: number, b: number): void {
    const held = this.#heap[a]!;
    this.#heap[a] = this.#heap[b]!;
    this.#heap[b] = held;
  }
}
