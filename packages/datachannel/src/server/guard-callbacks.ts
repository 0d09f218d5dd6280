import type { ConnectionOptions } from './types.ts';

/**
 * The callbacks of an application are called in the middle of a protocol: what they throw is
 * its own affair. What is no function is left to the check of the options.
 */
export function guardCallbacks(options: ConnectionOptions): ConnectionOptions {
  const { keyLog, trace } = options;
  return {
    ...options,
    ...(typeof keyLog === 'function' ? { keyLog: guarded(keyLog) } : {}),
    ...(typeof trace === 'function' ? { trace: guarded(trace) } : {}),
  };
}

function guarded<T>(callback: (value: T) => void): (value: T) => void {
  return (value) => {
    try {
      callback(value);
    } catch (error) {
      throwLater(error);
    }
  };
}

/** Throws where nothing of this library is on the stack. */
export function throwLater(error: unknown): void {
  process.nextTick(() => {
    throw error;
  });
}
