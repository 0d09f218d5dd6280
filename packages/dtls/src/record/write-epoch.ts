import { invariant } from '@millrace/core';
import type { RecordCipher, RecordQueue } from '@millrace/crypto';
import type { KeyUsageCounter } from './key-usage.ts';
import { encodeRecordHeader, maxSequenceNumber, recordHeaderBytes } from './record-header.ts';

/** The sending side of one epoch: its keys and its sequence numbers (RFC 6347 section 4.1). */
export class WriteEpoch {
  readonly epoch: number;
  /** Bytes before and after the payload of a record. */
  readonly headroomBytes: number;
  readonly tailroomBytes: number;
  readonly #cipher: RecordCipher | undefined;
  readonly #usage: KeyUsageCounter | undefined;
  #nextSequenceNumber: number;

  /** Without a cipher, records go out as they are: epoch 0. */
  constructor(epoch: number, cipher: RecordCipher | undefined, firstSequenceNumber = 0, usage?: KeyUsageCounter) {
    this.epoch = epoch;
    this.#cipher = cipher;
    this.#usage = usage;
    this.#nextSequenceNumber = firstSequenceNumber;
    this.headroomBytes = recordHeaderBytes + (cipher?.explicitNonceBytes ?? 0);
    this.tailroomBytes = cipher?.tagBytes ?? 0;
  }

  get overheadBytes(): number {
    return this.headroomBytes + this.tailroomBytes;
  }

  get nextSequenceNumber(): number {
    return this.#nextSequenceNumber;
  }

  /**
   * Makes a record of the `length` bytes that stand at `start + headroomBytes` and returns its
   * length. It is final at once.
   */
  seal(type: number, out: Uint8Array, start: number, length: number): number {
    const end = this.#header(type, out, start, length);
    this.#cipher?.sealRecord(out, start, end);
    return end - start;
  }

  /** As `seal`, but the record is final only after the queue's flush. */
  sealThrough(queue: RecordQueue, type: number, out: Uint8Array, start: number, length: number): number {
    invariant(this.#cipher !== undefined, 'an unprotected epoch has no jobs');
    const end = this.#header(type, out, start, length);
    queue.seal(this.#cipher, out, start, end);
    return end - start;
  }

  /** Zeroes the keys. No job of this epoch may be queued. */
  destroy(): void {
    this.#cipher?.destroy();
  }

  #header(type: number, out: Uint8Array, start: number, length: number): number {
    // RFC 6347 section 4.1: a sequence number must never come twice in an epoch.
    invariant(this.#nextSequenceNumber <= maxSequenceNumber, 'the sequence numbers of the epoch are used up');
    const end = start + this.headroomBytes + length + this.tailroomBytes;
    encodeRecordHeader(out, start, type, this.epoch, this.#nextSequenceNumber++, end - start - recordHeaderBytes);
    this.#usage?.countSealed(length);
    return end;
  }
}
