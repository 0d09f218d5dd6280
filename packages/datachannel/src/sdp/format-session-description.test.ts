import { seededRandom } from '@millrace/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerSetup, createSessionId, formatAnswer, formatOffer } from './format-session-description.ts';
import { parseSessionDescription } from './parse-session-description.ts';
import type { LocalDescription, Setup } from './session-description.ts';
import { parseWithOracle } from './testing/parse-with-oracle.ts';
import { chromiumMediaOffer, chromiumOffer, firefoxOffer, legacyOffer, liteOffer } from './testing/sdp-samples.ts';

const local: LocalDescription = {
  sessionId: '4611686018427387903',
  iceUfrag: 'mill',
  icePwd: 'raceraceraceraceracerace',
  fingerprints: [{ algorithm: 'sha-256', value: Array.from({ length: 32 }, () => 'A1').join(':') }],
};

test('an offer is one that browsers read: every line of it', () => {
  const candidates = [
    { foundation: '1', priority: 2130706431, address: '192.0.2.1', port: 4000, type: 'host' as const },
    { foundation: '2', priority: 2130706175, address: '2001:db8::1', port: 4000, type: 'host' as const },
  ];
  const text = formatOffer({ ...local, candidates, endOfCandidates: true, trickle: false, maxMessageSize: 0 });
  expect(text.split('\r\n')).toEqual([
    'v=0',
    'o=- 4611686018427387903 1 IN IP4 0.0.0.0',
    's=-',
    't=0 0',
    'a=group:BUNDLE 0',
    'a=ice-options:ice2',
    'm=application 4000 UDP/DTLS/SCTP webrtc-datachannel',
    'c=IN IP4 192.0.2.1',
    'a=mid:0',
    'a=ice-ufrag:mill',
    'a=ice-pwd:raceraceraceraceracerace',
    `a=fingerprint:sha-256 ${local.fingerprints[0]!.value}`,
    'a=setup:actpass',
    'a=sctp-port:5000',
    'a=max-message-size:0',
    'a=candidate:1 1 udp 2130706431 192.0.2.1 4000 typ host',
    'a=candidate:2 1 udp 2130706175 2001:db8::1 4000 typ host',
    'a=end-of-candidates',
    '',
  ]);
});

test('without candidates the default is port 9 of no address, and trickling is announced', () => {
  const text = formatOffer(local);
  expect(text).toContain('m=application 9 UDP/DTLS/SCTP');
  expect(text).toContain('c=IN IP4 0.0.0.0');
  expect(text).toContain('a=ice-options:trickle ice2');
  const v6 = { foundation: '1', priority: 1, address: '::1', port: 5, type: 'host' as const };
  expect(formatOffer({ ...local, candidates: [v6] })).toContain('c=IN IP6 ::1');
  const named = { ...v6, address: 'a.local' };
  expect(formatOffer({ ...local, candidates: [named] })).toContain('m=application 9 ');
});

test('an answer rejects audio and video in their places, and the group shrinks to the data section', () => {
  const answer = formatAnswer(parseSessionDescription(chromiumMediaOffer), local);
  const sections = answer.split(/(?=^m=)/m).slice(1);
  expect(sections[0]).toBe(
    'm=audio 0 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\na=inactive\r\n',
  );
  expect(sections[1]).toBe('m=video 0 UDP/TLS/RTP/SAVPF 96 97\r\nc=IN IP4 0.0.0.0\r\na=mid:1\r\na=inactive\r\n');
  expect(sections[2]).toContain('a=mid:2');
  expect(answer).toContain('a=group:BUNDLE 2\r\n');
  expect(parseSessionDescription(answer, 'answer')).toMatchObject({ dataIndex: 2, mid: '2', bundle: ['2'], setup: 'active' });
});

test('an offer without mids or without a group gets an answer without them', () => {
  const answer = formatAnswer(parseSessionDescription(chromiumOffer.replace('a=mid:0\r\n', '')), local);
  expect(answer).not.toMatch(/a=mid|a=group/);
  expect(formatAnswer(parseSessionDescription(chromiumOffer.replace('a=group:BUNDLE 0\r\n', '')), local)).not.toContain(
    'a=group',
  );
});

test('a second data section is rejected', () => {
  const twice = chromiumOffer + chromiumOffer.slice(chromiumOffer.indexOf('m=application')).replace('a=mid:0', 'a=mid:1');
  const answer = formatAnswer(parseSessionDescription(twice), local);
  expect(answer).toMatch(
    /m=application 9 [^]*m=application 0 UDP\/DTLS\/SCTP webrtc-datachannel\r\nc=.*\r\na=mid:1\r\na=inactive\r\n$/,
  );
});

test('P1: an answer is active or passive, never actpass', () => {
  const setups: Setup[] = ['actpass', 'active', 'passive'];
  for (const offered of setups) {
    for (const wanted of [undefined, ...setups]) {
      if ((offered === 'active' && wanted === 'active') || (offered === 'passive' && wanted === 'passive')) {
        expect(() => answerSetup(offered, wanted)).toThrow(/setup must be/);
        continue;
      }
      const setup = answerSetup(offered, wanted);
      expect(setup).toBe(
        offered === 'actpass' ? (wanted === 'passive' ? 'passive' : 'active') : offered === 'active' ? 'passive' : 'active',
      );
    }
  }
  const answer = formatAnswer(parseSessionDescription(firefoxOffer), { ...local, setup: 'actpass' });
  expect(parseSessionDescription(answer, 'answer').setup).toBe('active');
});

test('the early drafts are answered in their own form', () => {
  const answer = formatAnswer(parseSessionDescription(legacyOffer), { ...local, sctpPort: 6000 });
  expect(answer).toContain('m=application 9 DTLS/SCTP 6000\r\n');
  expect(answer).toContain('a=sctpmap:6000 webrtc-datachannel 65535\r\n');
  expect(parseSessionDescription(answer, 'answer').sctpPort).toBe(6000);
});

test('ice-lite is said where it is so', () => {
  expect(formatAnswer(parseSessionDescription(liteOffer), local)).not.toContain('a=ice-lite');
  expect(parseSessionDescription(formatOffer({ ...local, iceLite: true })).iceLite).toBe(true);
});

test.each([
  [{ sessionId: 'x' }, 'sessionId'],
  [{ iceUfrag: 'abc' }, 'iceUfrag'],
  [{ icePwd: 'short' }, 'icePwd'],
  [{ fingerprints: [] }, 'fingerprints'],
  [{ sctpPort: 0 }, 'sctpPort'],
  [{ maxMessageSize: -1 }, 'maxMessageSize'],
  [{ maxMessageSize: 1.5 }, 'maxMessageSize'],
  [{ sessionVersion: Number.NaN }, 'sessionVersion'],
])('%j is refused with the name of the option', (bad, name) => {
  expect(() => formatOffer({ ...local, ...bad })).toThrow(new RegExp(name));
});

test('a session id is a positive number below 2^62 in digits', () => {
  const random = seededRandom(7);
  const ids = Array.from({ length: 200 }, () => createSessionId(random));
  expect(new Set(ids).size).toBe(200);
  for (const id of ids) expect(BigInt(id) < 2n ** 62n && /^\d+$/.test(id)).toBe(true);
  expect(createSessionId({ fill: (target) => void target.fill(255) })).toBe((2n ** 62n - 1n).toString());
});

test('what is written is read back the same, and sdp-transform reads it too', () => {
  const ice = (min: number, max: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom(...'abcXYZ019+/'), minLength: min, maxLength: max });
  const port = fc.integer({ min: 1, max: 65535 });
  const candidate = fc.record(
    {
      foundation: ice(1, 32),
      priority: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      address: fc.oneof(
        fc.ipV4(),
        fc.ipV6(),
        fc.uuid().map((id) => `${id}.local`),
      ),
      port,
      type: fc.constantFrom('host', 'srflx', 'prflx', 'relay'),
      tcpType: fc.constantFrom('active', 'passive', 'so'),
      ufrag: ice(4, 8),
    },
    { requiredKeys: ['foundation', 'priority', 'address', 'port', 'type'] },
  );
  const description = fc.record({
    iceUfrag: ice(4, 40),
    icePwd: ice(22, 40),
    iceLite: fc.boolean(),
    trickle: fc.boolean(),
    setup: fc.constantFrom<Setup>('actpass', 'active', 'passive'),
    sctpPort: port,
    maxMessageSize: fc.nat(),
    candidates: fc.array(candidate, { maxLength: 5 }),
    endOfCandidates: fc.boolean(),
  });
  fc.assert(
    fc.property(description, (d) => {
      const text = formatOffer({ ...local, ...d } as LocalDescription);
      expect(parseSessionDescription(text)).toMatchObject({ ...d, fingerprints: local.fingerprints, mid: '0' });
      const media = parseWithOracle(text).media[0]!;
      // The oracle makes a number of what looks like one.
      if (typeof media.iceUfrag === 'string') expect(media.iceUfrag).toBe(d.iceUfrag);
      expect(media.sctpPort).toBe(d.sctpPort);
      expect(media.candidates ?? []).toHaveLength(d.candidates.length);
    }),
    { numRuns: 300 },
  );
});
