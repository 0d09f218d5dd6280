/** The value of an option that is one of a few words. Throws RangeError, naming the option and what is allowed. */
export function checkWord<T extends string>(name: string, value: T, allowed: readonly string[]): T {
  if (!allowed.includes(value)) throw new RangeError(`${name} must be one of ${allowed.join(', ')}`);
  return value;
}

/** The value of an option that has to be an integer. Throws RangeError, naming the option and what is allowed. */
export function checkInteger(name: string, value: unknown, min: number, max: number): number {
  if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
    throw new RangeError(`${name} must be an integer from ${min} to ${max}`);
  }
  return value as number;
}
