import { readFileSync } from 'node:fs';
import { parseHex } from '@millrace/core';

export function readVector(name: string): string {
  return readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8');
}

/** Bytes of hexadecimal that a test wrote itself. */
export function hex(text: string): Uint8Array {
  const bytes = parseHex(text.replace(/\s/g, ''));
  if (bytes === undefined) throw new Error(`not hexadecimal: ${text}`);
  return bytes;
}

/** Hexadecimal to compare and print; quicker than comparing arrays byte by byte. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}
