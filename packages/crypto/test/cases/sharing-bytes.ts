class SharingBytes extends Uint8Array<ArrayBuffer> {
  override slice(start?: number, end?: number): this {
    return this.subarray(start, end) as this;
  }
}

/** The same bytes as Node's Buffer would have them: a Uint8Array whose `slice` shares memory. */
export function sharingBytes(from: Uint8Array): Uint8Array {
  const bytes = new SharingBytes(new ArrayBuffer(from.length));
  bytes.set(from);
  return bytes;
}
