/** The value of an option that has to be an integer. Throws RangeError, naming the option and what is allowed. */
export function checkInteger(name: string, value: unknown, min: number, max: number): number {
  if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
    throw new RangeError(`${name} must be an integer from ${min} to ${max}`);
  }
  return value as number;
}
