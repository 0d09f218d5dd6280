/*
 * Big-endian access to byte arrays. Plain functions over (data, offset) keep the hot paths free of
 * DataView objects; the caller has checked the bounds.
 */

/**
 * A copy of `data[start, end)`, in an ArrayBuffer of its own. Node's Buffer is a Uint8Array whose
 * `slice` shares memory, and callers may bring one wherever they bring bytes.
 */
export function copyOf(data: Uint8Array, start = 0, end: number = data.length): Uint8Array {
  if (data.constructor === Uint8Array) return data.slice(start, end);
  const copy = new Uint8Array(Math.max(0, Math.min(end, data.length) - start));
  copy.set(data.subarray(start, end));
  return copy;
}

export function readUint16(data: Uint8Array, at: number): number {
  return (data[at]! << 8) | data[at + 1]!;
}

export function readUint24(data: Uint8Array, at: number): number {
  return (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!;
}

export function readUint32(data: Uint8Array, at: number): number {
  return ((data[at]! << 24) | (data[at + 1]! << 16) | (data[at + 2]! << 8) | data[at + 3]!) >>> 0;
}

/** A 48-bit integer: exact in a double. */
export function readUint48(data: Uint8Array, at: number): number {
  return readUint16(data, at) * 0x1_0000_0000 + readUint32(data, at + 2);
}

export function writeUint16(data: Uint8Array, at: number, value: number): void {
  data[at] = value >>> 8;
  data[at + 1] = value;
}

export function writeUint24(data: Uint8Array, at: number, value: number): void {
  data[at] = value >>> 16;
  data[at + 1] = value >>> 8;
  data[at + 2] = value;
}

export function writeUint32(data: Uint8Array, at: number, value: number): void {
  data[at] = value >>> 24;
  data[at + 1] = value >>> 16;
  data[at + 2] = value >>> 8;
  data[at + 3] = value;
}

/** Writes an integer below 2^48. */
export function writeUint48(data: Uint8Array, at: number, value: number): void {
  writeUint16(data, at, Math.floor(value / 0x1_0000_0000));
  writeUint32(data, at + 2, value >>> 0);
}

/** Joins byte arrays into a fresh one. For handshakes and text, never for a packet path. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Compares public bytes. Secrets go through `constantTimeEqual`. */
export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Compares secrets in a time that depends on the lengths alone. */
export function constantTimeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ b[i]!;
  return difference === 0;
}

/** Lower-case hexadecimal without separators. */
export function formatHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += (byte < 16 ? '0' : '') + byte.toString(16);
  return text;
}

/** The bytes of an even number of hexadecimal digits; `undefined` where it is not one. */
export function parseHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}
