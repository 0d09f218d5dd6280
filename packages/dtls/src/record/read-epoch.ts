import { readUint48 } from '@millrace/core';
import type { RecordCipher } from '@millrace/crypto';
import type { DropReason } from '../drop-reason.ts';
import { ReplayWindow } from '../replay-window.ts';
import type { KeyUsageCounter } from './key-usage.ts';
import { maxPlaintextBytes, recordHeaderBytes, recordOffset } from './record-header.ts';

/** The receiving side of a protected epoch: its keys and the records that came (RFC 6347 section 4.1.2). */
export class ReadEpoch {
  readonly cipher: RecordCipher;
  readonly #window: ReplayWindow = new ReplayWindow();
  readonly #usage: KeyUsageCounter;

  constructor(cipher: RecordCipher, usage: KeyUsageCounter) {
    this.cipher = cipher;
    this.#usage = usage;
  }

  /** Why the record is not worth opening, or `undefined`. */
  check(data: Uint8Array, start: number, end: number): DropReason | undefined {
    if (end - start - recordHeaderBytes - this.cipher.explicitNonceBytes - this.cipher.tagBytes > maxPlaintextBytes) {
      return 'oversized-record';
    }
    return this.#window.check(readUint48(data, start + recordOffset.sequenceNumber)) ? undefined : 'replayed';
  }

  /**
   * Settles a record that was opened: why it is dropped, or `undefined` where it is new and
   * authentic. Asks the window again, as a copy may have been opened in the same batch, and moves it
   * only then: a forger must not (section 4.1.2.6).
   */
  settle(data: Uint8Array, start: number, authentic: boolean): DropReason | undefined {
    const sequenceNumber = readUint48(data, start + recordOffset.sequenceNumber);
    if (!this.#window.check(sequenceNumber)) return 'replayed';
    if (!authentic) {
      this.#usage.failedOpens++;
      return 'bad-mac';
    }
    this.#window.commit(sequenceNumber);
    return undefined;
  }

  /** Opens a record at once, in place. */
  open(data: Uint8Array, start: number, end: number): DropReason | undefined {
    return this.check(data, start, end) ?? this.settle(data, start, this.cipher.openRecord(data, start, end));
  }

  payloadStart(start: number): number {
    return start + recordHeaderBytes + this.cipher.explicitNonceBytes;
  }

  payloadEnd(end: number): number {
    return end - this.cipher.tagBytes;
  }
}
