import type { DropReason } from '../drop-reason.ts';
import type { Failure } from '../failure.ts';
import {
  type HandshakeHeader,
  decodeHandshakeHeader,
  handshakeHeaderBytes,
  handshakeType,
} from '../handshake/handshake-header.ts';
import { Reassembly, type ReassemblyLimits } from '../handshake/reassembly.ts';
import type { Handshake } from './handshake-context.ts';

/** What the intake asks of the session around it. */
export interface MessageIntakeHost {
  drop(reason: DropReason): void;
  /** The last message of the flight that we answered came again: our answer was lost. */
  flightRepeated(now: number): void;
}

/** Takes handshake records apart and gives whole messages to the state machine, in order. */
export class MessageIntake {
  readonly #host: MessageIntakeHost;
  readonly #reassembly: Reassembly;
  /** The last message of the peer's flight before our present one. */
  #answeredSeq = -1;

  constructor(host: MessageIntakeHost, limits: ReassemblyLimits, nextReceiveSeq: number) {
    this.#host = host;
    this.#reassembly = new Reassembly(limits);
    this.#reassembly.advanceTo(nextReceiveSeq);
    this.#answeredSeq = nextReceiveSeq - 1;
  }

  /** Our next flight answers what came so far. */
  flightBegins(): void {
    this.#answeredSeq = this.#reassembly.nextReceiveSeq - 1;
  }

  /** Takes the plaintext of a handshake record: whole messages and fragments, one after another. */
  handlePayload(now: number, epoch: number, data: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end; ) {
      const header = decodeHandshakeHeader(data, at, end);
      if (header === undefined) return this.#host.drop('malformed-handshake');
      at += handshakeHeaderBytes;
      this.#handleFragment(now, epoch, header, data, at);
      at += header.fragmentLength;
    }
  }

  /** Hands over what is complete, until a message fails. */
  deliver(now: number, handshake: Handshake): Failure | undefined {
    for (;;) {
      // The numbering of the server's first message depends on how many cookies it asked for, and
      // stateless servers give all of them the same number.
      const awaitsHello = handshake.awaitsHello;
      const message = awaitsHello ? this.#reassembly.find(isServersHello) : this.#reassembly.peek();
      if (message === undefined) return undefined;
      if (awaitsHello) this.#reassembly.forget(message.messageSeq);
      else this.#reassembly.advanceTo(message.messageSeq + 1);
      const failure = handshake.handleMessage(now, message);
      if (failure !== undefined) return failure;
      if (awaitsHello && !handshake.awaitsHello) this.#reassembly.advanceTo(message.messageSeq + 1);
    }
  }

  clear(): void {
    this.#reassembly.clear();
  }

  #handleFragment(now: number, epoch: number, header: HandshakeHeader, data: Uint8Array, at: number): void {
    // Finished alone is sent under the new keys (RFC 6347 section 4.2.4, figure 1).
    if ((header.type === handshakeType.finished ? 1 : 0) !== epoch) return this.#host.drop('wrong-epoch');
    const verdict = this.#reassembly.add(header, data, at);
    if (verdict === 'taken') return;
    if (verdict !== 'old') return this.#host.drop(verdict);
    this.#host.drop('handshake-repeated');
    const isLast = header.messageSeq === this.#answeredSeq && header.fragmentOffset + header.fragmentLength === header.length;
    if (isLast) this.#host.flightRepeated(now);
  }
}

function isServersHello(type: number): boolean {
  return type === handshakeType.serverHello || type === handshakeType.helloVerifyRequest;
}
