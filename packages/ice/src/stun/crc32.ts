/** The CRC-32 of ISO 3309 (RFC 8489 section 14.7), reflected, polynomial 0xEDB88320. */
const table: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

/** CRC-32 of `data[start, end)`, unsigned. */
export function crc32(data: Uint8Array, start: number, end: number): number {
  let crc = 0xffff_ffff;
  for (let i = start; i < end; i++) crc = (crc >>> 8) ^ table[(crc ^ data[i]!) & 0xff]!;
  return ~crc >>> 0;
}
