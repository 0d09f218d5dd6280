import { type CandidatePair, comparePairs } from './candidate-pair.ts';
import type { CheckList } from './check-list.ts';

/** How long better pairs get after the first valid one, in round trips of it and in ms. */
const graceRoundTrips = 2;
const minGraceMs = 10;
const maxGraceMs = 100;
/** After a nomination that was refused or not answered. */
const retryMs = 500;

/** The controlling side's choice: regular nomination (RFC 8445 section 8.1.1), as early as it is good. */
export class Nomination {
  #nominee: CandidatePair | undefined;
  #at = Number.POSITIVE_INFINITY;

  /** The pair to be nominated, or under nomination. */
  get nominee(): CandidatePair | undefined {
    return this.#nominee;
  }

  /** When `choose` is wanted; `Infinity` means never. */
  get at(): number {
    return this.#at;
  }

  /** A pair has become valid: chooses at once where no better one is open, else after a grace. */
  plan(now: number, list: CheckList): void {
    if (this.#nominee !== undefined) return;
    const best = list.best(isValid);
    if (best === undefined) return;
    const isControlling = list.role.isControlling;
    const isBetter = (pair: CandidatePair): boolean => comparePairs(pair, best, isControlling) > 0;
    if (list.count((pair) => pair.state !== 'failed' && isBetter(pair)) === 0) this.choose(list);
    else if (this.#at === Number.POSITIVE_INFINITY) {
      const graceMs = graceRoundTrips * (best.rttMs ?? maxGraceMs);
      this.#at = now + Math.min(maxGraceMs, Math.max(minGraceMs, graceMs));
    }
  }

  /** Takes the best valid pair. */
  choose(list: CheckList): void {
    this.#at = Number.POSITIVE_INFINITY;
    this.#nominee = list.best(isValid);
  }

  /** Moves to a pair that works while the selected one does not. */
  replace(pair: CandidatePair): void {
    this.#nominee ??= pair;
  }

  /** The nomination of `pair` has failed: another try, later, with what is best then. */
  handleFailure(now: number, pair: CandidatePair): void {
    if (this.#nominee !== pair) return;
    this.#nominee = undefined;
    this.#at = now + retryMs;
  }

  stop(): void {
    this.#nominee = undefined;
    this.#at = Number.POSITIVE_INFINITY;
  }
}

/**
 * Controlled side: whether a nominated pair takes the place of the selected one. The newest
 * nomination counts; but where a peer nominates with its first check already, as RFC 5245 allowed,
 * the highest priority does (RFC 8445 section 8.1.1).
 */
export function supersedes(pair: CandidatePair, selected: CandidatePair): boolean {
  return pair.checkedPlainly || comparePairs(pair, selected, false) > 0;
}

function isValid({ state }: CandidatePair): boolean {
  return state === 'succeeded';
}
