import { formatHex } from '@millrace/core';
import { type Certificate, generateCertificate } from '@millrace/crypto';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { createPemCertificate, type PemCertificate } from './dtls/pem-certificate.ts';
import { connectDtls, listenDtls } from './dtls/udp-dtls.ts';
import { findPeer, requirePeer } from './require-peer.ts';
import { PeerProcess } from './support/peer-process.ts';

const suites = [
  { suite: 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', openssl: 'ECDHE-ECDSA-CHACHA20-POLY1305' },
  { suite: 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', openssl: 'ECDHE-ECDSA-AES128-GCM-SHA256' },
  { suite: 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM', openssl: 'ECDHE-ECDSA-AES128-CCM' },
  { suite: 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8', openssl: 'ECDHE-ECDSA-AES128-CCM8' },
] as const;

/** Handshake type of a HelloVerifyRequest (RFC 6347 section 4.3.2), and its place in a datagram. */
const helloVerifyRequest = 3;
const handshakeTypeAt = 13;

const exporterLabel = 'EXPORTER-millrace-interop';

let certificate: Certificate;
let theirs: PemCertificate | undefined;

beforeAll(async () => {
  certificate = await generateCertificate();
  const openssl = findPeer('openssl');
  if (openssl !== undefined) theirs = createPemCertificate(openssl);
});

afterAll(() => theirs?.remove());

function common(cipher: string): string[] {
  const files = ['-cert', theirs!.certificateFile, '-key', theirs!.keyFile];
  // OpenSSL counts CCM_8's short tag as 64 bits of security, below its default level.
  return ['-dtls1_2', ...files, '-cipher', `${cipher}:@SECLEVEL=0`, '-keymatexport', exporterLabel, '-keymatexportlen', '32'];
}

async function startServer(
  context: TestContext,
  cipher: string,
  ...args: string[]
): Promise<{ server: PeerProcess; port: number }> {
  const openssl = requirePeer(context, 'openssl');
  const server = PeerProcess.start(openssl, ['s_server', '-accept', '127.0.0.1:0', ...common(cipher), ...args]);
  const [, port] = await server.says(/ACCEPT 127\.0\.0\.1:(\d+)/);
  return { server, port: Number(port) };
}

function startClient(context: TestContext, port: number, cipher: string, ...args: string[]): PeerProcess {
  const openssl = requirePeer(context, 'openssl');
  return PeerProcess.start(openssl, ['s_client', '-connect', `127.0.0.1:${port}`, ...common(cipher), ...args]);
}

async function exporterOf(peer: PeerProcess): Promise<string> {
  const [, material] = await peer.says(/Keying material: ([0-9A-F]{64})\n/);
  return material!.toLowerCase();
}

describe.each(suites)('$suite', ({ suite, openssl: cipher }) => {
  test('connects to s_server after a cookie, with certificates on both sides, and speaks both ways', async (context) => {
    const { server, port } = await startServer(context, cipher, '-listen', '-Verify', '1');
    const client = await connectDtls(port, {
      certificate,
      cipherSuites: [suite],
      remoteFingerprints: [theirs!.fingerprint],
    });
    await client.connected();
    expect(client.machine.cipherSuite).toBe(suite);
    expect(client.received[0]![handshakeTypeAt]).toBe(helloVerifyRequest);
    expect(formatHex(client.machine.exportKeyingMaterial(exporterLabel, undefined, 32))).toBe(await exporterOf(server));
    expect(server.output).toContain('Client certificate');

    client.sendText('hello from Millrace\n');
    await server.says(/hello from Millrace/);
    server.write('hello from OpenSSL\n');
    expect(await client.receiveText(19)).toBe('hello from OpenSSL\n');

    expect(client.machine.stats.dropped).toEqual({});

    client.close();
    await server.says(/\nDONE\n/);
    expect(await client.closed()).toBeUndefined();
  });

  test('serves s_client after a cookie, with certificates on both sides, and speaks both ways', async (context) => {
    requirePeer(context, 'openssl');
    const server = await listenDtls({ certificate, cipherSuites: [suite], remoteFingerprints: [theirs!.fingerprint] });
    const client = startClient(context, server.port, cipher);
    await server.connected();
    expect(server.machine.cipherSuite).toBe(suite);
    expect(server.sent[0]![handshakeTypeAt]).toBe(helloVerifyRequest);
    expect(formatHex(server.machine.exportKeyingMaterial(exporterLabel, undefined, 32))).toBe(await exporterOf(client));
    expect(client.output).toContain('Extended master secret: yes');
    expect(client.output).toContain('Secure Renegotiation IS supported');

    client.write('hello from OpenSSL\n');
    expect(await server.receiveText(19)).toBe('hello from OpenSSL\n');
    server.sendText('hello from Millrace\n');
    await client.says(/hello from Millrace/);

    expect(server.machine.stats.dropped).toEqual({});

    client.end();
    expect(await server.closed()).toBeUndefined();
  });
});

const gcm = suites[0].openssl;

describe.each([
  { group: 'X25519', other: 'P-256', code: '00 1d', name: 'X25519' },
  { group: 'P-256', other: 'X25519', code: '00 17', name: 'ECDH, prime256v1' },
] as const)('$group', ({ group, other, code, name }) => {
  test('is agreed on with s_server', async (context) => {
    const { server, port } = await startServer(context, gcm, '-groups', 'X25519:P-256', '-msg');
    // The list also says on which curves certificates may be (RFC 8422 section 5.1), so it names both.
    const client = await connectDtls(port, { groups: [group, other] });
    await client.connected();
    // Handshake header of 12 bytes, then the curve's type and name (RFC 8422 section 5.4).
    await server.says(new RegExp(`\\n +0c( [0-9a-f]{2}){11} 03 ${code}`));
  });

  test('is agreed on with s_client', async (context) => {
    const server = await listenDtls({ certificate, groups: [group] });
    const client = startClient(context, server.port, gcm, '-groups', 'X25519:P-256');
    await server.connected();
    await client.says(new RegExp(`Server Temp Key: ${name}`));
  });
});

/** The smallest that OpenSSL takes; handshake messages come in several fragments then. */
const smallMtu = '256';

test('reassembles what s_server sends in fragments, and sends fragments itself', async (context) => {
  const { port } = await startServer(context, gcm, '-Verify', '1', '-mtu', smallMtu);
  const client = await connectDtls(port, { certificate, maxDatagramBytes: 256 });
  await client.connected();
  expect(Math.max(...client.received.map(({ length }) => length))).toBeLessThanOrEqual(256);
  expect(Math.max(...client.sent.map(({ length }) => length))).toBeLessThanOrEqual(256);
});

test('reassembles what s_client sends in fragments, and sends fragments itself', async (context) => {
  const server = await listenDtls({ certificate, maxDatagramBytes: 256, requestClientCertificate: true });
  startClient(context, server.port, gcm, '-mtu', smallMtu);
  await server.connected();
  expect(Math.max(...server.received.map(({ length }) => length))).toBeLessThanOrEqual(256);
  expect(Math.max(...server.sent.map(({ length }) => length))).toBeLessThanOrEqual(256);
});

test('connects without a cookie where none is asked for', async (context) => {
  const server = await listenDtls({ certificate, cookieExchange: false });
  startClient(context, server.port, gcm);
  await server.connected();
  expect(server.sent[0]![handshakeTypeAt]).not.toBe(helloVerifyRequest);
});

test('ends the connection of s_client with close_notify', async (context) => {
  const server = await listenDtls({ certificate });
  const client = startClient(context, server.port, gcm);
  await server.connected();
  await client.says(/Verify return code/);
  server.close();
  await client.says(/\nclosed\n/);
});

test('refuses a certificate that was not announced, in both roles', async (context) => {
  const stranger = { algorithm: 'sha-256', value: Array.from({ length: 32 }, () => '00').join(':') };
  const { server: peerServer, port } = await startServer(context, gcm);
  const client = await connectDtls(port, { remoteFingerprints: [stranger] });
  expect(await client.closed()).toMatchObject({ code: 'FINGERPRINT_MISMATCH' });
  await peerServer.says(/alert bad certificate/);

  const server = await listenDtls({ certificate, remoteFingerprints: [stranger] });
  const peerClient = startClient(context, server.port, gcm);
  expect(await server.closed()).toMatchObject({ code: 'FINGERPRINT_MISMATCH' });
  await peerClient.says(/alert bad certificate/);
});

test('reports the alert where no suite is common', async (context) => {
  const { port } = await startServer(context, suites[0].openssl);
  const client = await connectDtls(port, { cipherSuites: [suites[1].suite] });
  expect(await client.closed()).toMatchObject({ code: 'ALERT_RECEIVED', alert: 'handshake_failure' });

  const server = await listenDtls({ certificate, cipherSuites: [suites[1].suite] });
  const peer = startClient(context, server.port, suites[0].openssl);
  await peer.says(/alert handshake failure/);
  expect(await server.closed()).toMatchObject({ code: 'HANDSHAKE_FAILED', alert: 'handshake_failure' });
});
