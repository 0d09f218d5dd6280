/**
 * Throws TypeError where an argument that holds options is none, or names one that is not allowed: a
 * misspelled option would have no effect, which is hard to find out.
 */
export function checkNames(what: string, options: unknown, allowed: Readonly<Record<string, true>>): void {
  if (typeof options !== 'object' || options === null) throw new TypeError(`${what} must be an object`);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(allowed, name));
  if (unknown === undefined) return;
  throw new TypeError(`${what} must hold only ${Object.keys(allowed).join(', ')}, and not '${unknown}'`);
}
