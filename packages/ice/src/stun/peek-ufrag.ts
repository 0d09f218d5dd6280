import { readUint16, readUint32 } from '@millrace/core';
import { attributeType, bindingType, stun } from './stun-constants.ts';

/**
 * The user name fragment that a Binding request is for: what stands before the colon of its
 * USERNAME. For whoever has several agents behind one socket and looks for the right one; nothing
 * is verified here. `undefined` where `data[start, end)` is no such request.
 */
export function peekUfrag(data: Uint8Array, start: number, end: number): string | undefined {
  if (end - start < stun.headerBytes || readUint16(data, start) !== bindingType.request) return undefined;
  if (readUint32(data, start + 4) !== stun.magicCookie) return undefined;
  for (let at = start + stun.headerBytes; at + 4 <= end; ) {
    const valueEnd = at + 4 + readUint16(data, at + 2);
    if (valueEnd > end) return undefined;
    if (readUint16(data, at) === attributeType.username) {
      let ufrag = '';
      for (let i = at + 4; i < valueEnd; i++) {
        if (data[i] === 0x3a) return ufrag;
        if (ufrag.length === 256) return undefined;
        ufrag += String.fromCharCode(data[i]!);
      }
      return undefined;
    }
    at += 4 + ((readUint16(data, at + 2) + 3) & ~3);
  }
  return undefined;
}
