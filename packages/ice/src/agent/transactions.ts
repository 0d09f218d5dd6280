import { bytesEqual } from '@millrace/core';
import type { CandidatePair } from './candidate-pair.ts';

/** A Binding request that an answer is awaited for. */
export interface Transaction {
  readonly id: Uint8Array;
  readonly pair: CandidatePair;
  readonly kind: 'check' | 'consent';
  readonly isControlling: boolean;
  readonly tieBreaker: Uint8Array;
  readonly useCandidate: boolean;
  readonly rtoMs: number;
  sends: number;
  lastSentAt: number;
  /** When it is sent again, or given up where that was the last time. */
  nextAt: number;
  /** Not sent again, and no failure if it stays unanswered (RFC 8445 section 7.3.1.4). */
  isCanceled: boolean;
}

/** Rc and Rm of RFC 8489 section 6.2.1. */
const maxSends = 7;
const lastWaitFactor = 16;
/** A bound on what is kept for late answers. */
const maxTransactions = 128;

/** Requests under way, with the retransmission of RFC 8489 section 6.2.1. */
export class Transactions {
  readonly #list: Transaction[] = [];

  get nextAt(): number {
    let nextAt = Number.POSITIVE_INFINITY;
    for (const transaction of this.#list) nextAt = Math.min(nextAt, transaction.nextAt);
    return nextAt;
  }

  /** Starts one; its first transmission is the caller's. `giveUpMs` instead of retransmissions, where given. */
  start(
    now: number,
    fields: Pick<Transaction, 'id' | 'pair' | 'kind' | 'isControlling' | 'tieBreaker' | 'useCandidate' | 'rtoMs'>,
    giveUpMs?: number,
  ): Transaction {
    if (this.#list.length === maxTransactions) this.#list.shift();
    const transaction: Transaction = {
      ...fields,
      sends: 1,
      lastSentAt: now,
      nextAt: now + (giveUpMs ?? fields.rtoMs),
      isCanceled: giveUpMs !== undefined,
    };
    this.#list.push(transaction);
    return transaction;
  }

  find(id: Uint8Array): Transaction | undefined {
    return this.#list.find((transaction) => bytesEqual(transaction.id, id));
  }

  /** The check of a pair that is still being retransmitted. */
  findActive(pair: CandidatePair): Transaction | undefined {
    return this.#list.find((transaction) => transaction.pair === pair && !transaction.isCanceled);
  }

  remove(transaction: Transaction): void {
    const index = this.#list.indexOf(transaction);
    if (index >= 0) this.#list.splice(index, 1);
  }

  /** No more retransmissions of those that `concerns` names. */
  cancel(concerns: (transaction: Transaction) => boolean): void {
    for (const transaction of this.#list) {
      if (!transaction.isCanceled && concerns(transaction)) {
        transaction.isCanceled = true;
        transaction.nextAt = transaction.lastSentAt + transaction.rtoMs * lastWaitFactor;
      }
    }
  }

  /** The next one to send again at `now`; it counts as sent when this returns. */
  takeRetransmission(now: number): Transaction | undefined {
    const due = this.#list.find(({ nextAt, sends, isCanceled }) => nextAt <= now && !isCanceled && sends < maxSends);
    if (due === undefined) return undefined;
    due.sends++;
    due.lastSentAt = now;
    due.nextAt = now + due.rtoMs * (due.sends === maxSends ? lastWaitFactor : 2 ** (due.sends - 1));
    return due;
  }

  /** Removes one that was given up at `now` and returns it. */
  takeExpired(now: number): Transaction | undefined {
    const expired = this.#list.find(({ nextAt, sends, isCanceled }) => nextAt <= now && (isCanceled || sends === maxSends));
    if (expired !== undefined) this.remove(expired);
    return expired;
  }

  clear(): void {
    this.#list.length = 0;
  }
}
