import { randomBytes, randomUint32, seededRandom, writeUint48 } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import {
  createRecordArena,
  createRecordCipher,
  createRecordQueue,
  type RecordAlgorithm,
  type RecordCipher,
  type RecordQueue,
} from '../node/index.ts';

const suites: readonly { algorithm: RecordAlgorithm; keyBytes: number; ivBytes: number; tagBytes: number }[] = [
  { algorithm: 'AES-128-CCM', keyBytes: 16, ivBytes: 4, tagBytes: 16 },
  { algorithm: 'AES-128-CCM-8', keyBytes: 16, ivBytes: 4, tagBytes: 8 },
  { algorithm: 'AES-128-GCM', keyBytes: 16, ivBytes: 4, tagBytes: 16 },
  { algorithm: 'CHACHA20-POLY1305', keyBytes: 32, ivBytes: 12, tagBytes: 16 },
];

/** Of a run. */
const records = 120;

interface Connection {
  readonly sealer: RecordCipher;
  readonly opener: RecordCipher;
  sequenceNumber: number;
}

function connect(seed: number, only?: number): Connection[] {
  const random = seededRandom(seed);
  return Array.from({ length: 6 }, (_, i) => {
    const { algorithm, keyBytes, ivBytes } = suites[only ?? (i < 3 ? 0 : i - 2)]!;
    const options = { algorithm, key: randomBytes(random, keyBytes), iv: randomBytes(random, ivBytes) };
    return { sealer: createRecordCipher(options), opener: createRecordCipher(options), sequenceNumber: 0 };
  });
}

/** What a run leaves behind, and what its sinks were told. */
interface Outcome {
  readonly records: Uint8Array[];
  readonly told: string[];
}

interface Placed {
  readonly data: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** Puts records into buffers of their own. */
function intoBuffers(record: Uint8Array, skip: number): Placed {
  const data = new Uint8Array(skip + record.length);
  data.set(record, skip);
  return { data, start: skip, end: data.length };
}

/** A queue over a record arena, and what puts records into its slots. */
function arenaQueue(): { queue: RecordQueue; into: typeof intoBuffers } {
  const arena = createRecordArena({ slotBytes: 1600, slots: 2 * records });
  const into = (record: Uint8Array, skip: number): Placed => {
    const start = arena.take() + skip;
    arena.data.set(record, start);
    return { data: arena.data, start, end: start + record.length };
  };
  return { queue: createRecordQueue(arena), into };
}

/** Seals and opens the same records, forged and repeated ones among them, with a flush where `splits` says. */
function run(seed: number, splits: () => boolean, queue: RecordQueue, into = intoBuffers): Outcome {
  const random = seededRandom(seed);
  const connections = connect(seed);
  const owners: Connection[] = [];
  const sealed: Placed[] = [];
  for (let i = 0; i < records; i++) {
    const owner = connections[randomUint32(random) % connections.length]!;
    const { explicitNonceBytes, tagBytes } = owner.sealer;
    const payload = randomBytes(random, randomUint32(random) % (i % 3 === 0 ? 1500 : 200));
    const record = new Uint8Array(13 + explicitNonceBytes + payload.length + tagBytes);
    record.set([23, 0xfe, 0xfd, 0, 1]);
    writeUint48(record, 5, owner.sequenceNumber++);
    record.set(payload, 13 + explicitNonceBytes);
    const { data, start, end } = into(record, randomUint32(random) % 9);
    sealed.push({ data, start, end });
    owners.push(owner);
    queue.seal(owner.sealer, data, start, end);
    if (splits()) queue.flush();
  }
  queue.flush();
  const bytesOf = ({ data, start, end }: Placed): Uint8Array => data.slice(start, end);
  const told: string[] = [];
  const sink = {
    recordOpened: (data: Uint8Array, start: number, end: number, authentic: boolean) =>
      void told.push(`${data[start + 10]} ${end - start} ${authentic} ${data[start + 21]}`),
  };
  const opened = sealed.map((record) => into(bytesOf(record), randomUint32(random) % 9));
  opened.forEach(({ data, start, end }, i) => {
    if (randomUint32(random) % 7 === 0) data[start + (randomUint32(random) % (end - start))]! ^= 4;
    queue.open(owners[i]!.opener, data, start, end, sink);
    // The same bytes once more: in their turn they are plaintext already, and refused.
    if (randomUint32(random) % 9 === 0) queue.open(owners[i]!.opener, data, start, end, sink);
    if (splits()) queue.flush();
  });
  queue.flush();
  return { records: [...sealed, ...opened].map(bytesOf), told };
}

describe('batches of the record queue', () => {
  test.each([1, 2, 3, 4, 5, 6])('any split of the jobs gives the bytes and results of one by one (seed %d)', (seed) => {
    const alone = run(seed, () => true, createRecordQueue());
    const random = seededRandom(100 + seed);
    const queue = createRecordQueue();
    expect(run(seed, () => false, queue)).toEqual(alone);
    expect(queue.stats.batches).toBeGreaterThan(10);
    for (const every of [2, 3, 5, 9]) {
      const split = (): boolean => randomUint32(random) % every === 0;
      expect(run(seed, split, createRecordQueue())).toEqual(alone);
      const inPlace = arenaQueue();
      expect(run(seed, split, inPlace.queue, inPlace.into)).toEqual(alone);
    }
  });

  test('counts the records per flush and those that shared a call', () => {
    const queue = createRecordQueue();
    expect(queue.stats.recordsPerFlush).toBe(0);
    const records = connect(9, 0).map(({ sealer }) => {
      const record = new Uint8Array(13 + 8 + 100 + 16);
      record.set([23, 0xfe, 0xfd, 0, 1]);
      queue.seal(sealer, record, 0, record.length);
      return record;
    });
    queue.flush();
    expect(records).toHaveLength(6);
    expect(queue.stats).toMatchObject({ recordsPerFlush: 6, sealed: 6, batches: 2, batchedRecords: 6 });
  });

  test('a cipher destroyed after its jobs leaves the others of its lane untouched', () => {
    const queue = createRecordQueue();
    const [first, second] = connect(3, 0);
    const seal = (connection: Connection, number: number): Uint8Array => {
      const record = new Uint8Array(13 + 8 + 50 + 16);
      record.set([23, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 0, number]);
      queue.seal(connection.sealer, record, 0, record.length);
      return record;
    };
    seal(first!, 0);
    seal(second!, 0);
    queue.flush();
    first!.sealer.destroy();
    const records = [seal(second!, 1), seal(second!, 2)];
    queue.flush();
    for (const record of records) expect(second!.opener.openRecord(record, 0, record.length)).toBe(true);
    seal(first!, 1);
    seal(second!, 3);
    expect(() => queue.flush()).toThrow(/destroyed/);
    queue.flush();
    expect(queue.pending).toBe(0);
  });
});
