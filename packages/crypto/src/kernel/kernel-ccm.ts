import type { Aead, Engine } from '../aead.ts';
import { ccmNonce, checkAlive, checkOpen, checkSeal } from '../options.ts';
import { type CcmCore, streamBlocksOf } from './ccm-core.ts';
import { type KernelMemory, kernelsOver } from './kernel-memory.ts';
import { recordHeadBytes, recordRoomOf } from './memory-layout.ts';
import { readInt32 } from './read-int32.ts';

const nonceBytes = 12;
/** What fits into one block behind its length. */
const maxAadBytes = 14;

/** What CCM by the kernels is made of. */
export interface CcmParts {
  readonly engine: Engine;
  readonly core: CcmCore;
  /** For data that does not stand in a record arena. */
  readonly shared: KernelMemory;
  /** Takes what is longer, and other nonces or additional data. Destroyed with the rest. */
  readonly other: Aead;
}

/** AES-CCM (RFC 3610) by the kernels, for records as TLS has them; others go to another AEAD. */
export class KernelCcm implements Aead {
  readonly engine: Engine;
  readonly keyBytes: 16 | 32;
  readonly tagBytes: 8 | 16;
  readonly #shared: KernelMemory;
  readonly #core: CcmCore;
  readonly #other: Aead;

  constructor({ engine, core, shared, other }: CcmParts) {
    this.engine = engine;
    this.keyBytes = core.keyBytes;
    this.tagBytes = core.tagBytes;
    this.#core = core;
    this.#shared = shared;
    this.#other = other;
  }

  seal(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): void {
    checkAlive(this.#core.isDestroyed);
    checkSeal(nonce, ccmNonce, aad, data, start, end, this.tagBytes);
    if (this.#fits(nonce, aad, end - start)) this.#protect(nonce, aad, data, start, end - start, false);
    else this.#other.seal(nonce, aad, data, start, end);
  }

  open(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): boolean {
    checkAlive(this.#core.isDestroyed);
    if (!checkOpen(nonce, ccmNonce, aad, data, start, end, this.tagBytes)) return false;
    const length = end - start - this.tagBytes;
    if (this.#fits(nonce, aad, length)) return this.#protect(nonce, aad, data, start, length, true);
    return this.#other.open(nonce, aad, data, start, end);
  }

  destroy(): void {
    this.#core.destroy();
    this.#other.destroy();
  }

  #fits(nonce: Uint8Array, aad: Uint8Array, length: number): boolean {
    return nonce.length === nonceBytes && length <= this.#core.plan.maxBytes && aad.length > 0 && aad.length <= maxAadBytes;
  }

  #protect(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, length: number, opening: boolean): boolean {
    const core = this.#core;
    const { tagBytes } = core;
    const end = start + length + tagBytes;
    const own = kernelsOver(data);
    const kernels = own ?? this.#shared;
    const { bytes, lanes } = kernels;
    const isInPlace = own !== undefined && fitsInPlace(length, tagBytes);
    const at = isInPlace ? start : recordRoomOf(0, length) + recordHeadBytes;
    const n0 = readInt32(nonce, 0);
    const n1 = readInt32(nonce, 4);
    const n2 = readInt32(nonce, 8);
    const blocks = streamBlocksOf(length);
    const stream = core.streamFor(kernels, 0, n0, n1, n2, blocks);
    if (!isInPlace) copyBytes(data, start, bytes, at, opening ? length + tagBytes : length);
    writeHead(bytes, lanes.headOf(0), nonce, aad, length, tagBytes);
    lanes.begin(0, core.key.addressIn(kernels.keys), at, length, stream, opening);
    core.run(kernels, at, length);
    const isAuthentic = lanes.finish(0);
    if (isAuthentic) {
      core.confirm(n0, n1, n2, blocks);
      if (!isInPlace) copyBytes(bytes, at, data, start, opening ? length : length + tagBytes);
    } else {
      data.fill(0, start, end);
    }
    if (opening && !isInPlace) bytes.fill(0, at, at + length);
    return isAuthentic;
  }
}

/** Whether the kernels may pad a payload where it stands: that overwrites its tag, and nothing behind. */
export function fitsInPlace(length: number, tagBytes: number): boolean {
  return (-length & 15) <= tagBytes;
}

/** B_0 and the additional data (RFC 3610 section 2.2). */
function writeHead(bytes: Uint8Array, head: number, nonce: Uint8Array, aad: Uint8Array, length: number, tagBytes: number): void {
  bytes[head] = 0x40 | ((tagBytes - 2) << 2) | 2;
  for (let i = 0; i < nonceBytes; i++) bytes[head + 1 + i] = nonce[i]!;
  bytes[head + 13] = 0;
  bytes[head + 14] = length >>> 8;
  bytes[head + 15] = length;
  const aadBytes = aad.length;
  bytes[head + 16] = 0;
  bytes[head + 17] = aadBytes;
  for (let i = 0; i < aadBytes; i++) bytes[head + 18 + i] = aad[i]!;
  for (let i = 18 + aadBytes; i < 32; i++) bytes[head + i] = 0;
}

/** Below, byte by byte is faster than making a view. */
const bytewiseBelow = 96;

export function copyBytes(from: Uint8Array, start: number, to: Uint8Array, at: number, length: number): void {
  if (length < bytewiseBelow) for (let i = 0; i < length; i++) to[at + i] = from[start + i]!;
  else to.set(from.subarray(start, start + length), at);
}
