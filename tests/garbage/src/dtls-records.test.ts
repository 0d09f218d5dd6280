import { type Certificate, createCertificate, type Engine } from '@millrace/crypto';
import { type CipherSuite, createDtls, type Dtls } from '@millrace/dtls';
import { expect, test } from 'vitest';
import { bytesPerItem } from './bytes-per-item.ts';

const recordsPerTurn = 32;
const payloadBytes = 1163;
const slotBytes = 1200;

/** A connected client and server, by hand-over of datagrams without loss or delay. */
function connect(
  suite: CipherSuite,
  engine: Engine,
  certificate: Certificate,
): { client: Dtls; server: Dtls; received: () => number } {
  let received = 0;
  const options = { cipherSuites: [suite], engine, cookieExchange: false } as const;
  const client = createDtls({ role: 'client', ...options, onData: () => {} });
  const server = createDtls({ role: 'server', certificate, ...options, onData: () => void received++ });
  client.connect(0);
  const out = new Uint8Array(slotBytes);
  for (let turn = 0; turn < 20 && (client.state !== 'connected' || server.state !== 'connected'); turn++) {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      for (;;) {
        const length = from.pollTransmit(0, out, 0, out.length);
        if (length === 0) break;
        to.handleDatagram(0, out.slice(0, length), 0, length);
      }
    }
  }
  expect([client.state, server.state]).toEqual(['connected', 'connected']);
  return { client, server, received: () => received };
}

/**
 * Bytes per record. Nearly all of it comes out of node:crypto, which allocates the result of each
 * update and, with GCM, a cipher per record; an object or a view per record of our own would show.
 */
const budgets: readonly { readonly suite: CipherSuite; readonly engine: Engine; readonly seal: number; readonly open: number }[] =
  [
    { suite: 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM', engine: 'auto', seal: 800, open: 800 },
    { suite: 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', engine: 'auto', seal: 1600, open: 1200 },
  ];

const certificate = createCertificate();

test.for(budgets)('$suite with engine $engine stays within its budget of garbage per record', ({ suite, engine, seal, open }) => {
  const { client, server, received } = connect(suite, engine, certificate);
  const slots = Array.from({ length: recordsPerTurn }, () => new Uint8Array(slotBytes));
  const lengths = new Uint32Array(recordsPerTurn);
  const sealAll = (): void => {
    for (let i = 0; i < recordsPerTurn; i++) lengths[i] = client.seal(slots[i]!, 0, payloadBytes);
  };
  const openAll = (): void => {
    for (let i = 0; i < recordsPerTurn; i++) server.handleDatagram(0, slots[i]!, 0, lengths[i]!);
  };
  const sealed = bytesPerItem(recordsPerTurn, sealAll, openAll);
  const before = received();
  const opened = bytesPerItem(recordsPerTurn, openAll, sealAll);
  expect(received() - before).toBeGreaterThan(recordsPerTurn * 100);
  expect(sealed).toBeLessThan(seal);
  expect(opened).toBeLessThan(open);
});
