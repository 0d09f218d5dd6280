import { unwrap32 } from '@millrace/core';
import { SackPolicy } from './sack-policy.ts';
import { TsnRanges } from './tsn-ranges.ts';

/** TSNs further ahead than this are not taken: no window holds so many, and what is kept per TSN is bounded. */
const maxTsnsAhead = 131_072;

/** Ranges above the cumulative TSN; a peer that makes more holes has its chunks dropped until some are filled. */
const maxRanges = 8192;

/** Duplicates that one SACK reports at most. */
const maxDuplicates = 16;

/**
 * Which TSNs have been received, and when that has to be said. It knows nothing of streams and
 * messages. TSNs count up from 0 for the peer's initial one.
 */
export class DataTracker {
  readonly #initialTsn: number;
  readonly ranges: TsnRanges = new TsnRanges();
  readonly policy: SackPolicy = new SackPolicy();
  /** The highest TSN that has been received with all before it. */
  cumulativeTsn = -1;
  highestTsn = -1;
  readonly duplicates: number[] = [];

  constructor(initialTsn: number) {
    this.#initialTsn = initialTsn;
  }

  unwrap(wireTsn: number): number {
    return unwrap32(wireTsn - this.#initialTsn, this.cumulativeTsn);
  }

  wrap(tsn: number): number {
    return (this.#initialTsn + tsn) >>> 0;
  }

  /** What to do with a DATA chunk: 'new', 'duplicate', or 'far' where it can't be kept track of. */
  classify(tsn: number): 'new' | 'duplicate' | 'far' {
    if (tsn <= this.cumulativeTsn) return 'duplicate';
    if (tsn === this.cumulativeTsn + 1) return 'new';
    if (tsn > this.cumulativeTsn + maxTsnsAhead) return 'far';
    if (tsn <= this.highestTsn && this.ranges.has(tsn)) return 'duplicate';
    return this.ranges.length >= maxRanges && this.ranges.isApart(tsn) ? 'far' : 'new';
  }

  isPlausibleForward(tsn: number): boolean {
    return tsn <= this.cumulativeTsn + maxTsnsAhead;
  }

  /** A new chunk has been kept. */
  add(tsn: number): void {
    if (tsn > this.highestTsn) this.highestTsn = tsn;
    if (tsn !== this.cumulativeTsn + 1) {
      this.ranges.add(tsn);
      // RFC 9260 section 6.7: at once when a gap is seen, or one is being filled.
      this.policy.handleGap();
      return;
    }
    if (this.ranges.length === 0) {
      this.cumulativeTsn = tsn;
      return;
    }
    this.cumulativeTsn = this.ranges.advance(tsn);
    this.policy.handleGap();
  }

  handleDuplicate(tsn: number): void {
    if (this.duplicates.length < maxDuplicates) this.duplicates.push(this.wrap(tsn));
    // RFC 9260 section 6.2: at once on a duplicate.
    this.policy.handleDuplicate();
  }

  /** The peer has given up everything up to `tsn` (RFC 3758 section 3.6). */
  handleForwardTsn(tsn: number): void {
    if (tsn > this.highestTsn) this.highestTsn = tsn;
    this.cumulativeTsn = this.ranges.advance(tsn);
  }
}
