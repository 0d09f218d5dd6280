/**
 * The TSNs received above the cumulative one, as disjoint, ascending ranges that do not touch: the
 * gap blocks of a SACK as they are, so that building one costs the blocks it carries and no more.
 */
export class TsnRanges {
  #starts: Float64Array = new Float64Array(32);
  #ends: Float64Array = new Float64Array(32);
  #head = 0;
  #tail = 0;

  get length(): number {
    return this.#tail - this.#head;
  }

  start(index: number): number {
    return this.#starts[this.#head + index]!;
  }

  end(index: number): number {
    return this.#ends[this.#head + index]!;
  }

  has(tsn: number): boolean {
    const i = this.#after(tsn) - 1;
    return i >= this.#head && tsn <= this.#ends[i]!;
  }

  /** Whether adding `tsn` would begin a range of its own. */
  isApart(tsn: number): boolean {
    const i = this.#after(tsn);
    return (i === this.#tail || this.#starts[i] !== tsn + 1) && (i === this.#head || this.#ends[i - 1]! < tsn - 1);
  }

  /** Adds one TSN that is not in it. */
  add(tsn: number): void {
    const i = this.#after(tsn);
    const joinsBefore = i > this.#head && this.#ends[i - 1] === tsn - 1;
    const joinsAfter = i < this.#tail && this.#starts[i] === tsn + 1;
    if (joinsBefore && joinsAfter) {
      this.#ends[i - 1] = this.#ends[i]!;
      this.#starts.copyWithin(i, i + 1, this.#tail);
      this.#ends.copyWithin(i, i + 1, this.#tail);
      this.#tail--;
    } else if (joinsBefore) {
      this.#ends[i - 1] = tsn;
    } else if (joinsAfter) {
      this.#starts[i] = tsn;
    } else {
      this.#insert(i, tsn);
    }
  }

  /** Drops all up to `tsn`; then, where a range begins right after it, that range too. Returns the end of what is gone. */
  advance(tsn: number): number {
    let cumulative = tsn;
    while (this.#head < this.#tail && this.#starts[this.#head]! <= cumulative + 1) {
      cumulative = Math.max(cumulative, this.#ends[this.#head]!);
      this.#head++;
    }
    if (this.#head === this.#tail) {
      this.#head = 0;
      this.#tail = 0;
    }
    return cumulative;
  }

  /** The index of the first range that begins after `tsn`. Most arrivals are at the end: looked at first. */
  #after(tsn: number): number {
    let low = this.#head;
    let high = this.#tail;
    if (high > low && this.#starts[high - 1]! <= tsn) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= tsn) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #insert(index: number, tsn: number): void {
    let i = index;
    if (this.#tail === this.#starts.length) {
      const length = this.length;
      const grow = this.#head < length;
      const starts = grow ? new Float64Array(2 * this.#starts.length) : this.#starts;
      const ends = grow ? new Float64Array(2 * this.#ends.length) : this.#ends;
      starts.set(this.#starts.subarray(this.#head, this.#tail));
      ends.set(this.#ends.subarray(this.#head, this.#tail));
      this.#starts = starts;
      this.#ends = ends;
      i -= this.#head;
      this.#head = 0;
      this.#tail = length;
    }
    this.#starts.copyWithin(i + 1, i, this.#tail);
    this.#ends.copyWithin(i + 1, i, this.#tail);
    this.#starts[i] = tsn;
    this.#ends[i] = tsn;
    this.#tail++;
  }
}
