import { Ring } from '@millrace/core';
import type { StunMessage } from '../stun/decode-stun.ts';
import type { StunFields } from '../stun/encode-stun.ts';
import { bindingType } from '../stun/stun-constants.ts';
import type { Path } from '../types.ts';

export interface Response {
  readonly path: Path;
  readonly fields: StunFields;
}

/** A driver that drains after each datagram never has more than one. */
const maxResponses = 32;

/** Answers that wait for the driver. */
export class Responses {
  readonly #queue = new Ring<Response>();

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** Success, or an error where there is a code; false where the queue is full. */
  push(path: Path, request: StunMessage, result: Pick<StunFields, 'errorCode' | 'unknownAttributes' | 'mappedAddress'>): boolean {
    if (this.#queue.length === maxResponses) return false;
    const type = result.errorCode === undefined ? bindingType.success : bindingType.error;
    this.#queue.push({ path, fields: { type, transactionId: request.transactionId, ...result } });
    return true;
  }

  shift(): Response | undefined {
    return this.#queue.shift();
  }

  clear(): void {
    this.#queue.clear();
  }
}
