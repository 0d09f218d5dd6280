import { describe, expect, test } from 'vitest';
import type { Channel } from '../channel-types.ts';
import { encodeDataChannelOpen } from '../dcep/dcep.ts';
import { ppids } from '../dcep/ppids.ts';
import { ChannelError } from '../errors.ts';
import { ChannelPair } from './testing/channel-pair.ts';

function errorOf(run: () => unknown): { code?: string; message: string } {
  try {
    run();
  } catch (error) {
    return error as { code?: string; message: string };
  }
  throw new Error('nothing was thrown');
}

const open = encodeDataChannelOpen({
  label: 'x',
  protocol: '',
  ordered: true,
  maxRetransmits: undefined,
  maxPacketLifeTime: undefined,
});

describe('opening', () => {
  test('a channel made before the connection opens with it, and what it was given arrives', () => {
    const pair = new ChannelPair();
    const channel = pair.a.create('early');
    expect([channel.id, channel.state]).toEqual([-1, 'connecting']);
    expect(channel.send('one')).toBe(true);
    channel.send(Uint8Array.of(200, 7));
    expect(channel.bufferedAmount).toBe(5);
    pair.connect();
    expect([channel.id, channel.state, channel.bufferedAmount]).toEqual([0, 'open', 0]);
    expect(pair.b.log).toEqual(['early: channel', 'early: open', 'early: text one', 'early: bytes 200 7']);
  });

  test('C7: ids are even at the DTLS client and odd at the server, and unknown before the roles are', () => {
    const pair = new ChannelPair();
    const early = [pair.a.create('a0'), pair.b.create('b0')];
    expect(early.map((channel) => channel.id)).toEqual([-1, -1]);
    pair.connect();
    const late = [pair.a.create('a1'), pair.b.create('b1')];
    expect([...early, ...late].map((channel) => channel.id)).toEqual([0, 1, 2, 3]);
  });

  test('C6: a negotiated id never changes, and automatic ids go around it', () => {
    const pair = new ChannelPair();
    const negotiated = [1, 2, 4].map((id) => pair.a.create(`n${id}`, { negotiated: true, id }));
    const automatic = [pair.a.create('x'), pair.a.create('y')];
    pair.connect();
    expect(negotiated.map((channel) => channel.id)).toEqual([1, 2, 4]);
    expect(automatic.map((channel) => channel.id)).toEqual([0, 6]);
    expect(pair.a.association.sent.map((sent) => sent.streamId)).toEqual([0, 6]);
  });

  test('what the options say is what the other side gets', () => {
    const pair = new ChannelPair().connect();
    pair.a.create('label ü', { ordered: false, maxRetransmits: 3, protocol: 'chat' });
    pair.a.create('timed', { maxPacketLifeTime: 50 });
    pair.settle();
    const channels = pair.b.events.flatMap((event) => (event.type === 'channel' ? [event.channel] : []));
    expect(channels.map(({ label, protocol, ordered }) => [label, protocol, ordered])).toEqual([
      ['label ü', 'chat', false],
      ['timed', '', true],
    ]);
    channels[0]!.send('x');
    channels[1]!.send('x');
    const data = pair.b.association.sent.filter(({ message }) => message?.ppid === ppids.text);
    expect(data.map(({ message }) => message?.options)).toEqual([
      { unordered: true, maxRetransmits: 3 },
      { unordered: false, lifetimeMs: 50 },
    ]);
  });

  test('S48: DCEP goes ordered and reliable whatever the channel is, and messages ordered until the peer has answered', () => {
    const pair = new ChannelPair().connect();
    const channel = pair.a.create('lossy', { ordered: false, maxRetransmits: 0 });
    channel.send('before');
    pair.settle();
    channel.send('after');
    expect(pair.a.association.sent.map(({ message }) => message?.options)).toEqual([
      { unordered: false },
      { unordered: false, maxRetransmits: 0 },
      { unordered: true, maxRetransmits: 0 },
    ]);
    expect(pair.b.association.sent.map(({ message }) => message?.options)).toEqual([{ unordered: false }]);
  });

  test('C14: the channel is announced first, then it opens, then its messages come', () => {
    const pair = new ChannelPair();
    const channel = pair.a.create('c');
    for (const text of ['1', '2', '3']) channel.send(text);
    pair.connect();
    expect(pair.b.log).toEqual(['c: channel', 'c: open', 'c: text 1', 'c: text 2', 'c: text 3']);
  });

  test('C15: open comes in the next drain, never in the call that makes the channel', () => {
    const pair = new ChannelPair().connect();
    const channel = pair.a.manager.createChannel('late');
    pair.a.watch(channel);
    expect(pair.a.log).toEqual([]);
    pair.a.drain();
    expect(pair.a.log).toEqual(['late: open']);
  });

  test('C27: what comes before a negotiated channel is made waits for it', () => {
    const pair = new ChannelPair();
    pair.a.create('n', { negotiated: true, id: 9 }).send('early');
    pair.connect();
    expect(pair.b.log).toEqual([]);
    pair.b.create('n', { negotiated: true, id: 9 });
    pair.settle();
    expect(pair.b.log).toEqual(['n: open', 'n: text early']);
  });

  test('messages for streams without a channel are held up to a limit', () => {
    const pair = new ChannelPair();
    const channel = pair.a.create('n', { negotiated: true, id: 9 });
    pair.connect();
    for (let i = 0; i < 10; i++) channel.send(new Uint8Array(200_000));
    pair.settle();
    expect(pair.b.manager.dropped).toEqual({ 'early-message': 5 });
  });

  test('S56: an id at or above the streams of either direction is refused', () => {
    const pair = new ChannelPair();
    pair.a.create('high', { negotiated: true, id: 100 });
    const channels = Array.from({ length: 60 }, (_, i) => pair.a.create(`c${i}`));
    pair.connect(100);
    expect(channels.slice(0, 50).every((channel) => channel.state === 'open')).toBe(true);
    expect(channels.slice(50).every((channel) => channel.state === 'closed')).toBe(true);
    expect(pair.a.log).toContain('high: close NO_STREAM');
    expect(errorOf(() => pair.a.create('more')).code).toBe('NO_STREAM');
    expect(errorOf(() => pair.a.create('n', { negotiated: true, id: 100 })).code).toBe('NO_STREAM');
    const before = pair.b.manager.dropped['stream-out-of-range'] ?? 0;
    pair.b.handle({ type: 'message', streamId: 200, ppid: ppids.dcep, data: open });
    expect(pair.b.manager.dropped['stream-out-of-range']).toBe(before + 1);
    expect(pair.b.manager.count).toBe(50);
  });

  test('C8: an id that the association has no stream for closes the channel with an error', () => {
    const pair = new ChannelPair();
    const channel = pair.a.create('n', { negotiated: true, id: 65_534 });
    pair.connect(1024);
    expect(pair.a.log).toEqual(['n: close NO_STREAM']);
    expect(channel.state).toBe('closed');
  });
});

describe('misuse is answered at once', () => {
  test.each([
    [{ maxRetransmits: 1, maxPacketLifeTime: 1 }, TypeError, /maxRetransmits/],
    [{ maxRetransmits: 65_536 }, RangeError, /maxRetransmits must be an integer from 0 to 65535/],
    [{ maxPacketLifeTime: -1 }, RangeError, /maxPacketLifeTime/],
    [{ negotiated: true }, TypeError, /id/],
    [{ id: 4 }, TypeError, /negotiated/],
    [{ negotiated: true, id: 65_535 }, RangeError, /id must be an integer from 0 to 65534/],
    [{ ordered: 1 as never }, TypeError, /ordered/],
    [{ protocol: 5 as never }, TypeError, /protocol/],
    [{ protocol: 'ü'.repeat(32_768) }, TypeError, /protocol has 65536 bytes/],
  ] as const)('option set %$', (options, type, message) => {
    const pair = new ChannelPair();
    expect(() => pair.a.create('c', options)).toThrow(type);
    expect(() => pair.a.create('c', options)).toThrow(message);
  });

  test('C5: a label is counted in bytes of UTF-8', () => {
    const pair = new ChannelPair();
    pair.a.create('ü'.repeat(32_767));
    expect(() => pair.a.create('ü'.repeat(32_768))).toThrow(/label has 65536 bytes/);
  });

  test('an id that is taken', () => {
    const pair = new ChannelPair();
    pair.a.create('c', { negotiated: true, id: 4 });
    expect(errorOf(() => pair.a.create('d', { negotiated: true, id: 4 })).code).toBe('ID_IN_USE');
  });

  test('more channels than allowed', () => {
    const pair = new ChannelPair({ maxChannels: 2 });
    pair.a.create('c');
    pair.a.create('d');
    expect(errorOf(() => pair.a.create('e')).code).toBe('TOO_MANY_CHANNELS');
  });

  test('what is no message, and a channel that is closed', async () => {
    const pair = new ChannelPair().connect();
    const channel = pair.a.create('c');
    expect(() => channel.send(5 as never)).toThrow(TypeError);
    channel.close();
    channel.close();
    expect(errorOf(() => channel.send('x')).code).toBe('CHANNEL_CLOSED');
    await expect(channel.writable()).rejects.toThrow(ChannelError);
    pair.settle();
    expect(errorOf(() => channel.send('x')).code).toBe('CHANNEL_CLOSED');
  });
});

describe('messages', () => {
  test('C9: text and bytes keep their kind, whatever is in them', () => {
    const pair = new ChannelPair().connect();
    const channel = pair.a.create('c');
    channel.send('\u{feff}grüße 𐍈');
    channel.send(Uint8Array.of(0x80, 0xff, 0));
    pair.settle();
    expect(pair.b.log.slice(2)).toEqual(['c: text \u{feff}grüße 𐍈', 'c: bytes 128 255 0']);
  });

  test('C10: empty text and empty bytes arrive empty, under their own identifiers', () => {
    const pair = new ChannelPair().connect();
    const channel = pair.a.create('c');
    channel.send('');
    channel.send(new Uint8Array(0));
    expect(channel.bufferedAmount).toBe(0);
    pair.settle();
    expect(pair.b.log.slice(2)).toEqual(['c: text ', 'c: bytes ']);
    expect(pair.a.association.sent.slice(1).map(({ message }) => [message?.ppid, message?.data.length])).toEqual([
      [56, 1],
      [57, 1],
    ]);
    expect(pair.b.manager.messageBytesReceived).toBe(0);
  });

  test('the deprecated form in pieces is put together', () => {
    const pair = new ChannelPair().connect();
    pair.a.create('c');
    pair.settle();
    const say = (ppid: number, ...data: number[]): void =>
      pair.b.handle({ type: 'message', streamId: 0, ppid, data: Uint8Array.from(data) });
    say(ppids.binaryPartial, 1, 2);
    say(ppids.binaryPartial, 3);
    say(ppids.binary, 4);
    say(ppids.textPartial, 104);
    say(ppids.text, 105);
    expect(pair.b.log.slice(2)).toEqual(['c: bytes 1 2 3 4', 'c: text hi']);
  });

  test('pieces that never end are given up at the size limit', () => {
    const pair = new ChannelPair({}, { maxMessageSize: 1000 }).connect();
    pair.a.create('c');
    pair.settle();
    for (let i = 0; i < 3; i++) {
      pair.b.handle({ type: 'message', streamId: 0, ppid: ppids.binaryPartial, data: new Uint8Array(400) });
    }
    expect(pair.b.manager.dropped).toEqual({ 'message-too-large': 1 });
  });

  test('of a message that was given up at the size limit, the last piece is no message', () => {
    const pair = new ChannelPair({}, { maxMessageSize: 1000 }).connect();
    pair.a.create('c');
    pair.settle();
    const say = (ppid: number, length: number): void =>
      pair.b.handle({ type: 'message', streamId: 0, ppid, data: new Uint8Array(length).fill(7) });
    say(ppids.binaryPartial, 600);
    say(ppids.binaryPartial, 600);
    say(ppids.binaryPartial, 3);
    say(ppids.binary, 3);
    say(ppids.binary, 2);
    say(ppids.binaryPartial, 999);
    say(ppids.binary, 2);
    say(ppids.binaryPartial, 1);
    say(ppids.binary, 1);
    expect(pair.b.log.slice(2)).toEqual(['c: bytes 7 7', 'c: bytes 7 7']);
    expect(pair.b.manager.dropped).toEqual({ 'message-too-large': 2 });
  });

  test('pieces are bounded over all channels', () => {
    const pair = new ChannelPair().connect();
    const ids = Array.from({ length: 40 }, () => pair.a.create('c').id);
    pair.settle();
    const say = (streamId: number, ppid: number, length: number): void =>
      pair.b.handle({ type: 'message', streamId, ppid, data: new Uint8Array(length) });
    for (const id of ids) say(id, ppids.binaryPartial, 200_000);
    expect(pair.b.manager.dropped).toEqual({ 'message-too-large': 20 });
    for (const id of ids) say(id, ppids.binary, 1);
    expect(pair.b.manager.messagesReceived).toBe(20);
    // What was delivered or given up is not held any more.
    for (const id of ids.slice(0, 20)) say(id, ppids.binaryPartial, 200_000);
    expect(pair.b.manager.dropped).toEqual({ 'message-too-large': 20 });
  });

  test('C11: a message above the size that the peer takes is refused at once, and nothing else changes', () => {
    const pair = new ChannelPair().connect();
    pair.a.manager.outbox.maxMessageSize = 10;
    const channel = pair.a.create('c');
    expect(() => channel.send(new Uint8Array(11))).toThrow(RangeError);
    expect(() => channel.send('12345678901')).toThrow(/11 bytes; the peer takes at most 10/);
    expect(channel.bufferedAmount).toBe(0);
    channel.send(new Uint8Array(10));
    pair.settle();
    expect(pair.b.log).toHaveLength(3);
    expect(channel.state).toBe('open');
  });

  test('a message queued before the limit was known closes the channel with an error when it is above', () => {
    const pair = new ChannelPair();
    const channel = pair.a.create('c');
    channel.send('short');
    channel.send(new Uint8Array(11));
    channel.send('lost');
    pair.a.manager.outbox.maxMessageSize = 10;
    pair.connect();
    expect(pair.a.log).toEqual(['c: close MESSAGE_TOO_LARGE']);
    expect(pair.b.log).toEqual(['c: channel', 'c: open', 'c: text short', 'c: close']);
  });

  test('C19: bufferedAmount counts payload alone', () => {
    const pair = new ChannelPair().connect();
    const channel = pair.a.create('a label of some length');
    expect(channel.bufferedAmount).toBe(0);
    channel.send('');
    channel.send('12345');
    channel.send('');
    expect(channel.bufferedAmount).toBe(5);
    expect(pair.a.manager.bufferedBytes).toBe(5);
    expect(pair.a.association.bufferedBytes(channel.id)).toBeGreaterThan(7);
  });

  test('C17: bufferedAmount is 0 again when all is delivered, and drain comes', async () => {
    const pair = new ChannelPair({ highWaterBytes: 100 }).connect();
    const channel = pair.a.create('c');
    const other = pair.a.create('d');
    pair.settle();
    expect(channel.send(new Uint8Array(99))).toBe(true);
    expect(channel.send(new Uint8Array(1))).toBe(false);
    let isWritable = false;
    const waiting = other.writable().then(() => {
      isWritable = true;
    });
    await Promise.resolve();
    expect(isWritable).toBe(false);
    pair.settle();
    await waiting;
    expect(channel.bufferedAmount).toBe(0);
    expect(pair.a.log.filter((line) => line === 'c: drain')).toHaveLength(1);
    await channel.writable();
  });

  test('back-pressure holds before the connection too', async () => {
    const pair = new ChannelPair({ highWaterBytes: 100 });
    const channel = pair.a.create('c');
    expect(channel.send(new Uint8Array(99))).toBe(true);
    expect(channel.send(new Uint8Array(1))).toBe(false);
    const waiting = channel.writable();
    pair.connect();
    await waiting;
    expect(pair.a.log).toEqual(['c: open', 'c: drain']);
  });

  test('drain comes although the channel that filled the queue closed before the connection', () => {
    const pair = new ChannelPair({ highWaterBytes: 100 });
    const [full, blocked] = [pair.a.create('full'), pair.a.create('blocked')];
    full.send(new Uint8Array(90));
    expect(blocked.send(new Uint8Array(10))).toBe(false);
    pair.a.manager.outbox.maxMessageSize = 50;
    pair.connect();
    expect(pair.a.log).toContain('blocked: drain');
  });
});

describe('closing', () => {
  const opened = (options?: Parameters<ChannelPair['a']['create']>[1]): { pair: ChannelPair; channel: Channel } => {
    const pair = new ChannelPair().connect();
    const channel = pair.a.create('c', options);
    pair.settle();
    return { pair, channel };
  };

  test('C20: what is queued is delivered before the channel closes', () => {
    const { pair, channel } = opened();
    for (let i = 0; i < 5; i++) channel.send(`${i}`);
    channel.close();
    expect(channel.state).toBe('closing');
    pair.settle();
    expect(pair.b.log.slice(2)).toEqual(['0', '1', '2', '3', '4'].map((text) => `c: text ${text}`).concat('c: close'));
  });

  test('C21: closing is seen at both ends, each with one event', () => {
    for (const closer of ['a', 'b'] as const) {
      const { pair, channel } = opened();
      const remote = pair.b.events.flatMap((event) => (event.type === 'channel' ? [event.channel] : []))[0]!;
      (closer === 'a' ? channel : remote).close();
      pair.settle();
      expect([channel.state, remote.state]).toEqual(['closed', 'closed']);
      for (const end of [pair.a, pair.b]) expect(end.log.filter((line) => line === 'c: close')).toHaveLength(1);
    }
  });

  test('both ends may close at once', () => {
    const { pair, channel } = opened();
    const remote = pair.b.events.flatMap((event) => (event.type === 'channel' ? [event.channel] : []))[0]!;
    channel.close();
    remote.close();
    pair.settle();
    expect([pair.a.log.at(-1), pair.b.log.at(-1), pair.a.manager.count, pair.b.manager.count]).toEqual([
      'c: close',
      'c: close',
      0,
      0,
    ]);
  });

  test('S49: a reset by the peer is answered with our own', () => {
    const { pair } = opened();
    pair.a.handle({ type: 'incoming-reset', streamIds: [0] });
    expect(pair.a.association.queue).toEqual([{ streamId: 0 }]);
  });

  test('S50: an id is free only when both directions are reset', () => {
    const { pair, channel } = opened();
    channel.close();
    pair.a.handle({ type: 'outgoing-reset', streamIds: [0] });
    expect(pair.a.create('next').id).toBe(2);
    pair.a.handle({ type: 'incoming-reset', streamIds: [0] });
    expect(channel.state).toBe('closed');
    expect(pair.a.create('reuse').id).toBe(0);
  });

  test('a channel that the peer opens on the stream before our reset is confirmed waits for that', () => {
    const { pair } = opened();
    pair.b.association.queue.length = 0;
    const say = (ppid: number, data: Uint8Array): void => pair.b.handle({ type: 'message', streamId: 0, ppid, data });
    pair.b.handle({ type: 'incoming-reset', streamIds: [0] });
    say(ppids.dcep, open);
    say(ppids.text, Uint8Array.of(104, 105));
    pair.b.handle({ type: 'incoming-reset', streamIds: [0] });
    expect(pair.b.log).toEqual(['c: channel', 'c: open']);
    pair.b.handle({ type: 'outgoing-reset', streamIds: [0] });
    expect(pair.b.log.slice(2)).toEqual(['c: close', 'x: channel', 'x: open', 'x: text hi']);
    pair.b.handle({ type: 'outgoing-reset', streamIds: [0] });
    expect(pair.b.log.at(-1)).toBe('x: close');
  });

  test('S55: a hundred channels opened, used and closed in turn leave the others alone', () => {
    const pair = new ChannelPair().connect();
    const steady = pair.a.create('steady');
    for (let i = 0; i < 100; i++) {
      const channel = pair.a.create(`c${i}`);
      expect(channel.id).toBe(2);
      channel.send('x');
      channel.close();
      pair.settle();
    }
    steady.send('still here');
    pair.settle();
    expect(pair.b.log.at(-1)).toBe('steady: text still here');
    expect(pair.b.log.filter((line) => line.endsWith(': text x'))).toHaveLength(100);
    expect([pair.a.manager.count, pair.b.manager.count]).toEqual([1, 1]);
  });

  test('C22: a channel that was closed before the connection never opens', () => {
    const pair = new ChannelPair();
    const unused = pair.a.create('unused');
    const used = pair.a.create('used');
    used.send('x');
    unused.close();
    used.close();
    pair.connect();
    expect(pair.a.log).toEqual(['unused: close', 'used: close']);
    expect(pair.b.log).toEqual(['used: channel', 'used: open', 'used: text x', 'used: close']);
  });

  test('the end of the connection closes every channel, with an error where something was left', () => {
    const { pair, channel } = opened();
    const idle = pair.a.create('idle');
    pair.settle();
    channel.send('lost');
    const cut = new ChannelError('REMOTE_CLOSED', 'gone');
    pair.a.manager.closeAll(undefined, cut);
    pair.a.drain();
    expect(pair.a.log.slice(-2)).toEqual(['c: close REMOTE_CLOSED', 'idle: close']);
    expect([channel.bufferedAmount, idle.bufferedAmount]).toEqual([4, 0]);
    expect(errorOf(() => pair.a.create('late')).code).toBe('PEER_CLOSED');
  });

  test('waiting for room ends with the channel', async () => {
    const pair = new ChannelPair({ highWaterBytes: 1 }).connect();
    const channel = pair.a.create('c');
    channel.send('x');
    const waiting = channel.writable();
    pair.a.manager.closeAll(new ChannelError('CONSENT_LOST', 'gone'), undefined);
    await expect(waiting).rejects.toMatchObject({ code: 'CONSENT_LOST' });
  });

  test('a reset that the peer refuses ends the channel, and its id is not used again', () => {
    const { pair, channel } = opened();
    pair.b.association.refuseResets = true;
    channel.close();
    pair.settle();
    expect(pair.a.log.at(-1)).toBe('c: close RESET_FAILED');
    expect(pair.a.create('next').id).toBe(2);
    // The peer closes its own side nevertheless: the channel has ended already.
    pair.a.handle({ type: 'incoming-reset', streamIds: [0] });
    expect(pair.a.log.filter((line) => line.startsWith('c: close'))).toHaveLength(1);
    expect(pair.a.create('third').id).toBe(4);
  });

  test('an open channel whose stream was reset at the wish of the peer stays open, and its id stays its own', () => {
    const { pair, channel } = opened();
    pair.a.handle({ type: 'outgoing-reset', streamIds: [channel.id] });
    expect(channel.state).toBe('open');
    channel.close();
    pair.settle();
    expect(pair.a.log.at(-1)).toBe('c: close');
  });
});

describe('what a peer does wrong', () => {
  test('an open on a stream in use closes that channel alone', () => {
    const pair = new ChannelPair().connect();
    pair.a.create('c');
    pair.a.create('other');
    pair.settle();
    pair.b.handle({ type: 'message', streamId: 0, ppid: ppids.dcep, data: open });
    pair.settle();
    expect(pair.b.log.at(-1)).toBe('c: close PROTOCOL_VIOLATION');
    expect(pair.b.manager.count).toBe(1);
  });

  test('what is no DCEP message, and payloads of unknown kinds, are counted and dropped', () => {
    const pair = new ChannelPair().connect();
    pair.a.create('c');
    pair.settle();
    const say = (streamId: number, ppid: number, ...data: number[]): void =>
      pair.b.handle({ type: 'message', streamId, ppid, data: Uint8Array.from(data) });
    say(0, ppids.dcep, 9);
    say(0, 99, 1);
    say(8, ppids.dcep, 2);
    say(8, ppids.dcep, 3, 0);
    expect(pair.b.manager.dropped).toEqual({ 'malformed-dcep': 3, 'unknown-ppid': 1 });
    expect(pair.b.manager.count).toBe(1);
  });

  test('an open that the peer resets is refused', () => {
    const pair = new ChannelPair().connect();
    const channel = pair.a.create('c');
    pair.a.drain();
    pair.a.handle({ type: 'incoming-reset', streamIds: [channel.id] });
    pair.a.handle({ type: 'outgoing-reset', streamIds: [channel.id] });
    expect(pair.a.log).toEqual(['c: open', 'c: close OPEN_REFUSED']);
  });

  test('more channels than we take are refused by a reset', () => {
    const pair = new ChannelPair({}, { maxChannels: 2 }).connect();
    const channels = ['a', 'b', 'c'].map((label) => pair.a.create(label));
    channels[2]!.send('unheard');
    pair.settle();
    expect(pair.a.log.at(-1)).toBe('c: close OPEN_REFUSED');
    expect(pair.b.manager.dropped).toEqual({ 'channel-refused': 1, 'refused-stream': 1 });
    channels[0]!.close();
    pair.settle();
    pair.a.create('d');
    pair.settle();
    expect(pair.b.log.at(-1)).toBe('d: open');
  });

  test('labels and protocols that the peer makes us hold are bounded', () => {
    const pair = new ChannelPair().connect();
    for (let i = 0; i < 100; i++) pair.a.create('x'.repeat(65_535));
    pair.settle();
    expect(pair.b.manager.count).toBe(64);
    expect(pair.b.manager.dropped['channel-refused']).toBe(36);
  });
});
