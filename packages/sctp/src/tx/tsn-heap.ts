/** A min-heap of TSNs: what is to be sent again, the oldest first, in whatever order it was found lost. */
export class TsnHeap {
  #heap: Float64Array = new Float64Array(64);
  #length = 0;

  /** The least, or -1. */
  peek(): number {
    return this.#length === 0 ? -1 : this.#heap[0]!;
  }

  push(tsn: number): void {
    if (this.#length === this.#heap.length) {
      const grown = new Float64Array(2 * this.#length);
      grown.set(this.#heap);
      this.#heap = grown;
    }
    const heap = this.#heap;
    let i = this.#length++;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (heap[parent]! <= tsn) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = tsn;
  }

  pop(): void {
    const heap = this.#heap;
    const length = --this.#length;
    const tsn = heap[length]!;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= length) break;
      if (child + 1 < length && heap[child + 1]! < heap[child]!) child++;
      if (heap[child]! >= tsn) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = tsn;
  }

  clear(): void {
    this.#length = 0;
  }
}
