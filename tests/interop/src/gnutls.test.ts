import { formatHex } from '@millrace/core';
import { type Certificate, generateCertificate } from '@millrace/crypto';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { createPemCertificate, type PemCertificate } from './dtls/pem-certificate.ts';
import { connectDtls, listenDtls } from './dtls/udp-dtls.ts';
import { findPeer, requirePeer } from './require-peer.ts';
import { freeUdpPort } from './support/free-udp-port.ts';
import { PeerProcess } from './support/peer-process.ts';

const suites = [
  { suite: 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', cipher: 'CHACHA20-POLY1305' },
  { suite: 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', cipher: 'AES-128-GCM' },
  { suite: 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM', cipher: 'AES-128-CCM' },
  { suite: 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8', cipher: 'AES-128-CCM-8' },
] as const;

const exporterLabel = 'EXPORTER-millrace-interop';

let certificate: Certificate;
let theirs: PemCertificate | undefined;

beforeAll(async () => {
  certificate = await generateCertificate();
  const openssl = findPeer('openssl');
  if (openssl !== undefined) theirs = createPemCertificate(openssl);
});

afterAll(() => theirs?.remove());

function options(context: TestContext, cipher: string, ...others: string[]): string[] {
  requirePeer(context, 'openssl');
  const files = ['--x509certfile', theirs!.certificateFile, '--x509keyfile', theirs!.keyFile];
  return ['--udp', ...files, '--priority', `NORMAL:-VERS-ALL:+VERS-DTLS1.2:-CIPHER-ALL:+${cipher}`, ...others];
}

describe.each(suites)('$suite', ({ suite, cipher }) => {
  test('connects to gnutls-serv after a cookie, with certificates on both sides, and hears its echo', async (context) => {
    const serve = requirePeer(context, 'gnutls-serv');
    const port = await freeUdpPort();
    const server = PeerProcess.start(serve, options(context, cipher, '--port', String(port), '--echo', '--require-client-cert'));
    await server.says(/listening on IPv4 .*done/);
    const client = await connectDtls(port, { certificate, cipherSuites: [suite], remoteFingerprints: [theirs!.fingerprint] });
    await client.connected();
    expect(client.machine.cipherSuite).toBe(suite);
    client.sendText('hello from Millrace\n');
    expect(await client.receiveText(20)).toBe('hello from Millrace\n');
    expect(client.machine.stats.dropped).toEqual({});
    client.close();
    expect(await client.closed()).toBeUndefined();
  });

  test('serves gnutls-cli after a cookie, with certificates on both sides, and speaks both ways', async (context) => {
    const gnutls = requirePeer(context, 'gnutls');
    const server = await listenDtls({ certificate, cipherSuites: [suite], remoteFingerprints: [theirs!.fingerprint] });
    const client = PeerProcess.start(
      gnutls,
      options(
        context,
        cipher,
        '--port',
        String(server.port),
        '--insecure',
        '--keymatexport',
        exporterLabel,
        '--keymatexportsize',
        '32',
        '127.0.0.1',
      ),
    );
    await server.connected();
    expect(server.machine.cipherSuite).toBe(suite);
    const [, material] = await client.says(/Key material: ([0-9a-f]{64})\n/);
    expect(formatHex(server.machine.exportKeyingMaterial(exporterLabel, undefined, 32))).toBe(material);
    expect(client.output).toContain('extended master secret, safe renegotiation');

    await client.says(/Simple Client Mode/);
    client.write('hello from GnuTLS\n');
    expect(await server.receiveText(18)).toBe('hello from GnuTLS\n');
    server.sendText('hello from Millrace\n');
    await client.says(/hello from Millrace/);
    expect(server.machine.stats.dropped).toEqual({});

    client.end();
    expect(await server.closed()).toBeUndefined();
  });
});

test('ends the connection of gnutls-cli with close_notify', async (context) => {
  const gnutls = requirePeer(context, 'gnutls');
  const server = await listenDtls({ certificate });
  const client = PeerProcess.start(
    gnutls,
    options(context, 'AES-128-GCM', '--port', String(server.port), '--insecure', '127.0.0.1'),
  );
  await client.says(/Simple Client Mode/);
  server.close();
  await client.says(/Peer has closed the GnuTLS connection/);
});
