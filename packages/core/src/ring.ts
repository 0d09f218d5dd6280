/**
 * A growing first-in first-out queue over a circular array: push and shift are O(1) whatever the
 * length, where `Array.prototype.shift` moves every element.
 */
export class Ring<T> {
  #items: (T | undefined)[];
  #mask: number;
  #head = 0;
  #length = 0;

  /** @param capacity elements held before the first growth; rounded up to a power of two. */
  constructor(capacity = 16) {
    let size = 1;
    while (size < capacity) size *= 2;
    this.#items = new Array<T | undefined>(size).fill(undefined);
    this.#mask = size - 1;
  }

  get length(): number {
    return this.#length;
  }

  /** The element at `index` from the front, or `undefined` outside. */
  at(index: number): T | undefined {
    if (index < 0 || index >= this.#length) return undefined;
    return this.#items[(this.#head + index) & this.#mask];
  }

  front(): T | undefined {
    return this.#length === 0 ? undefined : this.#items[this.#head];
  }

  back(): T | undefined {
    return this.at(this.#length - 1);
  }

  push(item: T): void {
    if (this.#length > this.#mask) this.#grow();
    this.#items[(this.#head + this.#length) & this.#mask] = item;
    this.#length++;
  }

  /** Puts an element before the front. */
  unshift(item: T): void {
    if (this.#length > this.#mask) this.#grow();
    this.#head = (this.#head - 1) & this.#mask;
    this.#items[this.#head] = item;
    this.#length++;
  }

  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head = (this.#head + 1) & this.#mask;
    this.#length--;
    return item;
  }

  clear(): void {
    this.#items.fill(undefined);
    this.#head = 0;
    this.#length = 0;
  }

  #grow(): void {
    const grown = new Array<T | undefined>(this.#items.length * 2).fill(undefined);
    for (let i = 0; i < this.#length; i++) grown[i] = this.#items[(this.#head + i) & this.#mask];
    this.#items = grown;
    this.#mask = grown.length - 1;
    this.#head = 0;
  }
}
