import { parseHex } from '@millrace/core';
import { createRecordCipher, defaultProvider } from '@millrace/crypto';
import { cipherSuites } from '../src/cipher-suites.ts';
import { deriveKeyBlock } from '../src/key-schedule.ts';

import { WriteEpoch } from '../src/record/write-epoch.ts';
import { type EndOptions, type Pair, createPair, receive, transmit } from './pair.ts';
import { messageOf, recordsOf } from './wire.ts';

/** Ahead of what the ends send by themselves, but inside the same replay window. */
const firstSequenceNumber = 20;

export interface ForgingPair extends Pair {
  /** An authentic record that the client, or the server, would never send by itself. */
  forge(sender: 'client' | 'server', type: number, payload: ArrayLike<number>): Uint8Array;
}

/** A connected pair whose keys the test knows, through the key log. */
export function forgingPair(client: EndOptions = {}, server: EndOptions = {}): ForgingPair {
  let line = '';
  const pair = createPair({ ...client, keyLog: (text) => void (line = text) }, server);
  receive(pair.server, 0, transmit(pair.client, 0));
  const flight = transmit(pair.server, 0);
  const serverRandom = messageOf(recordsOf(flight[0]!)[0]!).body.slice(2, 34);
  receive(pair.client, 0, flight);
  receive(pair.server, 0, transmit(pair.client, 0));
  receive(pair.client, 0, transmit(pair.server, 0));
  const [, clientRandom, masterSecret] = line.split(' ').map((hex) => parseHex(hex) ?? new Uint8Array(0));
  const suite = cipherSuites[pair.client.dtls.cipherSuite!];
  const randoms = { client: clientRandom!, server: serverRandom };
  const block = deriveKeyBlock(defaultProvider, suite, masterSecret!, randoms);
  const epochs = {
    client: new WriteEpoch(
      1,
      createRecordCipher({ algorithm: suite.algorithm, key: block.client.key, iv: block.client.salt }),
      firstSequenceNumber,
    ),
    server: new WriteEpoch(
      1,
      createRecordCipher({ algorithm: suite.algorithm, key: block.server.key, iv: block.server.salt }),
      firstSequenceNumber,
    ),
  };
  return {
    ...pair,
    forge(sender, type, payload) {
      const epoch = epochs[sender];
      const out = new Uint8Array(epoch.overheadBytes + payload.length);
      out.set(payload, epoch.headroomBytes);
      epoch.seal(type, out, 0, payload.length);
      return out;
    },
  };
}
