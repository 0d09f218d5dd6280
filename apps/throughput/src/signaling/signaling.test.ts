import { afterEach, beforeEach, expect, test } from 'vitest';
import { joinSignaling } from './join-signaling.ts';
import { startSignalingServer, type SignalingServer } from './signaling-server.ts';

let server: SignalingServer;

beforeEach(async () => {
  server = await startSignalingServer();
});

afterEach(() => server.close());

test('the two of a room hear each other, and what was said before the second came', async () => {
  const url = server.openRoom();
  const first = await joinSignaling(url);
  first.send('offer');
  first.send('more');
  const second = await joinSignaling(url);
  expect(await second.receive()).toBe('offer');
  expect(await second.receive()).toBe('more');
  second.send('answer');
  expect(await first.receive()).toBe('answer');
});

test('rooms are apart', async () => {
  const rooms = [server.openRoom(), server.openRoom()];
  const firsts = await Promise.all(rooms.map(joinSignaling));
  firsts.forEach((member, i) => member.send(`room ${i}`));
  const seconds = await Promise.all(rooms.map(joinSignaling));
  expect(await Promise.all(seconds.map((member) => member.receive()))).toEqual(['room 0', 'room 1']);
});

test('a third member and a stranger are sent away', async () => {
  const url = server.openRoom();
  await joinSignaling(url);
  await joinSignaling(url);
  const third = await joinSignaling(url);
  await expect(third.receive()).rejects.toThrow('ended');
  const stranger = await joinSignaling(`${url}0`);
  await expect(stranger.receive()).rejects.toThrow('ended');
});

test('the end of the server ends the waiting, and no connection can be made any more', async () => {
  const url = server.openRoom();
  const member = await joinSignaling(url);
  const waiting = member.receive();
  const failed = expect(waiting).rejects.toThrow('ended');
  await server.close();
  await failed;
  await expect(joinSignaling(url)).rejects.toThrow();
});
