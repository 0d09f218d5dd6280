import type { Listener, Trace } from '@millrace/core';
import type { Certificate, Engine, Fingerprint } from '@millrace/crypto';
import type { CipherSuite, KeyUsage } from '@millrace/dtls';
import type { CongestionControlName } from 'sctp-js';
import type { Channel, ChannelOptions } from '../channel-types.ts';
import type { ChannelError } from '../errors.ts';
import type { PeerState, PeerStats } from '../peer/peer-stats.ts';

/** What a server gives to each of its peers; `PeerOptions` may say otherwise for one. */
export interface ConnectionOptions {
  /** In order of preference. Default: `defaultCipherSuites` of `@millrace/dtls`. */
  readonly cipherSuites?: readonly CipherSuite[];
  /** How records are protected. Default 'auto'. */
  readonly engine?: Engine;
  /**
   * Close with 'DTLS_FAILED' when the key that seals has encrypted as much as RFC 9147 section 4.5.3
   * allows, some 130 GB with AES-CCM. Default false: `keyUsage` and the stats say so.
   */
  readonly enforceKeyLimits?: boolean;
  /** Largest datagram in bytes of UDP payload, 512 to 16 421, which one record fills. Default 1200. */
  readonly maxDatagramBytes?: number;
  /** Largest message that the other side may send, in bytes; goes into the SDP. Default 262 144. */
  readonly maxMessageSize?: number;
  /** How fast SCTP sends. Default 'cubic' (RFC 9438); 'newreno' is what RFC 9260 has. */
  readonly congestionControl?: CongestionControlName;
  /** `send` answers false from here on, summed over the peer's channels. Default 1 MiB. */
  readonly highWaterBytes?: number;
  /** `drain` comes when the queue has fallen to this. Default half of `highWaterBytes`. */
  readonly lowWaterBytes?: number;
  /** Bytes of incoming messages held before they are delivered, which bounds the peer's window. Default 5 MiB. */
  readonly receiveBufferBytes?: number;
  /** Channels that may be open at once. Default 65 535. */
  readonly maxChannels?: number;
  /** A connection that is not up after so long closes with 'CONNECT_FAILED'. Default 30 000 ms. */
  readonly connectTimeoutMs?: number;
  /** Consent checks every so often, times 0.8 to 1.2 (RFC 7675). Default 5000 ms. */
  readonly consentIntervalMs?: number;
  /** A peer that does not answer for so long closes with 'CONSENT_LOST'. Default 30 000 ms. */
  readonly consentTimeoutMs?: number;
  /** How long `close` tries to deliver what is queued. Default 5000 ms. */
  readonly closeTimeoutMs?: number;
  /** Takes lines in the NSS key log format. Whoever has them can read the traffic. */
  readonly keyLog?: (line: string) => void;
  readonly trace?: Trace;
}

export interface ServerOptions extends ConnectionOptions {
  /** UDP port; 0, the default, takes any free one. All addresses share it. */
  readonly port?: number;
  /**
   * IP literals to bind to, one socket each. Default: all interfaces, IPv4 and (where the machine
   * has it) IPv6.
   */
  readonly addresses?: readonly string[];
  /**
   * IP literals announced as host candidates in place of the bound ones: the public address of a
   * machine behind a one-to-one NAT. Default: the bound addresses, or those of the interfaces.
   */
  readonly announcedAddresses?: readonly string[];
  /** Default: a fresh P-256 certificate. */
  readonly certificate?: Certificate;
  /** Asked of the operating system for each socket, which may grant less: see `ServerStats`. Default 4 MiB. */
  readonly socketBufferBytes?: number;
  /** Peers at once; further offers and answers are refused with 'TOO_MANY_PEERS'. Default 65 536. */
  readonly maxPeers?: number;
}

export interface PeerOptions extends ConnectionOptions {
  /** Names the peer to the application. Default: a number that this server has not used yet. */
  readonly id?: string;
  /**
   * Which side of DTLS an answer takes, where the offer leaves the choice: 'active' is the client.
   * Default 'active' (RFC 8842 section 5.3). Meaningless in an offer, which leaves the choice to
   * the other side.
   */
  readonly setup?: 'active' | 'passive';
}

/**
 * One connection with its channels. `keyUsage` comes when the key that seals has been used for 90 %
 * of what it may ('near'), and once more at the limit ('reached').
 */
export interface Peer
  extends Listener<{ connected: []; channel: [Channel]; keyUsage: ['near' | 'reached', KeyUsage]; close: [ChannelError?] }> {
  readonly id: string;
  readonly state: PeerState;
  /** Opens a channel; it may be used at once, before the connection is up. Throws where an option is wrong. */
  createChannel(label: string, options?: ChannelOptions): Channel;
  /**
   * A candidate that was signaled after the description: the text of `a=candidate:`, with or
   * without the `a=`. `null` or the empty string says that there are no more. Kinds that can't be
   * used (TCP, `.local` names) are passed over.
   */
  addRemoteCandidate(candidate: string | null): void;
  /** RFC 5705. Throws DtlsError 'NOT_CONNECTED' before `connected`. */
  exportKeyingMaterial(label: string, context: Uint8Array | undefined, length: number): Uint8Array;
  stats(): PeerStats;
  /** Delivers what is queued, within `closeTimeoutMs`, then ends the connection. Resolves when it has ended. */
  close(): Promise<void>;
}

export interface Offer {
  readonly peer: Peer;
  readonly sdp: string;
  /** Takes the other side's answer. Rejects with 'INVALID_SDP', or 'WRONG_STATE' where it had one already. */
  accept(answerSdp: string): Promise<void>;
}

export interface Answer {
  readonly peer: Peer;
  readonly sdp: string;
}

/**
 * Many peers through one UDP port. `peer` comes for each offer and answer, before its promise
 * resolves; `error` for faults of a socket and of this library, never for what the network sends; without a
 * listener they become warnings of the process.
 */
export interface Server extends Listener<{ peer: [Peer]; error: [Error] }> {
  readonly port: number;
  readonly fingerprint: Fingerprint;
  /** Takes an offer. Rejects with ChannelError 'INVALID_SDP', 'TOO_MANY_PEERS' or 'SERVER_CLOSED'. */
  answer(offerSdp: string, options?: PeerOptions): Promise<Answer>;
  offer(options?: PeerOptions): Promise<Offer>;
  stats(): ServerStats;
  /** Closes all peers as `Peer.close` does, then the sockets. Nothing keeps the process alive afterwards. */
  close(): Promise<void>;
}

export interface ServerStats {
  readonly peers: number;
  /** Remote addresses that peers are on or try. */
  readonly paths: number;
  readonly datagramsSent: number;
  readonly datagramsReceived: number;
  readonly datagramBytesSent: number;
  readonly datagramBytesReceived: number;
  /** How often the socket's send queue was full and sending had to wait. */
  readonly sendStalls: number;
  /** Refusals by the operating system. It is asked about the last datagram of each run to one address. */
  readonly sendErrors: number;
  /** The smallest receive buffer that the operating system granted, in bytes. */
  readonly socketBufferBytes: number;
  /** The record queue that all peers share. */
  readonly records: {
    readonly sealed: number;
    readonly opened: number;
    readonly rejected: number;
    readonly flushes: number;
    /** Mean number of records per flush. */
    readonly meanBatch: number;
  };
  /** What no peer was found for, or no room, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
}
