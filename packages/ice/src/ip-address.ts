/*
 * IP address literals. Text comes out in the one form of RFC 5952, which is also what operating
 * systems report, so that addresses can be compared and interned as text.
 */

/** The 4 or 16 bytes of a literal without brackets or zone; `undefined` where it is none. */
export function parseIpAddress(text: string): Uint8Array | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

/** The text of 4 or 16 bytes. */
export function formatIpAddress(bytes: Uint8Array): string {
  return bytes.length === 4 ? bytes.join('.') : formatIpv6(bytes);
}

function parseIpv4(text: string): Uint8Array | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const bytes = new Uint8Array(4);
  for (const [i, part] of parts.entries()) {
    // No leading zeros: some read them as octal.
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    bytes[i] = Number(part);
  }
  return bytes;
}

function parseIpv6(text: string): Uint8Array | undefined {
  if (text.length > 45) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0]!, halves.length === 1);
  const tail = halves.length === 2 ? parseGroups(halves[1]!, true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 2 ? missing < 2 : missing !== 0) return undefined;
  return Uint8Array.from([...head, ...new Array<number>(missing).fill(0), ...tail]);
}

/** The bytes of colon-separated groups; the last may be an IPv4 literal. */
function parseGroups(text: string, mayEndWithIpv4: boolean): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [i, group] of groups.entries()) {
    if (group.includes('.')) {
      const ipv4 = mayEndWithIpv4 && i === groups.length - 1 ? parseIpv4(group) : undefined;
      if (ipv4 === undefined) return undefined;
      bytes.push(...ipv4);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >>> 8, value & 0xff);
    } else return undefined;
  }
  return bytes.length <= 16 ? bytes : undefined;
}

function formatIpv6(bytes: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, i) => (bytes[2 * i]! << 8) | bytes[2 * i + 1]!);
  // RFC 5952 section 5: addresses with a well-known IPv4 prefix end in dotted form.
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return `::ffff:${bytes.subarray(12).join('.')}`;
  }
  // RFC 5952 section 4.2: the longest run of zero groups, the first of equals, and no run of one.
  let runAt = -1;
  let runLength = 1;
  for (let i = 0; i < 8; i++) {
    let length = 0;
    while (i + length < 8 && groups[i + length] === 0) length++;
    if (length > runLength) {
      runAt = i;
      runLength = length;
    }
    i += length;
  }
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  return runAt < 0 ? hex(groups) : `${hex(groups.slice(0, runAt))}::${hex(groups.slice(runAt + runLength))}`;
}
