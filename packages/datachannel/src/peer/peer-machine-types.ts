import type { Random, Trace } from '@millrace/core';
import type { Certificate, CryptoProvider, Engine, Fingerprint, RecordQueue } from '@millrace/crypto';
import type { CipherSuite, DtlsEvent } from '@millrace/dtls';
import type { Address, Candidate, Path } from '@millrace/ice';
import type { CongestionControlName } from 'sctp-js';
import type { ChannelEvent } from '../channel/channel-event.ts';
import type { DtlsRole } from '../channel/dtls-role.ts';
import type { Channel, ChannelOptions } from '../channel-types.ts';
import type { ChannelError } from '../errors.ts';
import type { PeerState, PeerStats } from './peer-stats.ts';

export interface PeerMachineOptions {
  /** The side that sent the offer controls (RFC 8445 section 6.1.1), unless the other is lite. */
  readonly iceRole: 'controlling' | 'controlled';
  readonly certificate: Certificate;
  /** The one object per (socket, remote address). */
  readonly path: (local: number, remote: Address) => Path;
  /** The caller's monotonic clock in ms: applications call channels when they like. */
  readonly now: () => number;
  /** Called when a channel or a candidate wants the machine to be drained. */
  readonly wake: () => void;
  readonly cipherSuites?: readonly CipherSuite[];
  readonly engine?: Engine;
  /** Default false. */
  readonly enforceKeyLimits?: boolean;
  readonly recordQueue?: RecordQueue;
  /** Default 1200. */
  readonly maxDatagramBytes?: number;
  /** Largest incoming message. Default 262 144. */
  readonly maxMessageSize?: number;
  /** Default 'cubic'. */
  readonly congestionControl?: CongestionControlName;
  /** Default 1 MiB. */
  readonly highWaterBytes?: number;
  /** Default half of `highWaterBytes`. */
  readonly lowWaterBytes?: number;
  /** Default 5 MiB, or twice `maxMessageSize` where that is more. */
  readonly receiveBufferBytes?: number;
  /** Default 65 535. */
  readonly maxChannels?: number;
  /** Default 30 000. */
  readonly connectTimeoutMs?: number;
  /** Default 5000. */
  readonly consentIntervalMs?: number;
  /** Default 30 000. */
  readonly consentTimeoutMs?: number;
  /** Default 5000. */
  readonly closeTimeoutMs?: number;
  /** Default 5000. */
  readonly localSctpPort?: number;
  readonly keyLog?: (line: string) => void;
  readonly trace?: Trace;
  /** Default: the platform's. */
  readonly crypto?: CryptoProvider;
  /** Default: the provider's. A test injects a seeded one. */
  readonly random?: Random;
}

/** What signaling says of the other side. */
export interface RemoteParameters {
  readonly iceUfrag: string;
  readonly icePwd: string;
  readonly iceLite?: boolean;
  readonly fingerprints: readonly Fingerprint[];
  /** Which side of DTLS this end takes. */
  readonly dtlsRole: DtlsRole;
  /** Default 5000. */
  readonly sctpPort?: number;
  /** 0: any size. Default 65 536 (RFC 8841 section 6.1). */
  readonly maxMessageSize?: number;
}

export type PeerEvent =
  | { readonly type: 'connected' }
  | ChannelEvent
  /** The key that seals nears its limit, or has reached it: see `enforceKeyLimits`. */
  | Extract<DtlsEvent, { readonly type: 'keyUsage' }>
  /**
   * The last event. With an error where the connection failed or was cut off. `pollTransmit` may
   * still have datagrams that say so to the other side: poll it until 0 before the peer is forgotten.
   */
  | { readonly type: 'closed'; readonly error?: ChannelError };

/**
 * One end of a WebRTC connection without I/O: ICE, DTLS, SCTP and channels. It keeps the contract
 * of `Machine`, with the path of each datagram beside it.
 */
export interface PeerMachine {
  readonly state: PeerState;
  readonly localUfrag: string;
  readonly localPwd: string;
  /** The path in use, once ICE has found one. */
  readonly selectedPath: Path | undefined;
  /** The path of the datagram that `pollTransmit` has just written. */
  readonly transmitPath: Path | undefined;
  /** It threw in the flush of a shared record queue: a bug of this library. It is dead then. */
  readonly isFaulted: boolean;
  addLocalCandidate(now: number, local: number, address: Address): Candidate;
  /** Once, when the other side's description is there. Throws ChannelError 'WRONG_STATE' the second time. */
  setRemoteParameters(now: number, parameters: RemoteParameters): void;
  /** `undefined`: there are no more. False for kinds that can't be used. */
  addRemoteCandidate(now: number, candidate: Candidate | undefined): boolean;
  createChannel(label: string, options?: ChannelOptions): Channel;
  /** True where the datagram proves that the other side is on that path: an authentic STUN message. */
  handleDatagram(now: number, path: Path, data: Uint8Array, start: number, end: number): boolean;
  handleTimeout(now: number): void;
  pollTransmit(now: number, out: Uint8Array, start: number, end: number): number;
  pollTimeout(): number;
  pollEvent(): PeerEvent | undefined;
  /** Calls the listeners of the event's channel. Drivers do, applications' machines may. */
  deliver(event: ChannelEvent): void;
  /** Delivers what is queued within `closeTimeoutMs`, then ends. */
  close(now: number): void;
  /** Ends at once. The other side is told, where there is a way to it. */
  abort(now: number, error?: ChannelError): void;
  exportKeyingMaterial(label: string, context: Uint8Array | undefined, length: number): Uint8Array;
  stats(): PeerStats;
}
