import type { Fingerprint } from '@millrace/crypto';
import type { Config } from './config.ts';
import type { DropReason } from './drop-reason.ts';
import type { DtlsError } from './errors.ts';
import type { CipherSuite, KeyUsage } from './types.ts';

/** Counters that sessions write and `Dtls.stats` shows. */
export interface MutableStats {
  recordsSent: number;
  recordsReceived: number;
  handshakeRetransmissions: number;
  keyUsage: KeyUsage | undefined;
  readonly dropped: Record<string, number>;
}

/** What a session asks of the connection that holds it. */
export interface SessionHost {
  readonly config: Config;
  readonly stats: MutableStats;
  readonly remoteFingerprints: readonly Fingerprint[] | undefined;
  /** First retransmission of a flight. */
  readonly retransmitMs: number;
  drop(reason: DropReason): void;
  trace(now: number, name: string, detail?: Readonly<Record<string, unknown>>): void;
  sessionConnected(now: number, session: Session): void;
  keyLevelPassed(level: 'near' | 'reached', usage: KeyUsage): void;
  sessionEnded(session: Session, error: DtlsError | undefined): void;
}

/**
 * One association: a handshake and the epochs that it sets up. The connection gives it records
 * whose headers are sound, and knows no version beyond this interface.
 */
export interface Session {
  readonly connected: boolean;
  /** The random of the ClientHello that a server session answers. */
  readonly clientRandom: Uint8Array | undefined;
  readonly headroomBytes: number;
  readonly tailroomBytes: number;
  readonly cipherSuite: CipherSuite | undefined;
  readonly remoteCertificate: Uint8Array | undefined;
  /**
   * Takes one record: `data[start, end)` with its header. Application data is only queued; before
   * any other record the connection has flushed the queue.
   */
  handleRecord(now: number, data: Uint8Array, start: number, end: number): void;
  /** Whether a protected record was made with this session's keys. Leaves the bytes alone. */
  authenticates(data: Uint8Array, start: number, end: number): boolean;
  /** Server: the ClientHello that the session answers came once more. */
  handleRepeatedHello(now: number, messageSeq: number): void;
  handleTimeout(now: number): void;
  pollTransmit(now: number, out: Uint8Array, start: number, end: number): number;
  pollTimeout(): number;
  seal(data: Uint8Array, start: number, length: number): number;
  setRetransmitMs(retransmitMs: number): void;
  /** The fingerprints changed: ends the session where the peer's certificate does not match. */
  checkRemoteCertificate(): void;
  exportKeyingMaterial(label: string, context: Uint8Array | undefined, length: number): Uint8Array;
  /** Ends the session with close_notify, after what waits to be sent. */
  close(): void;
  /** Ends the session without a word to the peer. */
  abandon(): void;
}
