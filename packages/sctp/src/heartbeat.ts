import { type Random, randomBytes, randomUnit, Timer } from '@millrace/core';
import { bytesEqual } from '@millrace/core';
import { chunkHeaderBytes, encodeChunk, encodeParameter } from './packet/chunk.ts';
import { chunkType } from './packet/chunk-type.ts';
import type { Rto } from './tx/rto.ts';

/*
 * HEARTBEAT and HEARTBEAT ACK (RFC 9260 sections 3.3.5 and 3.3.6) carry one parameter, type 1, of
 * the sender's own making, which comes back as it is. Ours is eight random bytes.
 */

/** HB.interval (RFC 9260 section 16). */
const intervalMs = 30_000;
const heartbeatInfo = 1;
const nonceBytes = 8;

/** Asks an idle peer whether it is alive (RFC 9260 section 8.3). */
export class Heartbeat {
  readonly #rto: Rto;
  readonly #random: Random;
  readonly #interval: Timer = new Timer();
  readonly #answer: Timer = new Timer();
  #nonce: Uint8Array | undefined;
  #sentAt = 0;

  constructor(now: number, rto: Rto, random: Random) {
    this.#rto = rto;
    this.#random = random;
    this.#restart(now);
  }

  get deadline(): number {
    return Math.min(this.#interval.deadline, this.#answer.deadline);
  }

  /** Data was acknowledged: the path is known to be alive. */
  handleProgress(now: number): void {
    // Moving the deadline is all; a heartbeat under way is still waited for.
    if (this.#nonce === undefined) this.#interval.start(now, intervalMs + this.#rto.rtoMs);
  }

  /** True where a heartbeat went unanswered. `send` gets a new one when it is time. */
  handleTimeout(now: number, send: (chunk: Uint8Array) => void): boolean {
    const unanswered = this.#answer.expired(now);
    if (unanswered) {
      this.#nonce = undefined;
      this.#restart(now);
    }
    if (!this.#interval.expired(now)) return unanswered;
    this.#nonce = randomBytes(this.#random, nonceBytes);
    this.#sentAt = now;
    this.#answer.start(now, this.#rto.rtoMs);
    send(encodeChunk(chunkType.heartbeat, 0, encodeParameter(heartbeatInfo, this.#nonce)));
    return unanswered;
  }

  /** True where the answer is to our present question; one made up or late says nothing. */
  handleAck(now: number, data: Uint8Array, at: number, length: number): boolean {
    const from = at + chunkHeaderBytes + 4;
    if (this.#nonce === undefined || length !== chunkHeaderBytes + 4 + nonceBytes) return false;
    if (!bytesEqual(data.subarray(from, from + nonceBytes), this.#nonce)) return false;
    this.#rto.handleRtt(now - this.#sentAt);
    this.#nonce = undefined;
    this.#answer.stop();
    this.#restart(now);
    return true;
  }

  #restart(now: number): void {
    // RFC 9260 section 8.3: the RTO with a jitter of half of it, either way, on top of the interval.
    this.#interval.start(now, intervalMs + this.#rto.rtoMs * (0.5 + randomUnit(this.#random)));
  }
}
