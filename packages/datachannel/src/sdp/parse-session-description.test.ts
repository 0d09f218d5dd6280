import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSessionDescription } from './parse-session-description.ts';
import { SdpError } from './sdp-error.ts';
import { parseWithOracle } from './testing/parse-with-oracle.ts';
import {
  chromiumAnswer,
  chromiumMediaOffer,
  chromiumOffer,
  firefoxOffer,
  legacyOffer,
  liteOffer,
} from './testing/sdp-samples.ts';

const samples = { chromiumOffer, chromiumAnswer, chromiumMediaOffer, firefoxOffer, liteOffer, legacyOffer };

function errorOf(text: string, type?: 'offer' | 'answer'): SdpError {
  try {
    parseSessionDescription(text, type);
  } catch (error) {
    expect(error).toBeInstanceOf(SdpError);
    return error as SdpError;
  }
  throw new Error('the description was taken');
}

/** The number of the first line that begins so. */
function lineOf(text: string, prefix: string): number {
  return text.split('\r\n').findIndex((line) => line.startsWith(prefix)) + 1;
}

test("Chromium's offer is read", () => {
  expect(parseSessionDescription(chromiumOffer)).toMatchObject({
    mid: '0',
    bundle: ['0'],
    iceUfrag: 'EsAw',
    icePwd: 'bP+XJMM09aR8AiX1jdukzR6Y',
    iceLite: false,
    trickle: true,
    setup: 'actpass',
    sctpPort: 5000,
    maxMessageSize: 262144,
    endOfCandidates: false,
    candidates: [{ address: '7ddcee16-a6d7-4a1b-a2ee-0ab3c50cbb5b.local', port: 51234, type: 'host', priority: 2113937151 }],
  });
});

test("Firefox's offer is read: fingerprint of the session, a TCP candidate, the end of candidates", () => {
  const description = parseSessionDescription(firefoxOffer);
  expect(description).toMatchObject({ iceUfrag: '4b5c6d7e', maxMessageSize: 1073741823, endOfCandidates: true, trickle: true });
  expect(description.fingerprints).toEqual(parseSessionDescription(chromiumOffer).fingerprints);
  expect(description.candidates).toEqual([
    { foundation: '0', priority: 2122252543, address: '10.9.0.1', port: 53021, type: 'host' },
    { foundation: '1', priority: 2105524479, address: '10.9.0.1', port: 9, type: 'host', tcpType: 'active' },
  ]);
});

test('an ICE-lite offer is read: sha-512 at session level, no trickling, no size limit', () => {
  expect(parseSessionDescription(liteOffer)).toMatchObject({
    iceLite: true,
    iceOptions: ['ice2'],
    trickle: false,
    mid: 'datachannel',
    maxMessageSize: 0,
    fingerprints: [{ algorithm: 'sha-512' }],
  });
});

test('the data section is found behind audio and video, with its own transport', () => {
  const description = parseSessionDescription(chromiumMediaOffer);
  expect(description).toMatchObject({ dataIndex: 2, mid: '2', bundle: ['0', '1', '2'], iceUfrag: 'dat1' });
  expect(description.sections.map(({ kind, mid }) => [kind, mid])).toEqual([
    ['audio', '0'],
    ['video', '1'],
    ['application', '2'],
  ]);
});

test('a bundle-only data section has the transport of the first section of its group', () => {
  const [before, after] = chromiumMediaOffer.split('m=application 9') as [string, string];
  const bundled = `${before}m=application 0${after
    .split('\r\n')
    .filter((line) => !/^a=(ice|fingerprint|setup)/.test(line))
    .join('\r\n')}a=bundle-only\r\n`;
  expect(parseSessionDescription(bundled)).toMatchObject({ dataIndex: 2, iceUfrag: 'aud1', setup: 'actpass', trickle: true });
  const alone = bundled.replace('a=group:BUNDLE 0 1 2', 'a=group:BUNDLE 0 1');
  expect(errorOf(alone)).toMatchObject({ code: 'SDP_MISSING_ATTRIBUTE', line: lineOf(alone, 'm=application') });
});

test('several fingerprints are kept in order, and those of the section take the place of the session’s', () => {
  const sha1 = Array.from({ length: 20 }, () => 'ab').join(':');
  const more = firefoxOffer.replace('a=sendrecv', `a=fingerprint:SHA-1 ${sha1}\r\na=fingerprint:future-hash AB:CD`);
  expect(parseSessionDescription(more).fingerprints).toEqual([
    { algorithm: 'sha-1', value: sha1.toUpperCase() },
    { algorithm: 'future-hash', value: 'AB:CD' },
  ]);
});

test('the form of the early drafts is read too', () => {
  expect(parseSessionDescription(legacyOffer)).toMatchObject({ sctpPort: 5001, maxMessageSize: 65536 });
  const without = legacyOffer.replace(/a=sctpmap.*\r\n/, '');
  expect(errorOf(without)).toMatchObject({ code: 'SDP_MISSING_ATTRIBUTE' });
});

test('P3: the SCTP port is the one of the description, and a section without one is not valid', () => {
  expect(parseSessionDescription(chromiumOffer.replace('sctp-port:5000', 'sctp-port:6001')).sctpPort).toBe(6001);
  const without = chromiumOffer.replace('a=sctp-port:5000\r\n', '');
  expect(errorOf(without)).toMatchObject({ code: 'SDP_MISSING_ATTRIBUTE', line: lineOf(without, 'm=') });
  for (const bad of ['0', '65536', '-1', '5e3', '']) {
    const text = chromiumOffer.replace('sctp-port:5000', `sctp-port:${bad}`);
    expect(errorOf(text), bad).toMatchObject({ code: 'SDP_SYNTAX', line: lineOf(text, 'a=sctp-port') });
  }
});

test('C12: without max-message-size the limit is 65536, and 0 means none', () => {
  const without = chromiumOffer.replace('a=max-message-size:262144\r\n', '');
  expect(parseSessionDescription(without).maxMessageSize).toBe(65536);
  expect(parseSessionDescription(chromiumOffer.replace('size:262144', 'size:0')).maxMessageSize).toBe(0);
  expect(errorOf(chromiumOffer.replace('size:262144', 'size:many'))).toMatchObject({ code: 'SDP_SYNTAX' });
});

test('P1: an answer that says actpass is refused', () => {
  expect(parseSessionDescription(chromiumAnswer, 'answer').setup).toBe('active');
  expect(errorOf(chromiumOffer, 'answer')).toMatchObject({ code: 'SDP_SYNTAX', line: lineOf(chromiumOffer, 'a=setup') });
});

test('a rejected data section and none at all are told apart', () => {
  const rejected = chromiumAnswer.replace('m=application 9', 'm=application 0');
  expect(errorOf(rejected, 'answer')).toMatchObject({ code: 'SDP_REJECTED', line: lineOf(rejected, 'm=') });
  const none = chromiumMediaOffer.split('m=application')[0]!;
  expect(errorOf(none)).toMatchObject({ code: 'SDP_NO_DATA_SECTION', line: 0 });
  expect(errorOf(chromiumOffer.replace('webrtc-datachannel', 'other'))).toMatchObject({ code: 'SDP_NO_DATA_SECTION' });
});

test('I8: candidates with .local names or of unknown kinds do not spoil the others', () => {
  const mixed = firefoxOffer.replace(
    'a=sendrecv',
    [
      'a=candidate:2 1 udp 1 9b36eaac-bb2e-49bb-bb78-21c41c499900.local 4000 typ host',
      'a=candidate:3 1 ssltcp 1 10.9.0.1 443 typ host',
      'a=candidate:4 1 udp 1 10.9.0.1 4001 typ quantum',
      'a=candidate:5 2 udp 1 10.9.0.1 4002 typ host',
      'a=candidate:6 1 udp 1 2001:db8::1 4003 typ srflx raddr :: rport 0 generation 0 x-new thing',
    ].join('\r\n'),
  );
  expect(parseSessionDescription(mixed).candidates.map(({ port }) => port)).toEqual([53021, 9, 4000, 4003]);
});

test.each([
  ['a=candidate:a,b 1 udp 1 10.0.0.1 1 typ host', 'foundation'],
  ['a=candidate:1 1 udp 4294967296 10.0.0.1 1 typ host', 'priority'],
  ['a=candidate:1 1 udp 1 10.0.0.1 65536 typ host', 'port'],
  ['a=candidate:1 1 udp 1 10.0.0.1 1 host', 'typ'],
  ['a=ice-ufrag:abc', 'ice-ufrag'],
  ['a=ice-pwd:tooshort', 'ice-pwd'],
  ['a=ice-ufrag:ab cd', 'ice-ufrag'],
  ['a=setup:holdconn', 'setup'],
  ['a=fingerprint:sha-256 AB:CD', 'fingerprint'],
  ['a=fingerprint:sha-256', 'fingerprint'],
  ['a=mid:a b', 'mid'],
])('%s is refused with its line', (bad, word) => {
  const name = /^a=[a-z-]+/.exec(bad)![0];
  const text = chromiumOffer.replace(new RegExp(`${name}:.*\r\n`), `${bad}\r\n`);
  const error = errorOf(text);
  expect(error).toMatchObject({ code: 'SDP_SYNTAX', line: lineOf(text, bad) });
  expect(error.message).toContain(word);
});

test.each(['ice-ufrag', 'ice-pwd', 'fingerprint', 'setup'])('a description without %s is refused', (name) => {
  const text = chromiumOffer.replace(new RegExp(`a=${name}:.*\r\n`), '');
  expect(errorOf(text)).toMatchObject({ code: 'SDP_MISSING_ATTRIBUTE', line: lineOf(text, 'm=') });
});

test('what may stand once is refused twice, as no one can tell which counts', () => {
  for (const line of ['a=ice-pwd:cccccccccccccccccccccccc', 'a=sctp-port:5001', 'a=setup:passive', 'a=max-message-size:1']) {
    expect(errorOf(`${chromiumOffer}${line}\r\n`)).toMatchObject({ code: 'SDP_SYNTAX', line: 19 });
  }
  expect(errorOf(chromiumMediaOffer.replace('a=mid:1', 'a=mid:0'))).toMatchObject({ code: 'SDP_SYNTAX' });
});

test.each([
  ['v=0', 'v=1', 1],
  ['v=0\r\n', '', 1],
  ['s=-\r\n', '', 3],
  ['t=0 0\r\n', '', 7],
  ['o=- ', 'o=', 2],
  ['t=0 0', 't=0 0\r\nx=1', 5],
  ['t=0 0', 't = 0 0', 4],
  ['t=0 0\r\n', 't=0 0\r\ns=-\r\n', 5],
  ['t=0 0\r\n', 't=0 0\r\n\r\n', 5],
  ['c=IN IP4 0.0.0.0\r\n', 'c=IN IP4 0.0.0.0\r\nt=0 0\r\n', 10],
  ['a=mid:0', 'a=mid:0\rx', 16],
  ['m=application 9', 'm=application 99999', 8],
  ['m=application 9 UDP/DTLS/SCTP webrtc-datachannel', 'm=application 9 UDP/DTLS/SCTP', 8],
  ['m=application 9 UDP/DTLS/SCTP webrtc-datachannel', 'm=application', 8],
])('%j written as %j breaks the grammar at line %i', (part, bad, line) => {
  expect(errorOf(chromiumOffer.replace(part, bad))).toMatchObject({ code: 'SDP_SYNTAX', line });
});

test('a text that is empty, cut before its first section or far too long is refused', () => {
  expect(errorOf('')).toMatchObject({ code: 'SDP_SYNTAX', line: 0 });
  expect(errorOf('v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n')).toMatchObject({ code: 'SDP_NO_DATA_SECTION' });
  expect(errorOf(chromiumOffer + 'a=x\r\n'.repeat(100_000))).toMatchObject({ code: 'SDP_SYNTAX', line: 0 });
  expect(errorOf(chromiumOffer + 'm=audio 9 RTP/AVP 0\r\n'.repeat(300))).toMatchObject({ code: 'SDP_SYNTAX' });
  expect(() => parseSessionDescription(undefined as unknown as string)).toThrow(TypeError);
});

test('LF alone ends a line too, and white space after the last line is no line', () => {
  const expected = parseSessionDescription(chromiumOffer);
  expect(parseSessionDescription(chromiumOffer.replaceAll('\r\n', '\n'))).toEqual(expected);
  expect(parseSessionDescription(chromiumOffer.trimEnd())).toEqual(expected);
  expect(parseSessionDescription(`${chromiumOffer}\r\n  \n`)).toEqual(expected);
});

test.each(Object.entries(samples))('%s reads as sdp-transform reads it', (_, text) => {
  const description = parseSessionDescription(text);
  const oracle = parseWithOracle(text);
  const media = oracle.media[description.dataIndex]!;
  const fingerprint = media.fingerprint ?? oracle.fingerprint!;
  expect(description.sections.map(({ kind, port, protocol, formats }) => [kind, port, protocol, formats.join(' ')])).toEqual(
    oracle.media.map(({ type, port, protocol, payloads }) => [type, port, protocol, String(payloads)]),
  );
  expect(String(description.mid)).toBe(String(media.mid));
  expect(description.iceUfrag).toBe(media.iceUfrag);
  expect(description.icePwd).toBe(media.icePwd);
  expect(description.setup).toBe(media.setup);
  expect(description.fingerprints[0]).toEqual({ algorithm: fingerprint.type, value: fingerprint.hash.toUpperCase() });
  expect(description.maxMessageSize).toBe(media.maxMessageSize ?? 65536);
  expect(description.candidates.map(({ port }) => port)).toEqual((media.candidates ?? []).map(({ port }) => port));
  expect(description.iceLite).toBe(oracle.icelite !== undefined);
});

test('whatever is done to a description, it is read or refused with an SdpError', () => {
  const all = Object.values(samples).flatMap((text) => text.split('\r\n'));
  const mutation = fc.record({
    kind: fc.constantFrom('drop', 'repeat', 'insert', 'cut', 'splice'),
    at: fc.nat(),
    text: fc.oneof(fc.constantFrom(...all), fc.string(), fc.string({ unit: 'binary' })),
  });
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(samples)), fc.array(mutation, { maxLength: 6 }), (sample, mutations) => {
      const lines = sample.split('\r\n');
      for (const { kind, at, text } of mutations) {
        const index = at % Math.max(1, lines.length);
        if (kind === 'drop') lines.splice(index, 1);
        else if (kind === 'repeat') lines.splice(index, 0, lines[index] ?? '');
        else if (kind === 'insert') lines.splice(index, 0, text);
        else if (kind === 'cut') lines[index] = (lines[index] ?? '').slice(0, at % 20);
        else lines[index] = `${(lines[index] ?? '').slice(0, at % 30)}${text}`;
      }
      try {
        const description = parseSessionDescription(lines.join('\r\n'));
        expect(description.iceUfrag.length).toBeGreaterThanOrEqual(4);
        expect(description.fingerprints.length).toBeGreaterThan(0);
        expect(description.sctpPort).toBeGreaterThan(0);
      } catch (error) {
        if (!(error instanceof SdpError)) throw error;
        expect(error.line).toBeLessThanOrEqual(lines.length);
      }
    }),
    { numRuns: 1500 },
  );
});
