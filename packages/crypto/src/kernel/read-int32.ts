/** Big-endian and signed: V8 keeps those as small integers, unlike unsigned ones. */
export function readInt32(data: Uint8Array, at: number): number {
  return (data[at]! << 24) | (data[at + 1]! << 16) | (data[at + 2]! << 8) | data[at + 3]!;
}
