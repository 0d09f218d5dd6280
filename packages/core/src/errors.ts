/**
 * A broken invariant: a bug of this library, never of the network or the caller. It is not caught
 * inside; a driver closes the one peer that raised it and reports it.
 */
export class InternalError extends Error {
  override readonly name = 'InternalError';
  readonly code = 'INTERNAL';
}

/** Throws `InternalError` where `condition` does not hold. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InternalError(message);
}
