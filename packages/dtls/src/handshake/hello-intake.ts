import type { DropReason } from '../drop-reason.ts';
import { decodeHandshakeHeader, handshakeHeaderBytes, handshakeType } from './handshake-header.ts';
import type { HandshakeMessage } from './handshake-message.ts';
import { Reassembly, type ReassemblyLimits } from './reassembly.ts';

/**
 * Puts ClientHellos together before there is a session, and before a version is chosen: today's
 * browsers send theirs in two fragments (RFC 6347 section 4.2.3).
 */
export class HelloIntake {
  readonly #reassembly: Reassembly;
  readonly #drop: (reason: DropReason) => void;

  constructor(limits: ReassemblyLimits, drop: (reason: DropReason) => void) {
    this.#reassembly = new Reassembly(limits);
    this.#drop = drop;
  }

  /** Takes the payload of a handshake record of epoch 0; gives the ClientHello that it completes. */
  handlePayload(data: Uint8Array, start: number, end: number): HandshakeMessage | undefined {
    for (let at = start; at < end; ) {
      const header = decodeHandshakeHeader(data, at, end);
      if (header === undefined || header.type !== handshakeType.clientHello) {
        this.#drop('malformed-handshake');
        break;
      }
      at += handshakeHeaderBytes;
      const verdict = this.#reassembly.add(header, data, at);
      // Nothing is ever old here: a hello is forgotten once it is complete.
      if (verdict !== 'taken' && verdict !== 'old') this.#drop(verdict);
      at += header.fragmentLength;
    }
    const message = this.#reassembly.find((type) => type === handshakeType.clientHello);
    if (message !== undefined) this.#reassembly.forget(message.messageSeq);
    return message;
  }
}
