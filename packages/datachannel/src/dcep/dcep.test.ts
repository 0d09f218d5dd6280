import { formatHex, parseHex } from '@millrace/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DataChannelOpen, decodeDcep, encodeDataChannelAck, encodeDataChannelOpen, normalPriority } from './dcep.ts';
import { payloadKind, payloadPpid, ppids } from './ppids.ts';

const plain: DataChannelOpen = {
  label: '',
  protocol: '',
  ordered: true,
  maxRetransmits: undefined,
  maxPacketLifeTime: undefined,
};

test('the bytes of DATA_CHANNEL_OPEN are those of RFC 8832', () => {
  const open = encodeDataChannelOpen({ ...plain, label: 'chat', protocol: 'äö', ordered: false, maxRetransmits: 3 });
  expect(formatHex(open)).toBe('03810100000000030004000463686174c3a4c3b6');
});

test('the open that Chromium sends for a plain channel is read', () => {
  expect(decodeDcep(parseHex('03000100000000000004000064617461')!)).toEqual({
    type: 'open',
    ...plain,
    label: 'data',
    priority: 256,
  });
});

test.each([
  [0x00, true, undefined, undefined],
  [0x80, false, undefined, undefined],
  [0x01, true, 7, undefined],
  [0x81, false, 0, undefined],
  [0x02, true, undefined, 0xffff_ffff],
  [0x82, false, undefined, 0],
])('channel type %i maps both ways', (type, ordered, maxRetransmits, maxPacketLifeTime) => {
  const encoded = encodeDataChannelOpen({ ...plain, ordered, maxRetransmits, maxPacketLifeTime });
  expect(encoded[1]).toBe(type);
  expect(decodeDcep(encoded)).toEqual({ type: 'open', ...plain, ordered, maxRetransmits, maxPacketLifeTime, priority: 256 });
});

test('the reliability parameter of a reliable channel is ignored', () => {
  expect(decodeDcep(parseHex('030000000000000900000000')!)).toMatchObject({
    maxRetransmits: undefined,
    maxPacketLifeTime: undefined,
    priority: 0,
  });
});

test('C1: an acknowledgement is the message type 0x02', () => {
  expect([...encodeDataChannelAck()]).toEqual([0x02]);
  expect(decodeDcep(Uint8Array.of(0x02))).toEqual({ type: 'ack' });
});

test('C2: bytes after an acknowledgement or an open are ignored', () => {
  expect(decodeDcep(Uint8Array.of(0x02, 0, 0, 0))).toEqual({ type: 'ack' });
  const padded = new Uint8Array([...encodeDataChannelOpen({ ...plain, label: 'a' }), 0, 0, 0]);
  expect(decodeDcep(padded)).toMatchObject({ label: 'a', protocol: '' });
});

test.each([
  ['nothing', ''],
  ['the reserved message type 0', '00'],
  ['the obsolete response of old drafts, type 1', '0100000000000000'],
  ['an unknown message type', 'ff'],
  ['an open cut in its header', '0300010000000000000000'],
  ['an unknown channel type', '030301000000000000000000'],
  ['a reserved channel type', '037f01000000000000000000'],
  ['the other reserved channel type', '03ff01000000000000000000'],
  ['a label longer than the message', '03000100000000000002000061'],
  ['a protocol longer than the message', '0300010000000000000100026161'],
])('%s is no DCEP message', (_, hex) => {
  expect(decodeDcep(parseHex(hex)!)).toBeUndefined();
});

test('C5: label and protocol are counted in bytes of UTF-8', () => {
  const longest = 'ä'.repeat(32767) + 'a';
  expect(decodeDcep(encodeDataChannelOpen({ ...plain, label: longest, protocol: longest }))).toMatchObject({
    label: longest,
    protocol: longest,
  });
  expect(() => encodeDataChannelOpen({ ...plain, label: 'ä'.repeat(32768) })).toThrow(TypeError);
  expect(() => encodeDataChannelOpen({ ...plain, protocol: `${longest}a` })).toThrow(/protocol has 65536 bytes/);
});

test('text that is not UTF-8 does not cost the channel', () => {
  expect(decodeDcep(parseHex('03000100000000000003000061ff62')!)).toMatchObject({ label: 'a\ufffdb' });
  expect(decodeDcep(parseHex('030001000000000000030000efbbbf')!)).toMatchObject({ label: '\ufeff' });
});

test('every open survives the wire', () => {
  const uint32 = fc.integer({ min: 0, max: 0xffff_ffff });
  const text = fc.string({ unit: 'grapheme' });
  const reliability = fc.oneof(
    fc.constant({ maxRetransmits: undefined, maxPacketLifeTime: undefined }),
    uint32.map((n) => ({ maxRetransmits: n, maxPacketLifeTime: undefined })),
    uint32.map((n) => ({ maxRetransmits: undefined, maxPacketLifeTime: n })),
  );
  fc.assert(
    fc.property(text, text, fc.boolean(), reliability, fc.integer({ min: 0, max: 65535 }), (label, protocol, ordered, r, p) => {
      const open = { label, protocol, ordered, ...r, priority: p };
      expect(decodeDcep(encodeDataChannelOpen(open))).toEqual({ type: 'open', ...open });
    }),
  );
});

test('no bytes make the decoder throw, and what it accepts encodes to the same meaning', () => {
  const nearOpen = fc.uint8Array({ minLength: 11, maxLength: 40 }).map((rest) => Uint8Array.of(3, ...rest));
  const shortLengths = nearOpen.map((data) => data.with(8, 0).with(10, 0));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 40 }), nearOpen, shortLengths), (data) => {
      const message = decodeDcep(data);
      if (message?.type === 'open') expect(decodeDcep(encodeDataChannelOpen(message))).toEqual(message);
    }),
    { numRuns: 2000 },
  );
});

test('the default priority is the normal one', () => {
  expect(decodeDcep(encodeDataChannelOpen(plain))).toMatchObject({ priority: normalPriority });
});

test('payload identifiers are those of RFC 8831, the deprecated ones for receiving alone', () => {
  expect(Object.values(ppids)).toEqual([50, 51, 52, 53, 54, 56, 57]);
  expect(payloadKind(51)).toEqual({ isText: true, isEmpty: false, isPartial: false });
  expect(payloadKind(52)).toEqual({ isText: false, isEmpty: false, isPartial: true });
  expect(payloadKind(53)).toEqual({ isText: false, isEmpty: false, isPartial: false });
  expect(payloadKind(54)).toEqual({ isText: true, isEmpty: false, isPartial: true });
  expect(payloadKind(56)).toEqual({ isText: true, isEmpty: true, isPartial: false });
  expect(payloadKind(57)).toEqual({ isText: false, isEmpty: true, isPartial: false });
  for (const other of [0, 50, 55, 58]) expect(payloadKind(other)).toBeUndefined();
  expect([payloadPpid(true, 1), payloadPpid(true, 0), payloadPpid(false, 1), payloadPpid(false, 0)]).toEqual([51, 56, 53, 57]);
});
