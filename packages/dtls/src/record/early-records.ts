import { copyOf } from '@millrace/core';
export interface EarlyRecordLimits {
  readonly maxEarlyRecords: number;
  readonly maxEarlyBytes: number;
}

/**
 * Keeps copies of records that came before they can be handled: ahead of their keys, or ahead of
 * the peer's Finished (RFC 6347 section 4.1). What does not fit is refused; the peer sends again.
 */
export class EarlyRecords {
  readonly #limits: EarlyRecordLimits;
  #records: Uint8Array[] = [];
  #bytes = 0;

  constructor(limits: EarlyRecordLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#records.length;
  }

  /** Copies a record. False where there is no room. */
  keep(data: Uint8Array, start: number, end: number): boolean {
    const { maxEarlyRecords, maxEarlyBytes } = this.#limits;
    if (this.#records.length >= maxEarlyRecords || this.#bytes + end - start > maxEarlyBytes) return false;
    this.#records.push(copyOf(data, start, end));
    this.#bytes += end - start;
    return true;
  }

  /** Hands all records over, oldest first. */
  take(): Uint8Array[] {
    const records = this.#records;
    this.#records = [];
    this.#bytes = 0;
    return records;
  }
}
