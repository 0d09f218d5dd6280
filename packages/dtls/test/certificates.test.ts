import { fingerprintOf, generateCertificate } from '@millrace/crypto';
import { describe, expect, test } from 'vitest';
import {
  clientCertificate,
  connectedPair,
  createPair,
  drain,
  exchange,
  receive,
  sealText,
  send,
  serverCertificate,
  transmit,
} from './pair.ts';

const client256 = clientCertificate.fingerprint;
const client512 = fingerprintOf(clientCertificate.der, 'sha-512');
const wrong = { algorithm: 'sha-256', value: Array(32).fill('00').join(':') };

describe('TLS-13: fingerprints', () => {
  test.each([
    ['of one hash', [client256]],
    ['of several hashes', [client512, client256, fingerprintOf(clientCertificate.der, 'sha-384')]],
    ['of another certificate besides', [wrong, client256]],
    ['of an unknown hash besides', [{ algorithm: 'md5', value: 'AB' }, client256]],
    ['in the other letter case', [{ algorithm: 'SHA-256', value: client256.value.toLowerCase() }]],
  ])('%s are accepted', (_, remoteFingerprints) => {
    const { client, server } = connectedPair({}, { remoteFingerprints });
    expect([client.dtls.state, server.dtls.state]).toEqual(['connected', 'connected']);
    expect(server.dtls.remoteCertificate).toEqual(clientCertificate.der);
    expect(server.events).toMatchObject([{ type: 'connected', remoteCertificate: clientCertificate.der }]);
    expect(client.dtls.remoteCertificate).toEqual(serverCertificate.der);
  });

  test.each([
    ['of another certificate', [wrong]],
    ['of the same certificate but a wrong one under a stronger hash', [client256, { ...wrong, algorithm: 'sha-512' }]],
    ['of a hash that nobody knows', [{ algorithm: 'md5', value: 'AB' }]],
  ])('%s are refused', (_, remoteFingerprints) => {
    const { client, server } = connectedPair({}, { remoteFingerprints });
    expect(server.events).toMatchObject([{ type: 'closed', error: { code: 'FINGERPRINT_MISMATCH', alert: 'bad_certificate' } }]);
    expect(client.events).toMatchObject([{ type: 'closed', error: { alert: 'bad_certificate' } }]);
  });

  test('that become known later are checked then', () => {
    const trickled = { remoteFingerprints: undefined, requestClientCertificate: true };
    const good = connectedPair({}, trickled);
    good.server.dtls.setRemoteFingerprints([client256]);
    send(good.client, good.server, 'on');
    expect(good.server.received).toEqual(['on']);
    const bad = connectedPair({}, trickled);
    bad.server.dtls.setRemoteFingerprints([wrong]);
    drain(bad.server);
    expect(bad.server.events.at(-1)).toMatchObject({ type: 'closed', error: { code: 'FINGERPRINT_MISMATCH' } });
    receive(bad.client, 0, transmit(bad.server, 0));
    expect(bad.client.events.at(-1)).toMatchObject({ type: 'closed', error: { alert: 'bad_certificate' } });
  });

  test('that become known while the certificate was never asked for end the handshake', () => {
    const { client, server } = createPair({}, { remoteFingerprints: undefined });
    receive(server, 0, transmit(client, 0));
    receive(client, 0, transmit(server, 0));
    server.dtls.setRemoteFingerprints([client256]);
    exchange(client, server);
    expect(server.events).toMatchObject([{ type: 'closed', error: { code: 'FINGERPRINT_MISMATCH' } }]);
  });
});

describe('TLS-12: the certificate of the client', () => {
  test('is demanded where fingerprints are known', () => {
    const { client, server } = connectedPair({ certificate: undefined });
    expect(server.events).toMatchObject([{ type: 'closed', error: { code: 'HANDSHAKE_FAILED', alert: 'handshake_failure' } }]);
    expect(client.events).toMatchObject([{ type: 'closed', error: { code: 'ALERT_RECEIVED' } }]);
  });

  test('may be missing where it was only asked for', () => {
    const { client, server } = connectedPair(
      { certificate: undefined },
      { remoteFingerprints: undefined, requestClientCertificate: true },
    );
    expect(client.dtls.state).toBe('connected');
    expect(server.dtls.remoteCertificate).toBeUndefined();
  });

  test('is not sent where it was not asked for', () => {
    const { client, server } = connectedPair({}, { remoteFingerprints: undefined });
    expect(client.dtls.state).toBe('connected');
    expect(server.dtls.remoteCertificate).toBeUndefined();
  });

  test('may be of P-384 or RSA, and that of the server of P-384', async () => {
    const other = await generateCertificate({ type: 'P-384' });
    for (const certificate of [other, await generateCertificate({ type: 'RSA' })]) {
      const pair = connectedPair(
        { certificate, remoteFingerprints: [other.fingerprint] },
        { certificate: other, remoteFingerprints: [certificate.fingerprint] },
      );
      expect([pair.client.dtls.state, pair.server.dtls.state]).toEqual(['connected', 'connected']);
    }
  });

  test('is worth nothing without its key', () => {
    const thief = { ...clientCertificate, sign: serverCertificate.sign.bind(serverCertificate) };
    const { server } = connectedPair({ certificate: thief });
    expect(server.events).toMatchObject([{ type: 'closed', error: { code: 'HANDSHAKE_FAILED', alert: 'decrypt_error' } }]);
    const { client } = connectedPair(
      {},
      { certificate: { ...serverCertificate, sign: clientCertificate.sign.bind(clientCertificate) } },
    );
    expect(client.events).toMatchObject([{ type: 'closed', error: { code: 'HANDSHAKE_FAILED', alert: 'decrypt_error' } }]);
  });

  test('that is no certificate is refused', () => {
    const { server } = connectedPair({ certificate: { ...clientCertificate, der: Uint8Array.of(1, 2, 3) } });
    expect(server.events).toMatchObject([{ type: 'closed', error: { alert: 'bad_certificate' } }]);
  });
});

describe('TLS-24: keying material', () => {
  test('is the same on both ends, and another for another label, context or length', () => {
    const { client, server } = connectedPair();
    const context = new TextEncoder().encode('context');
    const variants: [string, Uint8Array | undefined][] = [
      ['EXPORTER-a', undefined],
      ['EXPORTER-b', undefined],
      ['EXPORTER-a', new Uint8Array(0)],
      ['EXPORTER-a', context],
    ];
    const exported = variants.map(([label, with_]) => {
      const bytes = client.dtls.exportKeyingMaterial(label, with_, 40);
      expect(server.dtls.exportKeyingMaterial(label, with_, 40)).toEqual(bytes);
      return bytes.join();
    });
    expect(new Set(exported).size).toBe(4);
  });

  test('is refused under labels of TLS itself, and without a connection', () => {
    const { client, server } = connectedPair();
    expect(() => client.dtls.exportKeyingMaterial('master secret', undefined, 48)).toThrow(/label/);
    expect(() => client.dtls.exportKeyingMaterial('x', undefined, 0)).toThrow(/length/);
    server.dtls.close(0);
    expect(() => server.dtls.exportKeyingMaterial('x', undefined, 1)).toThrow(expect.objectContaining({ code: 'NOT_CONNECTED' }));
  });

  test('and the key log names both ends alike, in the format of NSS', () => {
    const lines: string[] = [];
    const keyLog = (line: string): void => void lines.push(line);
    connectedPair({ keyLog }, { keyLog });
    expect(lines[0]).toMatch(/^CLIENT_RANDOM [0-9a-f]{64} [0-9a-f]{96}$/);
    expect(lines).toEqual([lines[0], lines[0]]);
  });
});

test('seal refuses what it can not do, at once', () => {
  const { client, server } = createPair();
  expect(() => sealText(client, 'early')).toThrow(expect.objectContaining({ code: 'NOT_CONNECTED' }));
  exchange(client, server);
  expect(() => client.dtls.seal(new Uint8Array(40_000), 0, 16_385)).toThrow(/length/);
  expect(() => client.dtls.seal(new Uint8Array(40), 0, 40)).toThrow(/headroomBytes/);
  expect(() => client.dtls.seal(new Uint8Array(40), -1, 1)).toThrow(/start/);
  const full = new Uint8Array(client.dtls.headroomBytes + 16_384 + client.dtls.tailroomBytes);
  expect(client.dtls.seal(full, 0, 16_384)).toBe(full.length);
  receive(server, 0, [full, sealText(client, '')]);
  expect(server.received.map((text) => text.length)).toEqual([16_384, 0]);
});
