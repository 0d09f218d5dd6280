import { bytesEqual } from '@millrace/core';
import type { CryptoProvider } from '@millrace/crypto';
import type { StunMessage } from '../stun/decode-stun.ts';
import { encodeStun, type StunFields } from '../stun/encode-stun.ts';
import { bindingType } from '../stun/stun-constants.ts';
import { verifyIntegrity } from '../stun/verify-integrity.ts';
import { asciiBytes, checkIceText } from './credentials.ts';
import type { Transaction } from './transactions.ts';

/** User names and passwords of both sides, and the messages made with them (RFC 8445 section 7.2.2). */
export class StunSession {
  readonly localUfrag: string;
  readonly #crypto: CryptoProvider;
  readonly #localKey: Uint8Array;
  #remoteUfrag: string | undefined;
  #remoteKey: Uint8Array | undefined;
  /** USERNAME of our requests: theirs, a colon, ours. */
  #username: Uint8Array = new Uint8Array(0);

  constructor(localUfrag: string, localPwd: string, crypto: CryptoProvider) {
    this.localUfrag = localUfrag;
    this.#localKey = asciiBytes(localPwd);
    this.#crypto = crypto;
  }

  get remoteUfrag(): string | undefined {
    return this.#remoteUfrag;
  }

  /** Whether requests can be made. */
  get isReady(): boolean {
    return this.#remoteKey !== undefined;
  }

  /** True where they are new, false where they are what is set. Throws TypeError on anything else. */
  setRemote(ufrag: string, pwd: string): boolean {
    checkIceText('ufrag', ufrag, 4);
    checkIceText('pwd', pwd, 22);
    const key = asciiBytes(pwd);
    if (this.#remoteKey !== undefined) {
      if (ufrag === this.#remoteUfrag && bytesEqual(key, this.#remoteKey)) return false;
      throw new TypeError('ufrag and pwd are set already and can not be changed');
    }
    this.#remoteUfrag = ufrag;
    this.#remoteKey = key;
    this.#username = asciiBytes(`${ufrag}:${this.localUfrag}`);
    return true;
  }

  /** The sender's fragment in a request's USERNAME; `undefined` where the request is not for us. */
  senderOf({ username }: StunMessage): string | undefined {
    const colon = username?.indexOf(':') ?? -1;
    if (colon < 0 || username!.slice(0, colon) !== this.localUfrag) return undefined;
    const sender = username!.slice(colon + 1);
    return this.#remoteUfrag === undefined || sender === this.#remoteUfrag ? sender : undefined;
  }

  verifyRequest(data: Uint8Array, message: StunMessage): boolean {
    return verifyIntegrity(data, message, this.#localKey, this.#crypto);
  }

  verifyResponse(data: Uint8Array, message: StunMessage): boolean {
    return this.#remoteKey !== undefined && verifyIntegrity(data, message, this.#remoteKey, this.#crypto);
  }

  encodeResponse(out: Uint8Array, start: number, fields: StunFields): number {
    return encodeStun(out, start, fields, this.#localKey, this.#crypto);
  }

  encodeRequest(out: Uint8Array, start: number, transaction: Transaction): number {
    const { id, pair, isControlling, tieBreaker, useCandidate } = transaction;
    const fields: StunFields = {
      type: bindingType.request,
      transactionId: id,
      username: this.#username,
      priority: pair.local.checkPriority,
      ...(isControlling ? { iceControlling: tieBreaker } : { iceControlled: tieBreaker }),
      useCandidate,
    };
    return encodeStun(out, start, fields, this.#remoteKey!, this.#crypto);
  }

  /** Wipes the passwords. */
  destroy(): void {
    this.#localKey.fill(0);
    this.#remoteKey?.fill(0);
  }
}
