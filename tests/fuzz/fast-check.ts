import * as fastCheck from 'fast-check';

/*
 * Stands in for fast-check in `npm run fuzz`: every property runs with as many cases as the command
 * asks for, and with a new seed, which fast-check prints where a property fails.
 */
export * from 'fast-check';
export default { ...fastCheck, assert };

const runs = Number(process.env['MILLRACE_FUZZ_RUNS']);

/** As fast-check's own, with the command's number of cases where that is larger. */
export function assert<T>(property: fastCheck.IRawProperty<T>, parameters: fastCheck.Parameters<T> = {}): Promise<void> | void {
  const { seed: _, path: __, ...others } = parameters;
  return fastCheck.assert(property, { ...others, numRuns: Math.max(runs, parameters.numRuns ?? 100) });
}
