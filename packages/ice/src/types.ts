import type { Random, Trace } from '@millrace/core';
import type { CryptoProvider } from '@millrace/crypto';
import type { IceError } from './errors.ts';

/** A transport address. `address` is a literal without brackets or zone. */
export interface Address {
  readonly family: 4 | 6;
  readonly address: string;
  readonly port: number;
}

/**
 * Where a datagram goes or came from: a local socket and a remote address. Drivers intern paths, so
 * that the same pair of addresses is the same object; machines compare them by identity.
 */
export interface Path {
  /** The driver's number of the local socket. */
  readonly local: number;
  readonly remote: Address;
}

export type CandidateType = 'host' | 'srflx' | 'prflx' | 'relay';

/** RFC 8839 section 5.1; UDP and component 1 alone. */
export interface Candidate {
  readonly foundation: string;
  readonly priority: number;
  /** A literal, or an `.local` name that nothing is tried on until it is resolved. */
  readonly address: string;
  readonly port: number;
  readonly type: CandidateType;
  readonly relatedAddress?: string;
  readonly relatedPort?: number;
  readonly tcpType?: string;
  readonly ufrag?: string;
}

export interface IceOptions {
  readonly role: 'controlling' | 'controlled';
  /** Default: drawn with 24 and 128 bits of randomness at least (RFC 8839 section 5.4). */
  readonly ufrag?: string;
  readonly pwd?: string;
  /** The one object per (socket, remote address): needed to address checks. */
  path(local: number, remote: Address): Path;
  /** Pacing of checks, Ta in ms. Default 50 (RFC 8445 section 14); the first checks go at once. */
  readonly paceMs?: number;
  /** Consent checks every so often in ms, times 0.8 to 1.2. Default 5000 (RFC 7675 section 5.1). */
  readonly consentIntervalMs?: number;
  /** Without an answer for so long the path is given up. Default 30 000. */
  readonly consentTimeoutMs?: number;
  /** Without a valid pair for so long the agent fails. Default 30 000. */
  readonly connectTimeoutMs?: number;
  readonly trace?: Trace;
  readonly crypto?: CryptoProvider;
  readonly random?: Random;
}

export type IceEvent =
  | { readonly type: 'state'; readonly state: IceState }
  /** A pair is nominated, or another one took its place. */
  | { readonly type: 'selected'; readonly path: Path; readonly rttMs: number | undefined }
  /** The end: no pair works, or consent was lost. The object is dead. */
  | { readonly type: 'closed'; readonly error?: IceError };

export type IceState = 'new' | 'checking' | 'connected' | 'completed' | 'disconnected' | 'failed' | 'closed';

export interface IceStats {
  readonly checksSent: number;
  readonly checksReceived: number;
  readonly responsesSent: number;
  readonly responsesReceived: number;
  readonly consentRequestsSent: number;
  readonly rttMs: number | undefined;
  readonly dropped: Readonly<Record<string, number>>;
}

/**
 * An ICE agent for one component (RFC 8445). Like every machine it does no I/O; each datagram comes
 * and goes with its path.
 */
export interface IceAgent {
  readonly state: IceState;
  readonly role: 'controlling' | 'controlled';
  readonly localUfrag: string;
  readonly localPwd: string;
  readonly remoteUfrag: string | undefined;
  /** The nominated pair's path, or the best valid one before the nomination. */
  readonly selectedPath: Path | undefined;
  /** The path of the datagram that `pollTransmit` has just written. */
  readonly transmitPath: Path | undefined;
  readonly stats: IceStats;
  /** Makes known a local host candidate; returns its description for signaling. */
  addLocalCandidate(now: number, local: number, address: Address): Candidate;
  setRemoteParameters(now: number, parameters: { ufrag: string; pwd: string; lite?: boolean }): void;
  /** `undefined` is end-of-candidates. Unusable kinds (TCP, unresolved names) are passed over: false. */
  addRemoteCandidate(now: number, candidate: Candidate | undefined): boolean;
  /** STUN datagrams alone (first octet 0 to 3). True where the datagram was an authentic STUN message of this agent. */
  handleDatagram(now: number, path: Path, data: Uint8Array, start: number, end: number): boolean;
  handleTimeout(now: number): void;
  pollTransmit(now: number, out: Uint8Array, start: number, end: number): number;
  pollTimeout(): number;
  pollEvent(): IceEvent | undefined;
  close(now: number): void;
}
