import { seededRandom } from '@millrace/core';
import { expect, test } from 'vitest';
import { createConfig, type KeyStart } from '../src/config.ts';
import { createConnection } from '../src/create-dtls.ts';
import type { CipherSuite, DtlsEvent, DtlsOptions } from '../src/types.ts';
import {
  clientCertificate,
  connectedPair,
  createEnd,
  drain,
  type End,
  exchange,
  receive,
  sealText,
  send,
  serverCertificate,
  transmit,
} from './pair.ts';

const ccm: CipherSuite = 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM';
const gcm: CipherSuite = 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256';
const chacha20: CipherSuite = 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256';
const ccmLimit = 2 ** 34;

/** A connected client whose sealing key has been used already, and its server. */
function usedPair(start: Partial<KeyStart>, options: Partial<DtlsOptions> = {}): { client: End; server: End } {
  const received: string[] = [];
  const config = createConfig({
    role: 'client',
    certificate: clientCertificate,
    remoteFingerprints: [serverCertificate.fingerprint],
    random: seededRandom(11),
    cipherSuites: [ccm],
    onData: (data, from, end) => void received.push(new TextDecoder().decode(data.subarray(from, end))),
    ...options,
  });
  const keyStart = { sequenceNumber: 0, sealedBlocks: 0, ...start };
  const client: End = { dtls: createConnection({ ...config, keyStart }), events: [], received };
  const server = createEnd('server', { cipherSuites: options.cipherSuites ?? [ccm] });
  client.dtls.connect(0);
  exchange(client, server);
  return { client, server };
}

function levels(end: End): Extract<DtlsEvent, { type: 'keyUsage' }>[] {
  drain(end);
  return end.events.filter((event) => event.type === 'keyUsage');
}

/** AES blocks of a record with CCM: B_0, the additional data and the tag's mask, and each block of plaintext twice. */
function ccmBlocks(plaintextBytes: number): number {
  return 3 + 2 * Math.ceil(plaintextBytes / 16);
}

test.each([
  [ccm, ccmLimit, ccmBlocks(16), ccmBlocks(17)],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8', ccmLimit, ccmBlocks(16), ccmBlocks(17)],
  [gcm, 2 ** 34.5, 2, 3],
  [chacha20, Number.POSITIVE_INFINITY, 2, 3],
] as const)('sealing is counted in AES blocks with %s', (suite, limit, one, two) => {
  const { client, server } = connectedPair({ cipherSuites: [suite] }, { cipherSuites: [suite] });
  const { keyUsage } = client.dtls.stats;
  const before = keyUsage!.sealedBlocks;
  // The Finished of the handshake is 24 bytes under the same key.
  expect(before).toBe(two);
  send(client, server, 'x'.repeat(16));
  send(client, server, 'x'.repeat(17));
  expect(keyUsage).toMatchObject({ sealedBlocks: before + one + two, sealLimitBlocks: limit, recordsBeyondLimit: 0 });
  expect(server.dtls.stats.keyUsage!.sealedBlocks).toBe(two);
});

test('at 90 % of the limit there is one event, and the connection goes on', () => {
  const { client, server } = usedPair({ sealedBlocks: Math.ceil(0.9 * ccmLimit) - ccmBlocks(24) - 1 });
  expect(levels(client)).toEqual([]);
  for (let i = 0; i < 5; i++) send(client, server, `message ${i}`);
  expect(levels(client)).toMatchObject([{ level: 'near', usage: { sealLimitBlocks: ccmLimit, recordsBeyondLimit: 0 } }]);
  expect(levels(client)[0]!.usage.sealedBlocks).toBeGreaterThanOrEqual(0.9 * ccmLimit);
  expect(server.received).toHaveLength(5);
});

test('at the limit there is another event, records beyond it are counted, and the connection goes on', () => {
  const { client, server } = usedPair({ sealedBlocks: ccmLimit - ccmBlocks(24) - 1 });
  for (let i = 0; i < 5; i++) send(client, server, `message ${i}`);
  expect(levels(client).map(({ level }) => level)).toEqual(['reached']);
  expect(client.dtls.stats.keyUsage!.recordsBeyondLimit).toBe(4);
  expect(client.dtls.state).toBe('connected');
  expect(server.received).toHaveLength(5);
});

test('enforceKeyLimits closes at the limit with a typed error, and what was sealed arrives', () => {
  const { client, server } = usedPair({ sealedBlocks: ccmLimit - ccmBlocks(24) - 1 }, { enforceKeyLimits: true });
  send(client, server, 'the last');
  expect(client.dtls.state).toBe('closed');
  expect(() => sealText(client, 'one more')).toThrow(expect.objectContaining({ code: 'NOT_CONNECTED' }));
  drain(client);
  expect(client.events.at(-1)).toMatchObject({ type: 'closed', error: { code: 'KEY_LIMIT_REACHED' } });
  expect(levels(client)).toEqual([]);
  receive(server, 0, transmit(client, 0));
  expect(server.received).toEqual(['the last']);
  expect(server.events.at(-1)).toEqual({ type: 'closed' });
});

test('enforceKeyLimits tells of 90 % as well', () => {
  const { client, server } = usedPair({ sealedBlocks: Math.ceil(0.9 * ccmLimit) }, { enforceKeyLimits: true });
  send(client, server, 'on');
  send(client, server, 'and on');
  expect(levels(client).map(({ level }) => level)).toEqual(['near']);
  expect(client.dtls.state).toBe('connected');
});

test('ChaCha20-Poly1305 has no limit of blocks', () => {
  const { client, server } = usedPair({ sealedBlocks: 2 ** 50 }, { cipherSuites: [chacha20], enforceKeyLimits: true });
  send(client, server, 'on');
  expect(levels(client)).toEqual([]);
  expect(client.dtls.state).toBe('connected');
});

test.each([false, true])('the sequence numbers always end before they wrap (enforceKeyLimits %s)', (enforceKeyLimits) => {
  const { client, server } = usedPair({ sequenceNumber: 2 ** 48 - 40 }, { enforceKeyLimits });
  const numbers: number[] = [];
  expect(() => {
    for (;;) {
      const record = sealText(client, 'x');
      numbers.push(new DataView(record.buffer, record.byteOffset).getUint32(7));
      receive(server, 0, [record]);
    }
  }).toThrow(expect.objectContaining({ code: 'NOT_CONNECTED' }));
  drain(client);
  expect(client.events.at(-1)).toMatchObject({ type: 'closed', error: { code: 'SEQUENCE_EXHAUSTED' } });
  expect(server.received).toHaveLength(numbers.length);
  expect(numbers.length).toBeGreaterThan(20);
  const [farewell] = transmit(client, 0);
  expect([...farewell!.subarray(5, 10)]).toEqual([255, 255, 255, 255, 255]);
  expect(farewell![10]).toBeGreaterThan(numbers.at(-1)! & 0xff);
});

test('records that fail to open are counted, and never close the connection', () => {
  const { client, server } = connectedPair({ cipherSuites: [ccm] }, { cipherSuites: [ccm], enforceKeyLimits: true });
  for (let i = 0; i < 300; i++) {
    const forged = sealText(client, 'forged');
    forged[forged.length - 1]! ^= 1;
    receive(server, 0, [forged]);
  }
  expect(server.dtls.stats.keyUsage).toMatchObject({ failedOpens: 300, failedOpensLimit: 2 ** 23.5 });
  expect(server.dtls.stats.dropped).toMatchObject({ 'bad-mac': 300 });
  send(client, server, 'genuine');
  expect(server.received).toEqual(['genuine']);
  expect(levels(server)).toEqual([]);
});

test('a new handshake has new keys and a new count', () => {
  const { client, server } = connectedPair({}, { cookieExchange: true });
  send(server, client, 'x'.repeat(1000));
  const before = server.dtls.stats.keyUsage!.sealedBlocks;
  const again = createEnd('client', {}, 5);
  again.dtls.connect(0);
  exchange(again, server);
  expect(server.events.at(-1)).toMatchObject({ type: 'restarted' });
  expect(server.dtls.stats.keyUsage!.sealedBlocks).toBeLessThan(before);
});

test('enforceKeyLimits must be a boolean', () => {
  expect(() => createEnd('client', { enforceKeyLimits: 1 as never })).toThrow('enforceKeyLimits must be true or false');
});
