/** The middle of the values, or the mean of the two in the middle. NaN where there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** How far the values lie apart, in percent of their median: (largest - smallest) / median. NaN below two. */
export function spreadPercent(values: readonly number[]): number {
  if (values.length < 2) return Number.NaN;
  return (100 * (Math.max(...values) - Math.min(...values))) / median(values);
}

/** By how much `now` is below `before`, in percent. */
export function dropPercent(before: number, now: number): number {
  return 100 * (1 - now / before);
}
