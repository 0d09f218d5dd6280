import { type Random, randomUnit } from '@millrace/core';

/** One direction of a simulated path. All probabilities are 0 to 1, all times ms. */
export interface LinkOptions {
  /** One-way base delay. */
  readonly delayMs?: number;
  /** Uniform extra delay per datagram, 0 to this; it reorders where it exceeds their spacing. */
  readonly jitterMs?: number;
  readonly loss?: number;
  readonly duplicate?: number;
  /** Share of datagrams that are held back by `reorderMs`. */
  readonly reorder?: number;
  readonly reorderMs?: number;
  /** Bytes per second that the bottleneck passes; without it the link is infinitely fast. */
  readonly bytesPerSecond?: number;
  /** Bytes that wait in front of the bottleneck; a datagram that does not fit is dropped. */
  readonly queueBytes?: number;
  /** Larger datagrams vanish, as on a path with a small MTU. */
  readonly maxDatagramBytes?: number;
  /** Last word on a datagram: 'drop' it, 'duplicate' it, or hold it back by that many ms. */
  readonly intercept?: (datagram: Uint8Array, index: number, now: number) => 'pass' | 'drop' | 'duplicate' | number;
}

export interface LinkStats {
  sent: number;
  delivered: number;
  lost: number;
  overflowed: number;
  duplicated: number;
  bytesDelivered: number;
}

/** Decides what becomes of each datagram and when it arrives. */
export class Link {
  options: LinkOptions;
  readonly stats: LinkStats = { sent: 0, delivered: 0, lost: 0, overflowed: 0, duplicated: 0, bytesDelivered: 0 };
  readonly #random: Random;
  readonly #schedule: (at: number, datagram: Uint8Array) => void;
  #busyUntil = 0;

  constructor(options: LinkOptions, random: Random, schedule: (at: number, datagram: Uint8Array) => void) {
    this.options = options;
    this.#random = random;
    this.#schedule = schedule;
  }

  /** Takes a datagram at `now`; the bytes are the link's from here on. */
  transmit(now: number, datagram: Uint8Array): void {
    const o = this.options;
    const index = this.stats.sent++;
    const verdict = o.intercept?.(datagram, index, now) ?? 'pass';
    if (verdict === 'drop' || datagram.length > (o.maxDatagramBytes ?? Number.POSITIVE_INFINITY) || this.#chance(o.loss)) {
      this.stats.lost++;
      return;
    }
    let departure = now;
    if (o.bytesPerSecond !== undefined) {
      const backlogMs = Math.max(0, this.#busyUntil - now);
      const backlogBytes = (backlogMs / 1000) * o.bytesPerSecond;
      if (backlogBytes + datagram.length > (o.queueBytes ?? Number.POSITIVE_INFINITY)) {
        this.stats.overflowed++;
        return;
      }
      departure = Math.max(now, this.#busyUntil) + (datagram.length / o.bytesPerSecond) * 1000;
      this.#busyUntil = departure;
    }
    const held = typeof verdict === 'number' ? verdict : 0;
    this.#deliver(departure + held, datagram);
    if (verdict === 'duplicate' || this.#chance(o.duplicate)) {
      this.stats.duplicated++;
      this.#deliver(departure, datagram.slice());
    }
  }

  #deliver(departure: number, datagram: Uint8Array): void {
    const o = this.options;
    let at = departure + (o.delayMs ?? 0);
    if (o.jitterMs) at += randomUnit(this.#random) * o.jitterMs;
    if (this.#chance(o.reorder)) at += o.reorderMs ?? 0;
    this.stats.delivered++;
    this.stats.bytesDelivered += datagram.length;
    this.#schedule(at, datagram);
  }

  #chance(probability: number | undefined): boolean {
    return probability !== undefined && probability > 0 && randomUnit(this.#random) < probability;
  }
}
