import { type Random, randomUnit } from '@millrace/core';

/** After so many consent checks without an answer the path counts as disturbed. */
const maxUnanswered = 2;

/** Consent to send on the path in use (RFC 7675 section 5.1). */
export class Consent {
  readonly #intervalMs: number;
  readonly #timeoutMs: number;
  readonly #random: Random;
  #nextAt = Number.POSITIVE_INFINITY;
  #expiresAt = Number.POSITIVE_INFINITY;
  #unanswered = 0;

  constructor(intervalMs: number, timeoutMs: number, random: Random) {
    this.#intervalMs = intervalMs;
    this.#timeoutMs = timeoutMs;
    this.#random = random;
  }

  get nextAt(): number {
    return this.#nextAt;
  }

  get expiresAt(): number {
    return this.#expiresAt;
  }

  /** How long an answer is still good for: as long as the consent itself. */
  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  /** Whether the checks so far say that something is wrong. */
  get isDisturbed(): boolean {
    return this.#unanswered >= maxUnanswered;
  }

  /** Takes over a pair that was answered last at `answeredAt`. */
  start(now: number, answeredAt: number): void {
    this.#schedule(now);
    this.answered(answeredAt);
  }

  answered(now: number): void {
    this.#unanswered = 0;
    this.#expiresAt = now + this.#timeoutMs;
  }

  /** A check goes out now. */
  sent(now: number): void {
    this.#unanswered++;
    this.#schedule(now);
  }

  stop(): void {
    this.#nextAt = Number.POSITIVE_INFINITY;
    this.#expiresAt = Number.POSITIVE_INFINITY;
  }

  #schedule(now: number): void {
    // 0.8 to 1.2, so that checks of many peers don't fall into step.
    this.#nextAt = now + this.#intervalMs * (0.8 + 0.4 * randomUnit(this.#random));
  }
}
