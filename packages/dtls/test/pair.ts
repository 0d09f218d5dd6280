import { seededRandom } from '@millrace/core';
import { type Certificate, generateCertificate } from '@millrace/crypto';
import { type SimNode, Simulation } from '@millrace/sim';
import { createDtls } from '../src/create-dtls.ts';
import type { Dtls, DtlsEvent, DtlsOptions } from '../src/types.ts';

/** Two certificates that all tests of a file share: making them is slow. */
export const clientCertificate: Certificate = await generateCertificate();
export const serverCertificate: Certificate = await generateCertificate();

/** One end with what came out of it. */
export interface End {
  readonly dtls: Dtls;
  readonly events: DtlsEvent[];
  readonly received: string[];
}

/** `undefined` takes a default of `createEnd` away. */
export type EndOptions = { readonly [K in keyof DtlsOptions]?: DtlsOptions[K] | undefined };

/** A client or server that knows the other's certificate, under a seed. */
export function createEnd(role: 'client' | 'server', options: EndOptions = {}, seed = 1): End {
  const received: string[] = [];
  const dtls = createDtls({
    role,
    certificate: role === 'client' ? clientCertificate : serverCertificate,
    remoteFingerprints: [(role === 'client' ? serverCertificate : clientCertificate).fingerprint],
    cookieExchange: false,
    random: seededRandom(role === 'client' ? seed : seed + 1_000_000),
    onData: (data, start, end) => void received.push(new TextDecoder().decode(data.subarray(start, end))),
    ...options,
  } as DtlsOptions);
  return { dtls, events: [], received };
}

/** Takes the events out of an end. */
export function drain(end: End): void {
  for (let event = end.dtls.pollEvent(); event !== undefined; event = end.dtls.pollEvent()) end.events.push(event);
}

export function node(end: End): SimNode {
  return { machine: end.dtls, drain: () => drain(end) };
}

/** All datagrams that an end wants to send. */
export function transmit(end: End, now: number): Uint8Array[] {
  const out = new Uint8Array(2048);
  const datagrams: Uint8Array[] = [];
  for (let n = end.dtls.pollTransmit(now, out, 0, out.length); n > 0; n = end.dtls.pollTransmit(now, out, 0, out.length)) {
    datagrams.push(out.slice(0, n));
  }
  return datagrams;
}

/** Hands copies of the datagrams to an end. */
export function receive(end: End, now: number, datagrams: readonly Uint8Array[]): void {
  for (const datagram of datagrams) end.dtls.handleDatagram(now, datagram.slice(), 0, datagram.length);
  drain(end);
}

/** Carries datagrams both ways at `now` until neither end has any. */
export function exchange(a: End, b: End, now = 0): void {
  for (let round = 0; round < 20; round++) {
    const fromA = transmit(a, now);
    receive(b, now, fromA);
    const fromB = transmit(b, now);
    receive(a, now, fromB);
    if (fromA.length + fromB.length === 0) return;
  }
  throw new Error('the two ends do not come to rest');
}

export interface Pair {
  readonly client: End;
  readonly server: End;
}

/** A client and a server; `connect` has been called. */
export function createPair(client: EndOptions = {}, server: EndOptions = {}, seed = 1): Pair {
  const pair = { client: createEnd('client', client, seed), server: createEnd('server', server, seed) };
  pair.client.dtls.connect(0);
  return pair;
}

/** A pair whose handshake is complete. */
export function connectedPair(client: EndOptions = {}, server: EndOptions = {}, seed = 1): Pair {
  const pair = createPair(client, server, seed);
  exchange(pair.client, pair.server);
  return pair;
}

/** A record of application data. */
export function sealText(end: End, text: string): Uint8Array {
  const payload = new TextEncoder().encode(text);
  const { dtls } = end;
  const data = new Uint8Array(dtls.headroomBytes + payload.length + dtls.tailroomBytes);
  data.set(payload, dtls.headroomBytes);
  return data.subarray(0, dtls.seal(data, 0, payload.length));
}

/** Sends text through the records of `from` into `to`. */
export function send(from: End, to: End, text: string, now = 0): void {
  receive(to, now, [sealText(from, text)]);
}

export function simulate(pair: Pair, options: ConstructorParameters<typeof Simulation>[2]): Simulation {
  return new Simulation(node(pair.client), node(pair.server), options);
}
