export type { Address, Candidate, CandidateType, IceAgent, IceEvent, IceOptions, IceState, IceStats, Path } from './types.ts';
export { IceError, type IceErrorCode } from './errors.ts';
