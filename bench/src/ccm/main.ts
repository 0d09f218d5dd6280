/*
 * `npm run bench:ccm`: what sealing and opening a record costs with each engine, in turn in one
 * process: of AES-128-CCM, or of what `--aead` names. The thresholds of `auto` were set by it.
 */
import { randomBytes } from 'node:crypto';
import {
  createRecordArena,
  createRecordCipher,
  createRecordQueue,
  type Engine,
  type RecordAlgorithm,
  type RecordCipher,
} from '@millrace/crypto';
import { formatTable } from '../report/format-table.ts';
import { describeMachine, formatMachine } from '../report/machine.ts';
import { parseFlags } from '../report/parse-flags.ts';
import { inTurn, median } from '../report/statistics.ts';

const headerBytes = 13;
const tagBytes = 16;
const records = 256;
const engines = ['reference', 'single-buffer', 'node', 'wasm', 'wasm:batch', 'auto', 'auto:batch', 'gcm'] as const;
type EngineName = (typeof engines)[number];

interface Shape {
  readonly algorithm: RecordAlgorithm;
  readonly keyBytes: number;
  readonly ivBytes: number;
  readonly explicitNonceBytes: number;
}

const shapes = {
  ccm: { algorithm: 'AES-128-CCM', keyBytes: 16, ivBytes: 4, explicitNonceBytes: 8 },
  gcm: { algorithm: 'AES-128-GCM', keyBytes: 16, ivBytes: 4, explicitNonceBytes: 8 },
  chacha20: { algorithm: 'CHACHA20-POLY1305', keyBytes: 32, ivBytes: 12, explicitNonceBytes: 0 },
} as const satisfies Record<string, Shape>;
type AeadName = keyof typeof shapes;

const flags = parseFlags('bench:ccm', {
  sizes: {
    type: 'list',
    default: ['16', '64', '256', '512', '1024', '1400', '2048', '4096', '8192', '16000'],
    known: ['16', '64', '256', '512', '768', '1024', '1200', '1400', '2048', '4096', '8192', '16000'],
    help: 'payload sizes in bytes',
  },
  engines: {
    type: 'list',
    default: ['reference', 'single-buffer', 'auto', 'auto:batch'],
    known: engines,
    help: 'what to compare; gcm is AES-128-GCM over node:crypto, beside whatever --aead is',
  },
  aead: { type: 'list', default: ['ccm'], known: Object.keys(shapes), help: 'what protects the records; GCM has no kernels' },
  rounds: { type: 'number', default: 5, help: 'rounds, each there and back' },
});

interface Row {
  readonly aead: AeadName;
  readonly op: 'seal' | 'open';
  readonly size: number;
  readonly engine: EngineName;
  readonly nsPerOp: number;
  readonly mbPerS: number;
  readonly bytesPerOp: number;
}

interface Subject {
  seal(): Sample;
  open(): Sample;
}

interface Sample {
  readonly ns: number;
  readonly bytes: number;
}

const names = flags.engines as readonly EngineName[];
if (flags.aead.includes('gcm') && names.some((name) => name.startsWith('wasm'))) {
  process.stderr.write('--engines wasm is for --aead ccm and chacha20: GCM has no kernels.\n');
  process.exit(2);
}
const rows = (flags.aead as readonly AeadName[]).flatMap((aead) => flags.sizes.flatMap((size) => compare(aead, Number(size))));

if (flags.json) process.stdout.write(`${JSON.stringify({ machine: describeMachine(), rows })}\n`);
else {
  const head = ['AEAD', 'op', 'payload', 'engine', 'ns', 'MB/s', 'B/op', 'times reference'];
  const body = rows.map((row) => {
    const reference = rows.find(
      ({ aead, op, size, engine }) => aead === row.aead && op === row.op && size === row.size && engine === 'reference',
    );
    return [
      row.aead,
      row.op,
      `${row.size} B`,
      row.engine,
      row.nsPerOp.toFixed(0),
      row.mbPerS.toFixed(0),
      row.bytesPerOp.toFixed(0),
      reference === undefined ? '' : (reference.nsPerOp / row.nsPerOp).toFixed(2),
    ];
  });
  process.stdout.write(`${formatMachine(describeMachine())}\n\n${formatTable([head, ...body])}\n`);
}

function compare(aead: AeadName, size: number): Row[] {
  const subjects = new Map(names.map((name) => [name, createSubject(aead, name, size)]));
  const samples = new Map(names.map((name) => [name, { seal: [] as Sample[], open: [] as Sample[] }]));
  for (const name of inTurn(names, 4)) {
    subjects.get(name)!.seal();
    subjects.get(name)!.open();
  }
  for (const name of inTurn(names, flags.rounds)) {
    for (let repeat = 0; repeat < 4; repeat++) {
      samples.get(name)!.seal.push(subjects.get(name)!.seal());
      samples.get(name)!.open.push(subjects.get(name)!.open());
    }
  }
  return (['seal', 'open'] as const).flatMap((op) =>
    names.map((engine) => {
      const taken = samples.get(engine)![op];
      const nsPerOp = median(taken.map(({ ns }) => ns));
      // Where the collector ran in between, the growth is negative and says nothing.
      const growths = taken.map(({ bytes }) => bytes).filter((bytes) => bytes >= 0);
      return {
        aead,
        op,
        size,
        engine,
        nsPerOp,
        mbPerS: (size / nsPerOp) * 1000,
        bytesPerOp: growths.length > 0 ? median(growths) : 0,
      };
    }),
  );
}

/** Records stand in an arena, payload aligned, as they do in the driver. Batches mix four connections. */
function createSubject(aead: AeadName, name: EngineName, size: number): Subject {
  const engine: Engine = name === 'gcm' ? 'node' : (name.replace(':batch', '') as Engine);
  const { algorithm, keyBytes, ivBytes, explicitNonceBytes } = shapes[name === 'gcm' ? 'gcm' : aead];
  const fragmentBytes = explicitNonceBytes + size + tagBytes;
  const slotBytes = headerBytes + fragmentBytes;
  const arena = createRecordArena({ slotBytes, slots: records, payloadSkew: 11 });
  const starts = Array.from({ length: records }, () => arena.take());
  const connections = Array.from({ length: 4 }, () => {
    const secret = { algorithm, key: randomBytes(keyBytes), iv: randomBytes(ivBytes), engine };
    return { sealer: createRecordCipher(secret), opener: createRecordCipher(secret) };
  });
  const sealers = starts.map((_, i) => connections[i & 3]!.sealer);
  const openers = starts.map((_, i) => connections[i & 3]!.opener);
  const queue = createRecordQueue(arena);
  const { data } = arena;
  let sequenceNumber = 0;
  const sink = {
    recordOpened(_data: Uint8Array, _start: number, _end: number, authentic: boolean): void {
      if (!authentic) throw new Error('a record was refused');
    },
  };
  const one: { seal(c: RecordCipher, at: number): void; open(c: RecordCipher, at: number): void } = {
    seal: (cipher, at) => cipher.sealRecord(data, at, at + slotBytes),
    open: (cipher, at) => {
      if (!cipher.openRecord(data, at, at + slotBytes)) throw new Error('a record was refused');
    },
  };
  const many: typeof one = {
    seal: (cipher, at) => queue.seal(cipher, data, at, at + slotBytes),
    open: (cipher, at) => queue.open(cipher, data, at, at + slotBytes, sink),
  };
  const way = name.endsWith(':batch') ? many : one;
  return {
    seal() {
      for (let i = 0; i < records; i++) writeHeader(data, starts[i]!, sequenceNumber + (i >> 2));
      sequenceNumber += records >> 2;
      return sample(() => {
        for (let i = 0; i < records; i++) way.seal(sealers[i]!, starts[i]!);
        queue.flush();
      });
    },
    open: () =>
      sample(() => {
        for (let i = 0; i < records; i++) way.open(openers[i]!, starts[i]!);
        queue.flush();
      }),
  };

  function writeHeader(record: Uint8Array, at: number, number: number): void {
    record.set([23, 0xfe, 0xfd, 0, 1, 0, 0, number >>> 24, number >>> 16, number >>> 8, number], at);
    record[at + 11] = fragmentBytes >>> 8;
    record[at + 12] = fragmentBytes;
  }
}

function sample(work: () => void): Sample {
  const before = process.memoryUsage();
  const start = process.hrtime.bigint();
  work();
  const ns = Number(process.hrtime.bigint() - start) / records;
  const after = process.memoryUsage();
  const bytes = after.heapUsed + after.external - before.heapUsed - before.external;
  return { ns, bytes: bytes / records };
}
