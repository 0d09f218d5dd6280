import type { Machine, Random, Trace } from '@millrace/core';
import type { Certificate, CryptoProvider, Engine, Fingerprint, GroupName, RecordQueue } from '@millrace/crypto';
import type { DtlsError } from './errors.ts';

/** IANA names of the cipher suites that this package speaks. */
export type CipherSuite =
  | 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256'
  | 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'
  | 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM'
  | 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8';

export interface DtlsOptions {
  readonly role: 'client' | 'server';
  /** Required for a server; a client without one answers a request with an empty certificate. */
  readonly certificate?: Certificate;
  /** In order of preference; the server's order decides. Default: `defaultCipherSuites`. */
  readonly cipherSuites?: readonly CipherSuite[];
  /**
   * For the key agreement, in order of preference; the server's order decides. Default:
   * `defaultGroups`. Some servers (OpenSSL) want the curve of their certificate among them.
   */
  readonly groups?: readonly GroupName[];
  readonly engine?: Engine;
  /**
   * What the peer's certificate must match (RFC 8122): of each known hash that is listed, one value.
   * Where given, a server demands the client's certificate. May be set later with
   * `setRemoteFingerprints`. Without fingerprints any certificate is accepted, and it is up to the
   * caller to look at `remoteCertificate`.
   */
  readonly remoteFingerprints?: readonly Fingerprint[];
  /**
   * Server: ask for the client's certificate although `remoteFingerprints` are not known yet, as
   * under trickled signaling. Default: whether they are given.
   */
  readonly requestClientCertificate?: boolean;
  /**
   * Takes application data, borrowed until the call returns. It may be called in the very call in
   * which the handshake completes, before `connected` was polled; never before the peer's Finished
   * and certificate were verified.
   */
  onData(data: Uint8Array, start: number, end: number): void;
  /** Shared with other connections; by default records are protected one by one, at once. */
  readonly recordQueue?: RecordQueue;
  /**
   * Server: ask for a cookie first (RFC 6347 section 4.2.1), and let a client that lost its state
   * begin anew (section 4.2.8). Default true; off under ICE.
   */
  readonly cookieExchange?: boolean;
  /** Names the client towards the cookie: its address and port as bytes. */
  readonly clientIdentity?: Uint8Array;
  /**
   * Server: key of the cookie's HMAC, at least 16 bytes. Default: random, for this object alone.
   * With a shared one, an object whose `state` is still 'new' may be dropped after any datagram.
   */
  readonly cookieSecret?: Uint8Array;
  /** First retransmission of a flight in ms. Default 1000, doubling to 60 s (section 4.2.4.1). */
  readonly initialRetransmitMs?: number;
  /** The handshake ends with 'TIMEOUT' after this many ms. Default 30 000. */
  readonly handshakeTimeoutMs?: number;
  /** Largest handshake datagram in bytes. Default 1200. */
  readonly maxDatagramBytes?: number;
  /**
   * Records sealed under one key before the connection closes with 'SEQUENCE_EXHAUSTED'. Default
   * 2^48, all sequence numbers of an epoch; fewer keep to a tighter limit of the cipher.
   */
  readonly maxRecordsPerEpoch?: number;
  /**
   * Close with 'KEY_LIMIT_REACHED' when the sealing key has encrypted as much as RFC 9147 section
   * 4.5.3 allows: 2^34 AES blocks with CCM, which takes each twice (some 130 GB), 2^34.5 with GCM
   * (some 380 GB). Default false: the events and the stats say so, as DTLS 1.2 has no new key to
   * go to under way.
   */
  readonly enforceKeyLimits?: boolean;
  readonly limits?: DtlsLimits;
  /** Takes lines in the NSS key log format. Whoever has them can read the traffic. */
  readonly keyLog?: (line: string) => void;
  readonly trace?: Trace;
  /** Default: the platform provider of `@millrace/crypto`. */
  readonly crypto?: CryptoProvider;
  /** Default: the provider's. A test injects a seeded one. */
  readonly random?: Random;
}

/** Bounds on what a peer can make us hold. */
export interface DtlsLimits {
  /** Largest handshake message in bytes. Default 16 384. */
  readonly maxMessageBytes?: number;
  /** Bytes of handshake messages that are incomplete or not yet their turn. Default 65 536. */
  readonly maxBufferedBytes?: number;
  /** Records that came ahead of their keys or of the peer's Finished. Default 16. */
  readonly maxEarlyRecords?: number;
  /** Their bytes together. Default 16 384. */
  readonly maxEarlyBytes?: number;
}

export type DtlsEvent =
  | { readonly type: 'connected'; readonly cipherSuite: CipherSuite; readonly remoteCertificate?: Uint8Array }
  /**
   * Server with a cookie exchange: the client lost its state and completed a new handshake from the
   * same address (RFC 6347 section 4.2.8). What it was sent before may be lost.
   */
  | { readonly type: 'restarted'; readonly cipherSuite: CipherSuite; readonly remoteCertificate?: Uint8Array }
  /**
   * The sealing key nears its limit: once at 90 % of it, and once when it is reached, unless
   * `enforceKeyLimits` closes the connection then. A new connection has new keys.
   */
  | { readonly type: 'keyUsage'; readonly level: 'near' | 'reached'; readonly usage: KeyUsage }
  /** The end. Without an error it was a close_notify of either side. */
  | { readonly type: 'closed'; readonly error?: DtlsError };

/** What the keys in use have been used for (RFC 9147 section 4.5.3). */
export interface KeyUsage {
  /** AES blocks that the sealing key has encrypted, those of records' MACs included. */
  readonly sealedBlocks: number;
  /** How many it may; Infinity with ChaCha20-Poly1305, whose sequence numbers end first. */
  readonly sealLimitBlocks: number;
  /** Records sealed after the limit was reached. */
  readonly recordsBeyondLimit: number;
  /** Records that the opening key has refused: forged or damaged. They never end a connection. */
  readonly failedOpens: number;
  /** How many make a successful forgery likely enough to be worth a new connection. */
  readonly failedOpensLimit: number;
}

export interface DtlsStats {
  /** Records of all kinds that were sealed. */
  readonly recordsSent: number;
  /** Records of all kinds that were accepted. */
  readonly recordsReceived: number;
  /** Flights that were sent again. */
  readonly handshakeRetransmissions: number;
  /** Of the keys of the association, once there are any; kept when it has ended. */
  readonly keyUsage: KeyUsage | undefined;
  /** Dropped records by reason. */
  readonly dropped: Readonly<Record<string, number>>;
}

export interface Dtls extends Machine<DtlsEvent> {
  /** A server is 'new' until a ClientHello (with a valid cookie, where asked for) has come. */
  readonly state: 'new' | 'connecting' | 'connected' | 'closed';
  /** Bytes that a record needs before the payload; fixed once `connected`, until `restarted`. */
  readonly headroomBytes: number;
  /** Bytes that a record needs after the payload; fixed once `connected`, until `restarted`. */
  readonly tailroomBytes: number;
  readonly stats: DtlsStats;
  readonly cipherSuite: CipherSuite | undefined;
  /** The peer's certificate in DER, once it has come. */
  readonly remoteCertificate: Uint8Array | undefined;
  /** Client: starts the handshake. A server starts with the first ClientHello. */
  connect(now: number): void;
  /**
   * Sets what the peer's certificate must match. A certificate that has come already is checked at
   * once: a mismatch closes the connection with 'FINGERPRINT_MISMATCH'.
   */
  setRemoteFingerprints(fingerprints: readonly Fingerprint[]): void;
  /** Sets the flight timer from the path's round trip: 1.5 times it, at least 50 ms. */
  setRoundTripTime(rttMs: number): void;
  /**
   * Protects `length` bytes of application data that stand at `start + headroomBytes` and returns
   * the length of the record, which begins at `start`. The bytes are final only after the record
   * queue's flush. Throws DtlsError 'NOT_CONNECTED' before and after the connection.
   */
  seal(data: Uint8Array, start: number, length: number): number;
  /** Sends close_notify; what is queued before still goes out. */
  close(now: number): void;
  /**
   * RFC 5705; `length` fresh bytes. Throws DtlsError 'NOT_CONNECTED' before and after the connection,
   * and 'EXPORT_REFUSED' where the peer does not know the extended master secret.
   */
  exportKeyingMaterial(label: string, context: Uint8Array | undefined, length: number): Uint8Array;
}
