import { randomBytes, randomUint32, seededRandom } from '@millrace/core';
import { expect, test } from 'vitest';
import type { HandshakeHeader } from './handshake-header.ts';
import { Reassembly, defaultReassemblyLimits } from './reassembly.ts';

function header(messageSeq: number, length: number, fragmentOffset = 0, fragmentLength = length, type = 11): HandshakeHeader {
  return { type, length, messageSeq, fragmentOffset, fragmentLength };
}

test.each([1, 2, 3, 4])('TLS-5: pieces in any order, overlapping and repeated, give the message back, seed %i', (seed) => {
  const random = seededRandom(seed);
  const body = randomBytes(random, 700);
  const reassembly = new Reassembly();
  for (let i = 0; i < 2000 && reassembly.peek() === undefined; i++) {
    const from = randomUint32(random) % body.length;
    const length = randomUint32(random) % (body.length - from + 1);
    expect(reassembly.add(header(0, body.length, from, length), body, from)).toBe('taken');
  }
  const message = reassembly.peek()!;
  expect(message.body).toEqual(body);
  expect([...message.bytes.subarray(0, 12)]).toEqual([11, 0, 2, 188, 0, 0, 0, 0, 0, 0, 2, 188]);
  reassembly.advanceTo(1);
  expect(reassembly.bufferedBytes).toBe(0);
  expect(reassembly.add(header(0, 700), body, 0)).toBe('old');
});

test('messages come out in order, empty ones too', () => {
  const reassembly = new Reassembly();
  reassembly.add(header(1, 0), new Uint8Array(0), 0);
  expect(reassembly.peek()).toBeUndefined();
  reassembly.add(header(0, 1), Uint8Array.of(9), 0);
  expect(reassembly.peek()?.messageSeq).toBe(0);
  reassembly.advanceTo(1);
  expect(reassembly.peek()?.body.length).toBe(0);
});

test('D11: bytes and messages held are bounded, and nearer messages push out those further ahead', () => {
  const reassembly = new Reassembly();
  const data = new Uint8Array(16_384);
  for (let seq = 10; seq >= 0; seq--) reassembly.add(header(seq, 16_384, 0, 100), data, 0);
  expect(reassembly.bufferedBytes).toBeLessThanOrEqual(defaultReassemblyLimits.maxBufferedBytes);
  expect(reassembly.add(header(0, 16_384), data, 0)).toBe('taken');
  expect(reassembly.peek()?.body.length).toBe(16_384);
  expect(reassembly.add(header(5, 16_384, 0, 100), data, 0)).toBe('handshake-too-far');
  expect(reassembly.add(header(11, 1), data, 0)).toBe('handshake-too-far');
  expect(reassembly.add(header(1, 16_385, 0, 1), data, 0)).toBe('handshake-too-large');
});

test('a piece that contradicts others replaces them, but never a whole message', () => {
  const reassembly = new Reassembly();
  const data = new Uint8Array(100).fill(1);
  reassembly.add(header(0, 100, 0, 50), data, 0);
  expect(reassembly.add(header(0, 60, 50, 10), data, 0)).toBe('handshake-conflict');
  expect(reassembly.add(header(0, 60, 0, 50), data, 0)).toBe('taken');
  expect(reassembly.peek()?.body.length).toBe(60);
  expect(reassembly.add(header(0, 100), data, 0)).toBe('handshake-conflict');
  expect(reassembly.peek()?.body.length).toBe(60);
});
