/*
 * Writes offers and answers for one data section (RFC 8829 sections 5.2 and 5.3, RFC 8841):
 *
 *   v=0                                     m=application 9 UDP/DTLS/SCTP webrtc-datachannel
 *   o=- ID VERSION IN IP4 0.0.0.0           c=IN IP4 0.0.0.0
 *   s=-                                     a=mid:0
 *   t=0 0                                   a=ice-ufrag, ice-pwd, fingerprint, setup
 *   a=group:BUNDLE 0                        a=sctp-port:5000
 *   a=ice-options:trickle ice2              a=max-message-size:262144
 *                                           a=candidate, end-of-candidates
 */
import { type Random, readUint32, randomBytes } from '@millrace/core';
import { formatFingerprint } from '@millrace/crypto';
import type { Candidate } from '@millrace/ice';
import { formatCandidate } from './candidate-line.ts';
import type { LocalDescription, MediaSection, SessionDescription, Setup } from './session-description.ts';

const defaultSctpPort = 5000;
const defaultMaxMessageSize = 262_144;
const offeredMid = '0';

/** A fresh session id: 62 random bits, so that it fits any reader's signed 64 (RFC 8829 section 5.2.1). */
export function createSessionId(random: Random): string {
  const bytes = randomBytes(random, 8);
  return (BigInt(readUint32(bytes, 0) >>> 2) * 0x1_0000_0000n + BigInt(readUint32(bytes, 4))).toString();
}

/** The text of an offer with one data section. Throws TypeError or RangeError, naming the option. */
export function formatOffer(local: LocalDescription): string {
  checkLocal(local);
  const section: MediaSection = {
    kind: 'application',
    port: 9,
    protocol: 'UDP/DTLS/SCTP',
    formats: ['webrtc-datachannel'],
    mid: offeredMid,
    isBundleOnly: false,
  };
  return [
    ...sessionLines(local, offeredMid, local.trickle ?? true),
    ...dataLines(local, section, local.setup ?? 'actpass'),
    '',
  ].join('\r\n');
}

/**
 * The text of an answer: the data section is taken, every other one is rejected in its place
 * (RFC 3264 section 6). Throws TypeError or RangeError, naming the option, also where `setup` does
 * not go with the offer's.
 */
export function formatAnswer(offer: SessionDescription, local: LocalDescription): string {
  checkLocal(local);
  const setup = answerSetup(offer.setup, local.setup);
  // RFC 9143 section 7.3.3: what is rejected leaves the group.
  const bundle = offer.bundle.length === 0 ? undefined : offer.mid;
  const lines = sessionLines(local, bundle, local.trickle ?? true);
  for (const [index, section] of offer.sections.entries()) {
    lines.push(...(index === offer.dataIndex ? dataLines(local, section, setup) : rejectedLines(section)));
  }
  return [...lines, ''].join('\r\n');
}

/**
 * The `setup` of an answer (RFC 4145 section 4.1, RFC 5763 section 5): never actpass. Throws RangeError
 * where the wanted one is not what the offer leaves.
 */
export function answerSetup(offered: Setup, wanted?: Setup): 'active' | 'passive' {
  if (offered === 'actpass') return wanted === 'passive' ? 'passive' : 'active';
  const left = offered === 'active' ? 'passive' : 'active';
  if (wanted !== undefined && wanted !== 'actpass' && wanted !== left) {
    throw new RangeError(`setup must be ${left}, as the offer is ${offered}`);
  }
  return left;
}

function sessionLines(local: LocalDescription, bundle: string | undefined, trickle: boolean): string[] {
  return [
    'v=0',
    // RFC 8829 section 5.2.1: an address that says nothing about this host.
    `o=- ${local.sessionId} ${local.sessionVersion ?? 1} IN IP4 0.0.0.0`,
    's=-',
    't=0 0',
    ...(bundle === undefined ? [] : [`a=group:BUNDLE ${bundle}`]),
    ...(local.iceLite === true ? ['a=ice-lite'] : []),
    `a=ice-options:${trickle ? 'trickle ' : ''}ice2`,
  ];
}

function dataLines(local: LocalDescription, section: MediaSection, setup: Setup): string[] {
  const { protocol, mid } = section;
  const candidates = local.candidates ?? [];
  const sctpPort = local.sctpPort ?? defaultSctpPort;
  const isLegacy = protocol === 'DTLS/SCTP';
  const { address, port } = defaultCandidate(candidates);
  return [
    `m=application ${port} ${protocol} ${isLegacy ? sctpPort : 'webrtc-datachannel'}`,
    `c=IN ${address.includes(':') ? 'IP6' : 'IP4'} ${address}`,
    ...(mid === undefined ? [] : [`a=mid:${mid}`]),
    `a=ice-ufrag:${local.iceUfrag}`,
    `a=ice-pwd:${local.icePwd}`,
    ...local.fingerprints.map((fingerprint) => `a=fingerprint:${formatFingerprint(fingerprint)}`),
    `a=setup:${setup}`,
    isLegacy ? `a=sctpmap:${sctpPort} webrtc-datachannel 65535` : `a=sctp-port:${sctpPort}`,
    `a=max-message-size:${local.maxMessageSize ?? defaultMaxMessageSize}`,
    ...candidates.map((candidate) => `a=${formatCandidate(candidate)}`),
    ...(local.endOfCandidates === true ? ['a=end-of-candidates'] : []),
  ];
}

function rejectedLines({ kind, protocol, formats, mid }: MediaSection): string[] {
  return [
    `m=${kind} 0 ${protocol} ${formats.join(' ')}`,
    'c=IN IP4 0.0.0.0',
    ...(mid === undefined ? [] : [`a=mid:${mid}`]),
    'a=inactive',
  ];
}

/**
 * What a peer without ICE would send to (RFC 8839 section 4.2.1.2): the candidate that works most
 * likely. Port 9 of no address, where candidates are still to come (RFC 8840 section 4.1.1).
 */
function defaultCandidate(candidates: readonly Candidate[]): { readonly address: string; readonly port: number } {
  for (const type of ['relay', 'srflx', 'host']) {
    for (const pattern of [/^[\d.]+$/, /:/]) {
      const found = candidates.find((c) => c.type === type && c.tcpType === undefined && pattern.test(c.address));
      if (found !== undefined) return found;
    }
  }
  return { address: '0.0.0.0', port: 9 };
}

function checkLocal(local: LocalDescription): void {
  if (!/^\d{1,19}$/.test(local.sessionId)) throw new TypeError('sessionId must be 1 to 19 digits');
  if (!/^[A-Za-z0-9+/]{4,256}$/.test(local.iceUfrag))
    throw new TypeError('iceUfrag must have 4 to 256 characters of A-Z a-z 0-9 + /');
  if (!/^[A-Za-z0-9+/]{22,256}$/.test(local.icePwd))
    throw new TypeError('icePwd must have 22 to 256 characters of A-Z a-z 0-9 + /');
  if (local.fingerprints.length === 0) throw new TypeError('fingerprints must have one at least');
  checkInteger('sessionVersion', local.sessionVersion, 0, Number.MAX_SAFE_INTEGER);
  checkInteger('sctpPort', local.sctpPort, 1, 65535);
  checkInteger('maxMessageSize', local.maxMessageSize, 0, Number.MAX_SAFE_INTEGER);
}

function checkInteger(name: string, value: number | undefined, min: number, max: number): void {
  if (value !== undefined && !(Number.isInteger(value) && value >= min && value <= max)) {
    throw new RangeError(`${name} must be an integer from ${min} to ${max}`);
  }
}
