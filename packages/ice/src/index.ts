export type { Address, Candidate, CandidateType, IceAgent, IceEvent, IceOptions, IceState, IceStats, Path } from './types.ts';
export { createIceAgent } from './create-ice-agent.ts';
export { IceError, type IceErrorCode } from './errors.ts';
export { formatIpAddress, parseIpAddress } from './ip-address.ts';
export { peekUfrag } from './stun/peek-ufrag.ts';
