import type { Machine, Random, Trace } from '@millrace/core';
import type { Certificate, CryptoProvider, Engine, Fingerprint, RecordQueue } from '@millrace/crypto';
import type { DtlsError } from './errors.ts';

/** IANA names of the cipher suites that this package speaks. */
export type CipherSuite =
  | 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'
  | 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM'
  | 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8';

export interface DtlsOptions {
  readonly role: 'client' | 'server';
  /** Required for a server; a client without one answers a request with an empty certificate. */
  readonly certificate?: Certificate;
  /** In order of preference; the server's order decides. Default: `defaultCipherSuites`. */
  readonly cipherSuites?: readonly CipherSuite[];
  readonly engine?: Engine;
  /**
   * What the peer's certificate must match (RFC 8122): one of them suffices, every one with a known
   * hash is compared. Where given, a server demands the client's certificate. May be set later with
   * `setRemoteFingerprints`, as long as no handshake message has come.
   */
  readonly remoteFingerprints?: readonly Fingerprint[];
  /** Takes application data, borrowed until the call returns. */
  onData(data: Uint8Array, start: number, end: number): void;
  /** Shared with other connections; by default records are protected one by one, at once. */
  readonly recordQueue?: RecordQueue;
  /** Server: ask for a cookie first (RFC 6347 section 4.2.1). Default true; off under ICE. */
  readonly cookieExchange?: boolean;
  /** Names the client towards the cookie: its address and port as bytes. */
  readonly clientIdentity?: Uint8Array;
  /** First retransmission of a flight in ms. Default 1000, doubling to 60 s (section 4.2.4.1). */
  readonly initialRetransmitMs?: number;
  /** Largest handshake datagram in bytes. Default 1200. */
  readonly maxDatagramBytes?: number;
  /** Takes lines in the NSS key log format. Whoever has them can read the traffic. */
  readonly keyLog?: (line: string) => void;
  readonly trace?: Trace;
  /** Default: the platform provider of `@millrace/crypto`. */
  readonly crypto?: CryptoProvider;
  /** Default: the provider's. A test injects a seeded one. */
  readonly random?: Random;
}

export type DtlsEvent =
  | { readonly type: 'connected'; readonly cipherSuite: CipherSuite; readonly remoteCertificate?: Uint8Array }
  /** The end. Without an error it was a close_notify of either side. */
  | { readonly type: 'closed'; readonly error?: DtlsError };

export interface DtlsStats {
  readonly recordsSent: number;
  readonly recordsReceived: number;
  readonly handshakeRetransmissions: number;
  /** Dropped records by reason. */
  readonly dropped: Readonly<Record<string, number>>;
}

export interface Dtls extends Machine<DtlsEvent> {
  readonly state: 'new' | 'connecting' | 'connected' | 'closed';
  /** Bytes that a record needs before the payload; fixed once `connected`. */
  readonly headroomBytes: number;
  /** Bytes that a record needs after the payload; fixed once `connected`. */
  readonly tailroomBytes: number;
  readonly stats: DtlsStats;
  readonly cipherSuite: CipherSuite | undefined;
  /** The peer's certificate in DER, once it has come. */
  readonly remoteCertificate: Uint8Array | undefined;
  /** Client: starts the handshake. A server starts with the first ClientHello. */
  connect(now: number): void;
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
  /** RFC 5705. Throws DtlsError 'NOT_CONNECTED' before `connected`. */
  exportKeyingMaterial(label: string, context: Uint8Array | undefined, length: number): Uint8Array;
}
