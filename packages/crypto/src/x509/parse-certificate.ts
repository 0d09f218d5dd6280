import { formatHex, copyOf } from '@millrace/core';
import { DerReader } from './der-reader.ts';
import { derTag } from './der-writer.ts';
import { oid } from './object-identifiers.ts';

/** What DTLS and its callers need of a peer's certificate. Byte arrays are copies. */
export interface ParsedCertificate {
  /** DER of the SubjectPublicKeyInfo, as `CryptoProvider.importVerifyKey` takes it. */
  readonly spki: Uint8Array;
  /** The common name of the subject, where it has one. Set by the peer: display it, trust nothing. */
  readonly subject?: string;
  /** ms since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * Reads a DER X.509 certificate (RFC 5280 section 4.1). Neither signature nor validity is checked:
 * under WebRTC a certificate is trusted by its fingerprint. `undefined` where the bytes are no
 * well-formed certificate; never throws.
 */
export function parseCertificate(der: Uint8Array): ParsedCertificate | undefined {
  const outer = new DerReader(der);
  const certificate = outer.enter(derTag.sequence);
  const tbs = certificate?.enter(derTag.sequence);
  if (certificate === undefined || tbs === undefined || !outer.done) return undefined;
  if (certificate.readContent(derTag.sequence) === undefined) return undefined;
  if (certificate.readBitString() === undefined || !certificate.done) return undefined;

  if (tbs.nextTag === 0xa0) {
    const version = tbs.enter(0xa0);
    if (version?.readUnsigned() === undefined || !version.done) return undefined;
  }
  if (tbs.readContent(derTag.integer) === undefined) return undefined;
  if (tbs.readContent(derTag.sequence) === undefined) return undefined;
  if (tbs.readContent(derTag.sequence) === undefined) return undefined;
  const validity = tbs.enter(derTag.sequence);
  const notBefore = readTime(validity);
  const notAfter = readTime(validity);
  const name = tbs.enter(derTag.sequence);
  const spki = tbs.readElement(derTag.sequence);
  if (notBefore === undefined || notAfter === undefined || !validity!.done) return undefined;
  if (name === undefined || spki === undefined) return undefined;
  // Unique identifiers and extensions, each at most once and in order, are skipped.
  for (const tag of [0x81, 0x82, 0xa3]) {
    if (tbs.nextTag === tag && tbs.readContent(tag) === undefined) return undefined;
  }
  if (!tbs.done) return undefined;

  const subject = readCommonName(name);
  if (subject === false) return undefined;
  return { spki: copyOf(spki), notBefore, notAfter, ...(subject === undefined ? {} : { subject }) };
}

/** The first common name; `undefined` where there is none, `false` where the name is malformed. */
function readCommonName(name: DerReader): string | undefined | false {
  let found: string | undefined;
  while (!name.done) {
    const set = name.enter(derTag.set);
    if (set === undefined || set.done) return false;
    while (!set.done) {
      const attribute = set.enter(derTag.sequence);
      const type = attribute?.readContent(derTag.objectIdentifier);
      if (attribute === undefined || type === undefined) return false;
      const tag = attribute.nextTag;
      const value = attribute.readContent(tag);
      if (value === undefined || !attribute.done) return false;
      if (found === undefined && formatHex(type) === oid.commonName && isText(tag)) found = new TextDecoder().decode(value);
    }
  }
  return found;
}

function isText(tag: number): boolean {
  return tag === derTag.utf8String || tag === derTag.printableString || tag === derTag.ia5String || tag === derTag.t61String;
}

/** UTCTime or GeneralizedTime in the form that RFC 5280 section 4.1.2.5 prescribes. */
function readTime(reader: DerReader | undefined): number | undefined {
  if (reader === undefined) return undefined;
  const tag = reader.nextTag;
  if (tag !== derTag.utcTime && tag !== derTag.generalizedTime) return undefined;
  const content = reader.readContent(tag);
  if (content === undefined || content.length !== (tag === derTag.utcTime ? 13 : 15)) return undefined;
  let text = '';
  for (const byte of content) text += String.fromCharCode(byte);
  // Section 4.1.2.5.1: two digits from 50 on mean 19YY.
  if (tag === derTag.utcTime) text = (text < '50' ? '20' : '19') + text;
  if (!/^\d{14}Z$/.test(text)) return undefined;
  const field = (at: number, length: number): number => Number(text.slice(at, at + length));
  const [month, day, hour, minute, second] = [field(4, 2), field(6, 2), field(8, 2), field(10, 2), field(12, 2)];
  const ms = Date.UTC(field(0, 4), month - 1, day, hour, minute, second);
  const date = new Date(ms);
  const exact = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  return exact && field(0, 4) >= 1000 ? ms : undefined;
}
