/** The value of an option that has to be an integer. Throws RangeError, naming the option and what is allowed. */
export function checkInteger(name: string, value: unknown, min: number, max: number): number {
  if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
    throw new RangeError(`${name} must be an integer from ${min} to ${max}`);
  }
  return value as number;
}

/** Throws TypeError where an argument that holds options is none. */
export function checkObject(name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${name} must be an object`);
}
