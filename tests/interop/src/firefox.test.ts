import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BrowserLab } from './browser/browser-lab.ts';
import { openPage } from './browser/open-page.ts';
import { connect } from './support/connect.ts';

const lab = new BrowserLab('firefox');
beforeAll(() => lab.start());
afterAll(() => lab.stop());

describe.each([
  { offer: 'browser', dtls: 'client' },
  { offer: 'browser', dtls: 'server' },
  { offer: 'node', dtls: 'client' },
  { offer: 'node', dtls: 'server' },
] as const)('$offer offers, Node is the DTLS $dtls', (way) => {
  test('messages of every kind and 4 MiB pass both ways, and the channel closes from either end', async (context) => {
    const { page, server } = await openPage(lab, context);
    const { node, remote } = await connect(page, server, way);
    const theirs = await remote.createChannel('theirs', { ordered: false });
    let ours = await node.nextChannel();
    if (ours.channel.label !== 'theirs') ours = await node.nextChannel();
    await theirs.opened();
    for (const message of [
      'žluťoučký kůň 🐎',
      new Uint8Array([0, 1, 127, 128, 255]),
      '',
      new Uint8Array(0),
      'x'.repeat(262_144),
    ]) {
      await theirs.send(message);
      expect(await ours.nextMessage()).toEqual(message);
      ours.channel.send(typeof message === 'string' ? message : message.slice());
      expect(await theirs.nextMessage()).toEqual(message);
    }
    await theirs.close();
    expect(await ours.closed()).toBeUndefined();

    const bulk = node.createChannel('bulk');
    const sink = await remote.nextChannel();
    await bulk.opened();
    const totalBytes = 4 << 20;
    const received = await sink.receiveBulk(totalBytes);
    const [sentUp, sentDown, gotUp, gotDown] = await Promise.all([
      sink.sendBulk(totalBytes, 16_384),
      bulk.sendBulk(totalBytes, 262_144),
      bulk.receiveBulk(totalBytes),
      received(),
    ]);
    expect(gotUp.sha256).toBe(sentUp);
    expect(gotDown.sha256).toBe(sentDown);
    bulk.channel.close();
    await sink.closed();
  });
});
