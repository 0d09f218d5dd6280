import { createServer } from '@millrace/datachannel/server';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { BrowserLab } from './browser/browser-lab.ts';
import { openPage } from './browser/open-page.ts';
import type { RemoteChannel, RemoteChannelOptions } from './browser/remote-page.ts';
import { UdpRelay } from './net/udp-relay.ts';
import { connect } from './support/connect.ts';
import { type NodeChannel, NodePeer } from './support/node-peer.ts';

const lab = new BrowserLab('chromium');
beforeAll(() => lab.start());
afterAll(() => lab.stop());

const kinds: readonly { readonly name: string; readonly options: RemoteChannelOptions }[] = [
  { name: 'ordered', options: {} },
  { name: 'unordered', options: { ordered: false } },
  { name: 'without retransmissions', options: { ordered: false, maxRetransmits: 0 } },
  { name: 'ordered with three retransmissions', options: { maxRetransmits: 3 } },
  { name: 'with a lifetime', options: { ordered: false, maxPacketLifeTime: 500, protocol: 'game/1' } },
  { name: 'negotiated', options: { negotiated: true, id: 300 } },
];

const messages: readonly (string | Uint8Array)[] = [
  'text: žluťoučký kůň 🐎',
  new Uint8Array([0, 1, 127, 128, 255]),
  '',
  new Uint8Array(0),
  'after the empty ones',
];

/** Lossless here, so what is sent arrives even where it is not repeated; one at a time keeps the order. */
async function exchange(remote: RemoteChannel, node: NodeChannel): Promise<void> {
  for (const message of messages) {
    await remote.send(message);
    expect(await node.nextMessage()).toEqual(message);
    node.channel.send(typeof message === 'string' ? message : message.slice());
    expect(await remote.nextMessage()).toEqual(message);
  }
}

describe.each([
  { offer: 'browser', dtls: 'client' },
  { offer: 'browser', dtls: 'server' },
  { offer: 'node', dtls: 'client' },
  { offer: 'node', dtls: 'server' },
] as const)('$offer offers, Node is the DTLS $dtls', (way) => {
  test('channels of every kind, opened from either end, carry text, binary and empty messages', async (context) => {
    const { page, server } = await openPage(lab, context);
    const { node, remote, first } = await connect(page, server, way);
    const parity = { browser: way.dtls === 'client' ? 1 : 0, node: way.dtls === 'client' ? 0 : 1 };

    if (first !== undefined) await exchange(first, await node.nextChannel());
    for (const { name, options } of kinds) {
      const theirs = await remote.createChannel(name, options);
      const ours = options.negotiated ? node.createChannel(name, options) : await node.nextChannel();
      const id = await theirs.opened();
      expect(ours.channel).toMatchObject({ id, label: name, ordered: options.ordered ?? true, protocol: options.protocol ?? '' });
      // RFC 8832 section 6: the DTLS client takes even stream ids, the server odd ones.
      if (!options.negotiated) expect(id % 2).toBe(parity.browser);
      await exchange(theirs, ours);
    }
    for (const { name, options } of kinds.filter((kind) => !kind.options.negotiated)) {
      const ours = node.createChannel(name, options);
      const theirs = await remote.nextChannel();
      await ours.opened();
      expect(theirs.description).toMatchObject({
        label: name,
        protocol: options.protocol ?? '',
        ordered: options.ordered ?? true,
        maxRetransmits: options.maxRetransmits ?? null,
        maxPacketLifeTime: options.maxPacketLifeTime ?? null,
      });
      expect(ours.channel.id % 2).toBe(parity.node);
      await exchange(theirs, ours);
    }

    const [transport] = await remote.stats('transport');
    expect(transport).toMatchObject({
      dtlsState: 'connected',
      dtlsRole: way.dtls === 'client' ? 'server' : 'client',
      // DTLS 1.2 on the wire.
      tlsVersion: 'FEFD',
    });
    expect(node.peer.stats()).toMatchObject({ state: 'connected', cipherSuite: transport!['dtlsCipher'] });
  });

  test('16 MiB arrive whole each way at once', async (context) => {
    const { page, server } = await openPage(lab, context);
    const { node, remote } = await connect(page, server, way);
    const totalBytes = 16 << 20;
    const ours = node.createChannel('bulk');
    const theirs = await remote.nextChannel();
    await ours.opened();

    const received = await theirs.receiveBulk(totalBytes);
    const up = theirs.sendBulk(totalBytes, 16_384);
    const down = ours.sendBulk(totalBytes, 262_144);
    const [sentUp, sentDown, gotUp, gotDown] = await Promise.all([up, down, ours.receiveBulk(totalBytes), received()]);
    expect(gotUp).toEqual({ sha256: sentUp, messages: 1024 });
    expect(gotDown).toMatchObject({ sha256: sentDown, messages: 64 });
  });
});

test('messages of 256 KiB pass whole both ways, text and binary, and larger ones are refused at once', async (context) => {
  const { page, server } = await openPage(lab, context);
  const { node, first } = await connect(page, server, { offer: 'browser', dtls: 'server' });
  const ours = await node.nextChannel();
  const text = 'x'.repeat(262_143) + '!';
  const binary = Uint8Array.from({ length: 262_144 }, (_, index) => index % 251);
  for (const message of [text, binary]) {
    ours.channel.send(message);
    expect(await first!.nextMessage()).toEqual(message);
    await first!.send(message);
    expect(await ours.nextMessage()).toEqual(message);
  }
  expect(() => ours.channel.send(new Uint8Array(262_145))).toThrow(RangeError);
  await expect(first!.send(new Uint8Array(262_145))).rejects.toThrow(/TypeError/);
  await first!.send('still open');
  expect(await ours.nextMessage()).toBe('still open');
});

test('a channel closed by the browser closes in Node, and the others go on', async (context) => {
  const { page, server } = await openPage(lab, context);
  const { node, remote, first } = await connect(page, server, { offer: 'browser', dtls: 'client' });
  const rest = await node.nextChannel();
  const theirs = await remote.createChannel('short');
  const ours = await node.nextChannel();
  await theirs.opened();
  await theirs.send('last words');
  await theirs.close();
  expect(await ours.nextMessage()).toBe('last words');
  expect(await ours.closed()).toBeUndefined();
  expect(ours.channel.state).toBe('closed');
  await theirs.closed();
  await exchange(first!, rest);
});

test('a channel closed by Node closes in the browser after what was queued, and its id may be used again', async (context) => {
  const { page, server } = await openPage(lab, context);
  const { node, remote, first } = await connect(page, server, { offer: 'browser', dtls: 'client' });
  const rest = await node.nextChannel();
  const ids = new Set<number>();
  for (let round = 0; round < 5; round++) {
    const ours = node.createChannel(`round ${round}`);
    const theirs = await remote.nextChannel();
    await ours.opened();
    ids.add(ours.channel.id);
    const received = await theirs.receiveBulk(1 << 20);
    const sent = await ours.sendBulk(1 << 20, 65_536);
    ours.channel.close();
    expect(await received()).toMatchObject({ sha256: sent });
    await theirs.closed();
    expect(await ours.closed()).toBeUndefined();
  }
  expect(ids.size).toBe(1);
  await exchange(first!, rest);
});

test('close() of the connection in the browser closes the peer and its channels in Node', async (context) => {
  const { page, server } = await openPage(lab, context);
  const { node, remote } = await connect(page, server, { offer: 'browser', dtls: 'server' });
  const ours = await node.nextChannel();
  await remote.close();
  expect(await node.closed()).toMatchObject({ name: 'ChannelError', code: 'REMOTE_CLOSED' });
  expect(await ours.closed()).toMatchObject({ name: 'ChannelError', code: 'REMOTE_CLOSED' });
  expect(node.peer.state).toBe('closed');
  expect(server.stats().peers).toBe(0);
});

test('close() of the peer in Node delivers what is queued and closes the channels in the browser', async (context) => {
  const { page, server } = await openPage(lab, context);
  const { node, remote, first } = await connect(page, server, { offer: 'browser', dtls: 'server' });
  const ours = await node.nextChannel();
  await first!.opened();
  const received = await first!.receiveBulk(1 << 20);
  const sent = await ours.sendBulk(1 << 20, 65_536);
  await node.peer.close();
  expect(await received()).toMatchObject({ sha256: sent });
  await first!.closed();
  expect((await remote.stats('transport'))[0]).toMatchObject({ dtlsState: 'closed' });
});

/** RFC 6347 section 4.1 and 4.2.2: where things stand in a handshake record. */
const handshakeRecord = { contentType: 22, typeAt: 13, fragmentOffsetAt: 19, versionAt: 25 };

test('a ClientHello in two fragments that offers DTLS 1.3 is answered with DTLS 1.2', async (context) => {
  const { page, server } = await openPage(lab, context);
  const relay = await UdpRelay.start(lab.running.namespace.hostAddress, server.port);
  const { first } = await connect(page, server, {
    offer: 'browser',
    dtls: 'server',
    rewrite: (sdp) => sdp.replace(new RegExp(` ${server.port} typ host`), ` ${relay.port} typ host`),
  });
  await first!.opened();
  const hellos = relay.fromBrowser.filter(
    (data) => data[0] === handshakeRecord.contentType && data[handshakeRecord.typeAt] === 1,
  );
  const offsets = new Set(hellos.map((data) => Buffer.from(data).readUIntBE(handshakeRecord.fragmentOffsetAt, 3)));
  expect(offsets.size).toBe(2);
  const answer = relay.fromServer.find((data) => data[0] === handshakeRecord.contentType)!;
  expect(answer[handshakeRecord.typeAt]).toBe(2);
  expect(Buffer.from(answer).readUInt16BE(handshakeRecord.versionAt)).toBe(0xfefd);
});

test('candidates with .local names are passed over, and trickled ones are taken', async (context) => {
  const { page, server } = await openPage(lab, context);
  const remote = await page.createConnection();
  const theirs = await remote.createChannel('trickled');
  const { peer, sdp } = await server.answer(await remote.createOffer({ trickle: true }));
  const node = new NodePeer(peer);
  await remote.acceptAnswer(sdp);
  const candidates: string[] = [];
  for (let candidate = await remote.nextCandidate(); candidate !== ''; candidate = await remote.nextCandidate()) {
    candidates.push(candidate);
    peer.addRemoteCandidate(candidate);
  }
  peer.addRemoteCandidate(null);
  expect(candidates.join('\n')).toMatch(/\.local /);
  await node.connected();
  await exchange(theirs, await node.nextChannel());
  expect(peer.stats().remote!.address).toBe(lab.running.namespace.guestAddress);
});

test('a browser that falls silent closes its channels with CONSENT_LOST', async (context) => {
  const { page, server } = await openPage(lab, context);
  const relay = await UdpRelay.start(lab.running.namespace.hostAddress, server.port);
  const { node, first } = await connect(page, server, {
    offer: 'browser',
    dtls: 'server',
    peer: { consentIntervalMs: 200, consentTimeoutMs: 1500 },
    rewrite: (sdp) => sdp.replace(new RegExp(` ${server.port} typ host`), ` ${relay.port} typ host`),
  });
  const ours = await node.nextChannel();
  await first!.opened();
  relay.cut();
  expect(await ours.closed()).toMatchObject({ name: 'ChannelError', code: 'CONSENT_LOST' });
  expect(await node.closed()).toMatchObject({ name: 'ChannelError', code: 'CONSENT_LOST' });
  expect(() => ours.channel.send('too late')).toThrow(expect.objectContaining({ code: 'CHANNEL_CLOSED' }));
});

test('a browser that is killed closes its channels with CONSENT_LOST', async (context) => {
  await openPage(lab, context);
  const doomed = new BrowserLab('chromium');
  onTestFinished(() => doomed.stop());
  await doomed.start();
  const page = await doomed.openPage(context);
  const server = await createServer({ addresses: [doomed.running.namespace.hostAddress] });
  onTestFinished(() => server.close());
  const { node, first } = await connect(page, server, {
    offer: 'browser',
    dtls: 'server',
    peer: { consentIntervalMs: 200, consentTimeoutMs: 1500 },
  });
  const ours = await node.nextChannel();
  await first!.opened();
  doomed.running.browser.process.kill('SIGKILL');
  expect(await ours.closed()).toMatchObject({ name: 'ChannelError', code: 'CONSENT_LOST' });
  expect(await node.closed()).toMatchObject({ name: 'ChannelError', code: 'CONSENT_LOST' });
});
