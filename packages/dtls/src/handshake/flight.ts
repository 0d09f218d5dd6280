import { Timer } from '@millrace/core';
import { contentType } from '../record/record-header.ts';
import type { WriteEpoch } from '../record/write-epoch.ts';
import { encodeHandshakeHeader, handshakeHeaderBytes } from './handshake-header.ts';
import type { HandshakeMessage } from './handshake-message.ts';

/** One message of a flight; without a handshake message it is ChangeCipherSpec. */
export interface FlightMessage {
  readonly epoch: 0 | 1;
  readonly handshake: HandshakeMessage | undefined;
}

export interface FlightOptions {
  readonly initialRetransmitMs: number;
  readonly maxDatagramBytes: number;
}

/** RFC 6347 section 4.2.4.1: the timer doubles up to the maximum of RFC 6298. */
export const maxRetransmitMs = 60_000;

/** A fragment smaller than this waits for the next datagram, unless the message ends with it. */
const minFragmentBytes = 64;

/**
 * Copies of one message of the peer, made by the network, must not each call forth a whole flight;
 * a peer's own retransmissions are further apart than this.
 */
const minRepeatMs = 20;

/** After that many expiries the path may be too narrow (RFC 6347 section 4.1.1.1). */
const expiriesBeforeSmallDatagrams = 3;
/** What any IPv4 path takes: 576 bytes less the IP and UDP headers. */
const smallDatagramBytes = 548;

/**
 * The messages that were sent last, and the timer that sends them again until the peer's answer is
 * complete (RFC 6347 section 4.2.4). Messages are cut and packed anew in every transmission.
 */
export class Flight {
  readonly #maxDatagramBytes: number;
  readonly #timer: Timer = new Timer();
  #messages: readonly FlightMessage[] = [];
  #awaitsAnswer = false;
  /** The next byte to send: a message, and an offset into its body. */
  #index = 0;
  #offset = 0;
  #sentAt = Number.NEGATIVE_INFINITY;
  #retransmitMs: number;
  /** The present timer is `retransmitMs * 2^backoff`. */
  #backoff = 0;
  #expiries = 0;
  #resent = false;

  constructor(options: FlightOptions) {
    this.#maxDatagramBytes = options.maxDatagramBytes;
    this.#retransmitMs = options.initialRetransmitMs;
  }

  /** When `handleTimeout` is wanted. */
  get deadline(): number {
    return this.#timer.deadline;
  }

  /** True while bytes of this transmission wait for `pollTransmit`. */
  get sending(): boolean {
    return this.#index < this.#messages.length;
  }

  /** Replaces the flight. The last flight of a handshake awaits no answer and has no timer. */
  begin(messages: readonly FlightMessage[], awaitsAnswer: boolean): void {
    // Section 4.2.4.1: the back-off is kept until a flight came through without loss.
    if (!this.#resent) this.#backoff = 0;
    this.#messages = messages;
    this.#awaitsAnswer = awaitsAnswer;
    this.#expiries = 0;
    this.#resent = false;
    this.#restart();
  }

  /** The answer is complete, or the handshake over: nothing is sent again. */
  stop(): void {
    this.#messages = [];
    this.#restart();
  }

  /** Lets the transmission under way end and nothing be sent again. */
  finish(): void {
    this.#timer.stop();
    this.#awaitsAnswer = false;
    if (!this.sending) this.#messages = [];
  }

  /** The base of the timer, from now on and for the flight under way. */
  setRetransmitMs(retransmitMs: number): void {
    this.#retransmitMs = retransmitMs;
    if (this.#timer.running) this.#timer.start(this.#sentAt, this.#timeoutMs);
  }

  /** Starts the flight over where its timer has run out; true where it has. */
  handleTimeout(now: number): boolean {
    if (!this.#timer.expired(now)) return false;
    this.#expiries++;
    this.#resent = true;
    this.#backoff++;
    this.#restart();
    return true;
  }

  /** The peer sent its own flight again, so ours was lost (section 4.2.4); true where it is resent. */
  repeat(now: number): boolean {
    if (this.#messages.length === 0 || this.sending || now - this.#sentAt < minRepeatMs) return false;
    this.#resent = true;
    this.#restart();
    return true;
  }

  /** Packs the next records into one datagram in `out[start, end)`; its length, or 0. */
  pollTransmit(
    now: number,
    out: Uint8Array,
    start: number,
    end: number,
    epochs: readonly (WriteEpoch | undefined)[],
    sent: (contentType: number) => void,
  ): number {
    if (!this.sending) return 0;
    const limit = Math.min(end, start + this.#datagramBytes);
    let at = start;
    while (this.sending) {
      const message = this.#messages[this.#index]!;
      const epoch = epochs[message.epoch]!;
      const written = this.#writeRecord(message, epoch, out, at, limit);
      if (written === 0) break;
      sent(message.handshake === undefined ? contentType.changeCipherSpec : contentType.handshake);
      at += written;
    }
    if (!this.sending) {
      this.#sentAt = now;
      if (this.#awaitsAnswer) this.#timer.start(now, this.#timeoutMs);
    }
    return at - start;
  }

  get #timeoutMs(): number {
    return Math.min(maxRetransmitMs, this.#retransmitMs * 2 ** this.#backoff);
  }

  get #datagramBytes(): number {
    const narrow = this.#expiries >= expiriesBeforeSmallDatagrams;
    return narrow ? Math.min(smallDatagramBytes, this.#maxDatagramBytes) : this.#maxDatagramBytes;
  }

  #restart(): void {
    this.#index = 0;
    this.#offset = 0;
    this.#timer.stop();
  }

  #writeRecord(message: FlightMessage, epoch: WriteEpoch, out: Uint8Array, at: number, limit: number): number {
    const { handshake } = message;
    const payload = at + epoch.headroomBytes;
    const room = limit - at - epoch.overheadBytes;
    if (handshake === undefined) {
      if (room < 1) return 0;
      out[payload] = 1;
      this.#index++;
      return epoch.seal(contentType.changeCipherSpec, out, at, 1);
    }
    const { type, messageSeq, body } = handshake;
    const left = body.length - this.#offset;
    const fragmentLength = Math.min(left, room - handshakeHeaderBytes);
    if (fragmentLength < Math.min(left, minFragmentBytes)) return 0;
    const fragmentOffset = this.#offset;
    encodeHandshakeHeader(out, payload, { type, length: body.length, messageSeq, fragmentOffset, fragmentLength });
    out.set(body.subarray(fragmentOffset, fragmentOffset + fragmentLength), payload + handshakeHeaderBytes);
    this.#offset += fragmentLength;
    if (this.#offset === body.length) {
      this.#index++;
      this.#offset = 0;
    }
    return epoch.seal(contentType.handshake, out, at, handshakeHeaderBytes + fragmentLength);
  }
}
