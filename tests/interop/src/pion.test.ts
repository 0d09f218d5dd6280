import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatHex } from '@millrace/core';
import { type Certificate, type Fingerprint, generateCertificate } from '@millrace/crypto';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { connectDtls, listenDtls } from './dtls/udp-dtls.ts';
import { findPeer, requirePeer, requirePeerThat } from './require-peer.ts';
import { PeerProcess } from './support/peer-process.ts';

const suites = [
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_CCM',
  'TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8',
] as const;

/** Where Debian puts the sources of its Go libraries. */
const goPath = '/usr/share/gocode';
const pionIsInstalled = existsSync(join(goPath, 'src/github.com/pion/dtls/v2'));

const folder = mkdtempSync(join(tmpdir(), 'millrace-pion-'));
const program = join(folder, 'peer');
let certificate: Certificate;

beforeAll(async () => {
  certificate = await generateCertificate();
  const go = findPeer('go');
  if (go === undefined || !pionIsInstalled) return;
  const source = fileURLToPath(new URL('../pion/main.go', import.meta.url));
  execFileSync(go, ['build', '-o', program, source], { env: { ...process.env, GO111MODULE: 'off', GOPATH: goPath } });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(context: TestContext, ...args: string[]): PeerProcess {
  requirePeer(context, 'go');
  requirePeerThat(context, 'pion', pionIsInstalled);
  return PeerProcess.start(program, args);
}

async function fingerprintOf(peer: PeerProcess): Promise<Fingerprint> {
  const [, digits] = await peer.says(/fingerprint ([0-9A-F]{64})\n/);
  return { algorithm: 'sha-256', value: digits!.match(/../g)!.join(':') };
}

describe.each(suites)('%s', (suite) => {
  test('connects to pion after a cookie, with certificates on both sides, and ends it with close_notify', async (context) => {
    const server = start(context, 'listen', suite);
    const [, port] = await server.says(/port (\d+)\n/);
    const client = await connectDtls(Number(port), {
      certificate,
      cipherSuites: [suite],
      remoteFingerprints: [await fingerprintOf(server)],
    });
    await client.connected();
    const [, exported] = await server.says(/connected ([0-9a-f]{64})\n/);
    expect(formatHex(client.machine.exportKeyingMaterial('EXPORTER-millrace-interop', undefined, 32))).toBe(exported);

    client.sendText('there and back');
    expect(await client.receiveText(14)).toBe('there and back');
    expect(client.machine.stats.dropped).toEqual({});

    client.close();
    await server.says(/closed: EOF/);
  });

  test('serves pion after a cookie, with certificates on both sides, and ends it with close_notify', async (context) => {
    const server = await listenDtls({ certificate, cipherSuites: [suite], requestClientCertificate: true });
    const client = start(context, 'dial', String(server.port), suite);
    server.machine.setRemoteFingerprints([await fingerprintOf(client)]);
    await server.connected();
    const [, exported] = await client.says(/connected ([0-9a-f]{64})\n/);
    expect(formatHex(server.machine.exportKeyingMaterial('EXPORTER-millrace-interop', undefined, 32))).toBe(exported);

    server.sendText('there and back');
    expect(await server.receiveText(14)).toBe('there and back');
    expect(server.machine.stats.dropped).toEqual({});

    server.close();
    await client.says(/closed: EOF/);
  });
});
