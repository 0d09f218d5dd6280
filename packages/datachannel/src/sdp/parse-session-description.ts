/*
 * Reads an offer or answer for its one data section. What a browser's offer has besides (audio,
 * video) is kept only as far as an answer has to mirror it.
 */
import { type Fingerprint, parseFingerprint } from '@millrace/crypto';
import type { Candidate } from '@millrace/ice';
import { parseCandidate } from './candidate-line.ts';
import { readSections, type SdpAttribute, type SdpSection } from './read-sections.ts';
import { SdpError, type SdpErrorCode } from './sdp-error.ts';
import type { MediaSection, SessionDescription, Setup } from './session-description.ts';

/** RFC 8841 section 6.1: the limit of a peer that names none. */
const defaultMaxMessageSize = 65536;
const setups: readonly string[] = ['actpass', 'active', 'passive'] satisfies Setup[];
/** RFC 8839 section 5.4. */
const iceUfragPattern = /^[A-Za-z0-9+/]{4,256}$/;
const icePwdPattern = /^[A-Za-z0-9+/]{22,256}$/;
/** A token of RFC 8866 section 9. */
const tokenPattern = /^[!#$%&'*+.^_`{|}~A-Za-z0-9-]+$/;

/**
 * Reads a description. Throws SdpError, which names the line, where it can't be used; TypeError
 * where it is no string. In an answer `setup:actpass` is an error (RFC 5763 section 5).
 */
export function parseSessionDescription(text: string, type: 'offer' | 'answer' = 'offer'): SessionDescription {
  const [session, ...media] = readSections(text);
  const sections = media.map(readMediaSection);
  checkMids(sections, media);
  const dataIndex = findDataSection(sections, media);
  const { mid, protocol, formats } = sections[dataIndex]!;
  const section = media[dataIndex]!;
  const bundle = findBundle(session, mid);

  // RFC 9143 section 7.1.3: in a BUNDLE group the transport may be described once, in the first
  // section; attributes of the session are the default of all.
  const tagged = media[sections.findIndex((other) => other.mid === bundle[0])];
  const ownScopes = tagged === undefined || bundle.length === 0 ? [section] : [section, tagged];
  const scopes = [...ownScopes, session];
  const transport = ownScopes.find((scope) => find(scope, 'ice-ufrag') !== undefined) ?? section;

  const iceUfrag = required(scopes, section, 'ice-ufrag');
  if (!iceUfragPattern.test(iceUfrag.value)) fail(iceUfrag.line, 'ice-ufrag has 4 to 256 characters of A-Z a-z 0-9 + /');
  const icePwd = required(scopes, section, 'ice-pwd');
  if (!icePwdPattern.test(icePwd.value)) fail(icePwd.line, 'ice-pwd has 22 to 256 characters of A-Z a-z 0-9 + /');
  const setup = required(scopes, section, 'setup');
  if (!setups.includes(setup.value)) fail(setup.line, `setup is one of ${setups.join(', ')}`);
  if (type === 'answer' && setup.value === 'actpass') fail(setup.line, 'the setup of an answer is active or passive');
  const iceOptions = [session, transport].flatMap((scope) => all(scope, 'ice-options').flatMap(({ value }) => value.split(' ')));
  return {
    sections,
    dataIndex,
    mid,
    bundle,
    iceUfrag: iceUfrag.value,
    icePwd: icePwd.value,
    iceLite: find(session, 'ice-lite') !== undefined,
    iceOptions: [...new Set(iceOptions)],
    trickle: iceOptions.includes('trickle'),
    fingerprints: readFingerprints(scopes, section),
    setup: setup.value as Setup,
    tlsId: firstOf(scopes, 'tls-id')?.value,
    sctpPort: readSctpPort(section, protocol, formats),
    maxMessageSize: readInteger(single(section, 'max-message-size'), Number.MAX_SAFE_INTEGER) ?? defaultMaxMessageSize,
    candidates: readCandidates(transport),
    endOfCandidates: [session, transport].some((scope) => find(scope, 'end-of-candidates') !== undefined),
  };
}

function readMediaSection(section: SdpSection): MediaSection {
  const [kind, portText, protocol, ...formats] = section.media.split(' ');
  const port = /^(\d{1,5})(\/\d{1,5})?$/.exec(portText ?? '')?.[1];
  const isWellFormed = tokenPattern.test(kind!) && port !== undefined && Number(port) <= 65535 && formats.length > 0;
  if (!isWellFormed || !protocol!.split('/').every((part) => tokenPattern.test(part)) || formats.includes('')) {
    fail(section.line, "a media line is 'kind port protocol format...'");
  }
  const mid = find(section, 'mid');
  if (mid !== undefined && !tokenPattern.test(mid.value)) fail(mid.line, 'mid is a token');
  return {
    kind: kind!,
    port: Number(port),
    protocol: protocol!,
    formats,
    mid: mid?.value,
    isBundleOnly: find(section, 'bundle-only') !== undefined,
  };
}

/** RFC 5888 section 4: a mid names one section. */
function checkMids(sections: readonly MediaSection[], media: readonly SdpSection[]): void {
  const mids = new Set<string>();
  for (const [index, { mid }] of sections.entries()) {
    if (mid === undefined) continue;
    if (mids.has(mid)) fail(media[index]!.line, `the mid '${mid}' is used twice`);
    mids.add(mid);
  }
}

/** RFC 8841 section 4, and the form of its early drafts, which has the SCTP port as its format. */
function isDataSection({ kind, protocol, formats }: MediaSection): boolean {
  if (kind !== 'application') return false;
  return (
    ((protocol === 'UDP/DTLS/SCTP' || protocol === 'TCP/DTLS/SCTP') && formats[0] === 'webrtc-datachannel') ||
    protocol === 'DTLS/SCTP'
  );
}

function findDataSection(sections: readonly MediaSection[], media: readonly SdpSection[]): number {
  const usable = sections.findIndex((section) => isDataSection(section) && (section.port !== 0 || section.isBundleOnly));
  if (usable >= 0) return usable;
  const rejected = sections.findIndex(isDataSection);
  if (rejected >= 0) fail(media[rejected]!.line, 'the data section is rejected', 'SDP_REJECTED');
  fail(0, "there is no 'm=application' section with UDP/DTLS/SCTP and webrtc-datachannel", 'SDP_NO_DATA_SECTION');
}

function findBundle(session: SdpSection, mid: string | undefined): readonly string[] {
  if (mid === undefined) return [];
  for (const { value } of all(session, 'group')) {
    const [semantics, ...mids] = value.split(' ');
    if (semantics === 'BUNDLE' && mids.includes(mid)) return mids;
  }
  return [];
}

/** Several are allowed; those of the section take the place of the session's (RFC 8122 section 5). */
function readFingerprints(scopes: readonly SdpSection[], section: SdpSection): Fingerprint[] {
  const scope = scopes.find((candidate) => find(candidate, 'fingerprint') !== undefined);
  if (scope === undefined) fail(section.line, 'the data section has no fingerprint', 'SDP_MISSING_ATTRIBUTE');
  return all(scope, 'fingerprint').map(({ value, line }) => {
    const fingerprint = parseFingerprint(value.trim());
    if (fingerprint === undefined) fail(line, "a fingerprint is a hash name and so many bytes 'AB:CD:...' as the hash has");
    return fingerprint;
  });
}

/** RFC 8841 section 5.1: without its port the section is not valid; there is no default. */
function readSctpPort(section: SdpSection, protocol: string, formats: readonly string[]): number {
  if (protocol === 'DTLS/SCTP') {
    const map = all(section, 'sctpmap').find(({ value }) => value.split(' ')[0] === formats[0]);
    if (map === undefined) fail(section.line, 'the data section has no sctpmap for its port', 'SDP_MISSING_ATTRIBUTE');
    return readPort({ ...map, value: formats[0]! });
  }
  const attribute = single(section, 'sctp-port');
  if (attribute === undefined) fail(section.line, 'the data section has no sctp-port', 'SDP_MISSING_ATTRIBUTE');
  return readPort(attribute);
}

function readPort(attribute: SdpAttribute): number {
  const port = readInteger(attribute, 65535);
  if (port === 0) fail(attribute.line, 'the SCTP port is a number from 1 to 65535');
  return port;
}

function readInteger(attribute: SdpAttribute, max: number): number;
function readInteger(attribute: SdpAttribute | undefined, max: number): number | undefined;
function readInteger(attribute: SdpAttribute | undefined, max: number): number | undefined {
  if (attribute === undefined) return undefined;
  const value = /^\d{1,16}$/.test(attribute.value) ? Number(attribute.value) : -1;
  if (value < 0 || value > max) fail(attribute.line, `${attribute.name} is a number from 0 to ${max}`);
  return value;
}

function readCandidates(section: SdpSection): Candidate[] {
  const candidates = all(section, 'candidate').map(({ value, line }) => parseCandidate(value, line));
  return candidates.filter((candidate) => candidate !== undefined);
}

function all(section: SdpSection, name: string): SdpAttribute[] {
  return section.attributes.filter((attribute) => attribute.name === name);
}

function find(section: SdpSection, name: string): SdpAttribute | undefined {
  return section.attributes.find((attribute) => attribute.name === name);
}

/** An attribute that may stand once: two of a kind would leave open which one counts. */
function single(section: SdpSection, name: string): SdpAttribute | undefined {
  const [first, second] = all(section, name);
  if (second !== undefined) fail(second.line, `${name} is given twice`);
  return first;
}

function firstOf(scopes: readonly SdpSection[], name: string): SdpAttribute | undefined {
  for (const scope of scopes) {
    const attribute = single(scope, name);
    if (attribute !== undefined) return attribute;
  }
  return undefined;
}

function required(scopes: readonly SdpSection[], section: SdpSection, name: string): SdpAttribute {
  const attribute = firstOf(scopes, name);
  if (attribute === undefined) fail(section.line, `the data section has no ${name}`, 'SDP_MISSING_ATTRIBUTE');
  return attribute;
}

function fail(line: number, message: string, code: SdpErrorCode = 'SDP_SYNTAX'): never {
  throw new SdpError(code, line, message);
}
