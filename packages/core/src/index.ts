export { type Arena, type ArenaOptions, createArena } from './arena.ts';
export {
  bytesEqual,
  concatBytes,
  constantTimeEqual,
  copyOf,
  formatHex,
  parseHex,
  readUint16,
  readUint24,
  readUint32,
  readUint48,
  writeUint16,
  writeUint24,
  writeUint32,
  writeUint48,
} from './bytes.ts';
export { checkNames } from './check-names.ts';
export { InternalError, invariant } from './errors.ts';
export { type Listener, Listeners } from './listener.ts';
export type { Machine, Trace, TraceEvent } from './machine.ts';
export { type Random, randomBytes, randomUint32, randomUnit, seededRandom } from './random.ts';
export { Ring } from './ring.ts';
export { unwrap32, wrap32 } from './serial.ts';
export { BackoffTimer, Timer } from './timer.ts';
