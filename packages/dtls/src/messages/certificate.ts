/*
 * Certificate (RFC 5246 section 7.4.2), after the handshake header:
 *
 *    certificate_list        3 + 0…2^24-1
 *      certificate           3 + 1…2^24-1    (DER; the sender's own first)
 */
import { ByteReader } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';

export function encodeCertificate(chain: readonly Uint8Array[]): Uint8Array {
  const list = new ByteWriter();
  for (const der of chain) list.vector24(der);
  return new ByteWriter().vector24(list.finish()).finish();
}

/** The chain as views of the body, or `undefined` where the body is malformed. */
export function decodeCertificate(body: Uint8Array): Uint8Array[] | undefined {
  const reader = new ByteReader(body);
  const list = new ByteReader(reader.vector24());
  const chain: Uint8Array[] = [];
  while (list.remaining > 0) {
    const der = list.vector24();
    if (der.length === 0) return undefined;
    chain.push(der);
  }
  return reader.done && list.ok ? chain : undefined;
}
