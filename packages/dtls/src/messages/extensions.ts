/*
 * The extensions of a hello (RFC 5246 section 7.4.1.4):
 *
 *     0               1               2               3
 *    +---------------+---------------+---------------+---------------+
 *    |   length of all extensions    |      extension_type           |
 *    +---------------+---------------+---------------+---------------+
 *    |     length of extension_data  |  extension_data …
 *    +---------------+---------------+
 */
import { ByteReader, decodeUint16List } from '../byte-reader.ts';
import { ByteWriter, encodeUint16List } from '../byte-writer.ts';

/** Extension types that are read or written here; all others are skipped. */
export const extensionType: {
  readonly supportedGroups: 10;
  readonly ecPointFormats: 11;
  readonly signatureAlgorithms: 13;
  readonly extendedMasterSecret: 23;
  readonly supportedVersions: 43;
  readonly renegotiationInfo: 0xff01;
} = {
  supportedGroups: 10,
  ecPointFormats: 11,
  signatureAlgorithms: 13,
  extendedMasterSecret: 23,
  supportedVersions: 43,
  renegotiationInfo: 0xff01,
};

/** The only point format that is left (RFC 8422 section 5.1.2). */
export const uncompressedPoint = 0;

/** Extension data by type, in the order of the hello. */
export type Extensions = ReadonlyMap<number, Uint8Array>;

/**
 * Reads the rest of a hello. A hello that ends before its extensions has none. `undefined` where
 * the block is malformed or a type comes twice (RFC 5246 section 7.4.1.4).
 */
export function decodeExtensions(reader: ByteReader): Extensions | undefined {
  const extensions = new Map<number, Uint8Array>();
  if (reader.remaining === 0) return reader.ok ? extensions : undefined;
  const block = new ByteReader(reader.vector16());
  while (block.remaining > 0) {
    const type = block.uint16();
    if (extensions.has(type)) return undefined;
    extensions.set(type, block.vector16());
  }
  return reader.done && block.ok ? extensions : undefined;
}

export function encodeExtensions(writer: ByteWriter, extensions: Extensions): void {
  const block = new ByteWriter();
  for (const [type, data] of extensions) block.uint16(type).vector16(data);
  writer.vector16(block.finish());
}

/** The data of supported_groups or signature_algorithms: 16-bit values behind a 16-bit length. */
export function encodeUint16Vector(values: readonly number[]): Uint8Array {
  return new ByteWriter().vector16(encodeUint16List(values)).finish();
}

export function decodeUint16Vector(data: Uint8Array): number[] | undefined {
  const reader = new ByteReader(data);
  const values = decodeUint16List(reader.vector16());
  return reader.done ? values : undefined;
}

/** The data of ec_point_formats or renegotiation_info: bytes behind an 8-bit length. */
export function decodeVector8(data: Uint8Array): Uint8Array | undefined {
  const reader = new ByteReader(data);
  const bytes = reader.vector8();
  return reader.done ? bytes : undefined;
}

export function encodeVector8(bytes: readonly number[]): Uint8Array {
  return new ByteWriter().vector8(Uint8Array.from(bytes)).finish();
}

/** The versions of a ClientHello's supported_versions (RFC 8446 section 4.2.1). */
export function decodeSupportedVersions(data: Uint8Array): number[] | undefined {
  const list = decodeVector8(data);
  return list === undefined ? undefined : decodeUint16List(list);
}
