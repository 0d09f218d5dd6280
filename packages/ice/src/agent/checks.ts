import { type Random, randomBytes } from '@millrace/core';
import { stun } from '../stun/stun-constants.ts';
import type { CandidatePair } from './candidate-pair.ts';
import type { CheckList } from './check-list.ts';
import { Pacing } from './pacing.ts';
import { type Transaction, Transactions } from './transactions.ts';

/** RFC 8445 section 14.3. */
const minInitialRtoMs = 500;
/** Once a round trip is known: twice that, within these bounds. */
const minKnownRtoMs = 100;
const maxKnownRtoMs = 500;

/** Which pair is checked when, and what is under way (RFC 8445 section 6.1.4). */
export class Checks {
  readonly transactions: Transactions = new Transactions();
  readonly #list: CheckList;
  readonly #random: Random;
  readonly #paceMs: number;
  readonly #pacing: Pacing;
  readonly #triggered = new Set<CandidatePair>();

  constructor(list: CheckList, random: Random, paceMs: number) {
    this.#list = list;
    this.#random = random;
    this.#paceMs = paceMs;
    this.#pacing = new Pacing(paceMs);
  }

  get hasTriggered(): boolean {
    return this.#triggered.size > 0;
  }

  /** When the next ordinary check may go; `Infinity` where there is none to make. */
  get ordinaryAt(): number {
    return this.#list.nextPair() === undefined ? Number.POSITIVE_INFINITY : this.#pacing.nextAt;
  }

  /** Whether there is a pair, and no check of it under way. */
  isFree(pair: CandidatePair | undefined): pair is CandidatePair {
    return pair !== undefined && this.transactions.findActive(pair) === undefined;
  }

  /** RFC 8445 section 7.3.1.4: the peer has checked this pair, so ours has a good chance now. */
  trigger(now: number, pair: CandidatePair): void {
    const underWay = pair.state === 'in-progress' ? this.transactions.findActive(pair) : undefined;
    if (underWay === undefined) this.repeat(pair);
    else {
      // Sent again instead of anew: what was sent may have been lost before the way was open. Not above the pace.
      underWay.nextAt = Math.min(underWay.nextAt, Math.max(now, underWay.lastSentAt + this.#paceMs));
    }
  }

  /** Checks a pair as soon as possible. */
  repeat(pair: CandidatePair): void {
    pair.state = 'waiting';
    this.#triggered.add(pair);
  }

  startTriggered(now: number): Transaction | undefined {
    for (const pair of this.#triggered) {
      this.#triggered.delete(pair);
      if (pair.state === 'waiting') return this.start(now, pair, false);
    }
    return undefined;
  }

  startOrdinary(now: number): Transaction | undefined {
    const pair = now >= this.#pacing.nextAt ? this.#list.nextPair() : undefined;
    return pair === undefined ? undefined : this.start(now, pair, false);
  }

  start(now: number, pair: CandidatePair, useCandidate: boolean): Transaction {
    if (!useCandidate) pair.state = 'in-progress';
    this.#pacing.sent(now);
    return this.#startTransaction(now, pair, 'check', useCandidate);
  }

  /** A request that is sent once; its answer is good for `giveUpMs`. */
  startConsent(now: number, pair: CandidatePair, giveUpMs: number): Transaction {
    return this.#startTransaction(now, pair, 'consent', false, giveUpMs);
  }

  /** A pair is valid: other checks of it are pointless, its like are worth one. */
  handleSuccess(pair: CandidatePair): void {
    this.transactions.cancel((other) => other.pair === pair && !other.useCandidate);
    if (pair.state === 'succeeded') return;
    pair.state = 'succeeded';
    this.#triggered.delete(pair);
    this.#list.unfreezeLike(pair);
  }

  /** RFC 8445 section 8.1.2: with the nomination of one pair the others need no more attempts. */
  stopOthers(selected: CandidatePair): void {
    this.transactions.cancel(({ pair }) => pair !== selected);
    for (const pair of this.#list.pairs) {
      if (pair.state === 'in-progress' || pair.state === 'waiting') pair.state = 'frozen';
    }
    this.#triggered.clear();
  }

  /** The path in use is in doubt: another may have come up, by a changed NAT binding or another interface. */
  resumeOthers(active: CandidatePair): void {
    for (const pair of this.#list.pairs) {
      if (pair !== active && pair.state !== 'in-progress') pair.state = 'waiting';
    }
  }

  clear(): void {
    this.transactions.clear();
    this.#triggered.clear();
  }

  #startTransaction(
    now: number,
    pair: CandidatePair,
    kind: Transaction['kind'],
    useCandidate: boolean,
    giveUpMs?: number,
  ): Transaction {
    const id = randomBytes(this.#random, stun.transactionIdBytes);
    const { isControlling, tieBreaker } = this.#list.role;
    const fields = { id, pair, kind, isControlling, tieBreaker, useCandidate, rtoMs: this.#rtoMs(pair) };
    return this.transactions.start(now, fields, giveUpMs);
  }

  #rtoMs(pair: CandidatePair): number {
    if (pair.rttMs !== undefined) return Math.min(maxKnownRtoMs, Math.max(minKnownRtoMs, 2 * pair.rttMs));
    const active = this.#list.count(({ state }) => state === 'waiting' || state === 'in-progress');
    return Math.max(minInitialRtoMs, this.#paceMs * active);
  }
}
