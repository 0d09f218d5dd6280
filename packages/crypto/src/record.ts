import type { Engine } from './aead.ts';

/** The AEAD algorithms that protect records. */
export type RecordAlgorithm = 'AES-128-CCM' | 'AES-128-CCM-8' | 'AES-128-GCM' | 'AES-256-GCM' | 'CHACHA20-POLY1305';

/**
 * Protects the DTLS 1.2 records of one key in one direction (RFC 6347 section 4.1.2, RFC 5246
 * section 6.2.3.3).
 *
 * A record in `data[start, end)` is `[13 header][explicit nonce][payload][tag]`. The header's
 * length field already counts nonce, payload and tag; epoch and sequence number stand in the
 * header, and the additional data follows from it. With AES-CCM and AES-GCM the nonce is the
 * 4-byte salt and the 8 explicit bytes that stand in the record (RFC 5288, RFC 6655); the sealing
 * side writes epoch and sequence number there.
 */
export interface RecordCipher {
  readonly algorithm: RecordAlgorithm;
  readonly engine: Engine;
  /** Bytes between header and payload: 8, or 0 where the nonce is implicit (RFC 7905). */
  readonly explicitNonceBytes: 0 | 8;
  readonly tagBytes: 8 | 16;
  /** Writes the explicit nonce, encrypts the payload in place and writes the tag. */
  sealRecord(data: Uint8Array, start: number, end: number): void;
  /** Decrypts in place. False, and the payload wiped, where the record is not authentic. */
  openRecord(data: Uint8Array, start: number, end: number): boolean;
  /** Zeroes and forgets the keys. Call it only when no job of this cipher is queued. */
  destroy(): void;
}

/** Called once per opened record, in the order of the jobs. */
export interface RecordSink {
  /**
   * `data[start, end)` is the record as it was given to `RecordQueue.open`; where `authentic`, its
   * payload is plaintext now. The bytes are borrowed until the call returns.
   */
  recordOpened(data: Uint8Array, start: number, end: number, authentic: boolean): void;
}

/**
 * Jobs of many connections, protected together: kernels take several records per call, each with
 * its own key. Jobs are done in order. Record bytes are borrowed until `flush` returns; nothing
 * unflushed may reach a socket.
 */
export interface RecordQueue {
  seal(cipher: RecordCipher, data: Uint8Array, start: number, end: number): void;
  open(cipher: RecordCipher, data: Uint8Array, start: number, end: number, sink: RecordSink): void;
  /** Does all queued jobs and calls the sinks. A sink may queue further jobs; they are done too. */
  flush(): void;
  readonly pending: number;
  readonly stats: RecordQueueStats;
}

export interface RecordQueueStats {
  readonly sealed: number;
  readonly opened: number;
  readonly rejected: number;
  readonly flushes: number;
  /** Calls that protected two records or more together, and how many records these had. */
  readonly batches: number;
  readonly batchedRecords: number;
  /** The mean number of records per flush; 0 before the first one. */
  readonly recordsPerFlush: number;
}
