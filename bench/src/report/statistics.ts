/** Median of a list that is not empty. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Half of the distance between the quartiles, in percent of the median. */
export function spreadPercent(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const quartile = (share: number): number => sorted[Math.round((sorted.length - 1) * share)]!;
  return ((quartile(0.75) - quartile(0.25)) / 2 / median(values)) * 100;
}

/** `rounds` times forth and back (A B B A), so that drift of the machine hits all alike. */
export function inTurn<T>(items: readonly T[], rounds: number): T[] {
  return Array.from({ length: rounds }, () => [...items, ...items.toReversed()]).flat();
}
