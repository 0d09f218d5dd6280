import type { Address, Candidate, CandidateType, Path } from '../types.ts';

/** A local candidate. Host ones are announced; peer-reflexive ones show in pairs alone. */
export interface LocalCandidate {
  /** The driver's number of the socket. */
  readonly local: number;
  readonly address: Address;
  readonly foundation: string;
  readonly priority: number;
  /** What its checks carry as PRIORITY: its priority if it were peer-reflexive (RFC 8445 section 7.1.1). */
  readonly checkPriority: number;
  readonly description: Candidate;
}

export interface RemoteCandidate {
  readonly address: Address;
  foundation: string;
  type: CandidateType;
  readonly priority: number;
}

/** RFC 8445 section 6.1.2.6. */
export type PairState = 'frozen' | 'waiting' | 'in-progress' | 'succeeded' | 'failed';

export interface CandidatePair {
  readonly path: Path;
  readonly local: LocalCandidate;
  readonly remote: RemoteCandidate;
  /** The local side's priority: lower than the candidate's where it proved to be peer-reflexive. */
  localPriority: number;
  state: PairState;
  /** Controlled side: the peer has nominated it. */
  nominated: boolean;
  /** The peer has checked it without nominating it first, as RFC 8445 asks. */
  checkedPlainly: boolean;
  rttMs: number | undefined;
  lastSuccessAt: number;
}

/** Type preferences of RFC 8445 section 5.1.2.2. */
const typePreference: Readonly<Record<CandidateType, number>> = { host: 126, prflx: 110, srflx: 100, relay: 0 };

/** RFC 8445 section 5.1.2.1, for component 1. */
export function candidatePriority(type: CandidateType, localPreference: number): number {
  return typePreference[type] * 2 ** 24 + localPreference * 2 ** 8 + 255;
}

/**
 * Orders pairs by RFC 8445 section 6.1.2.3: positive where `a` has the higher priority. The 64-bit
 * formula 2^32 * MIN + 2 * MAX + (G > D) is compared part by part; the parts do not overlap, as
 * priorities are below 2^31.
 */
export function comparePairs(a: CandidatePair, b: CandidatePair, isControlling: boolean): number {
  const aRemote = a.remote.priority;
  const bRemote = b.remote.priority;
  const minimum = Math.min(a.localPriority, aRemote) - Math.min(b.localPriority, bRemote);
  if (minimum !== 0) return minimum;
  const maximum = Math.max(a.localPriority, aRemote) - Math.max(b.localPriority, bRemote);
  if (maximum !== 0) return maximum;
  // G is the controlling side's priority.
  const aBit = isControlling ? a.localPriority > aRemote : aRemote > a.localPriority;
  const bBit = isControlling ? b.localPriority > bRemote : bRemote > b.localPriority;
  return Number(aBit) - Number(bBit);
}

/** RFC 8445 section 6.1.2.6: pairs of one foundation are likely to fare alike. */
export function pairFoundation(pair: CandidatePair): string {
  return `${pair.local.foundation}:${pair.remote.foundation}`;
}
