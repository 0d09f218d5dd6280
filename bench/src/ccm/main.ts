/*
 * `npm run bench:ccm`: what sealing and opening an AES-128-CCM record costs with each engine, in turn
 * in one process. The thresholds of `auto` were set by it.
 */
import { randomBytes } from 'node:crypto';
import { createRecordArena, createRecordCipher, createRecordQueue, type RecordCipher } from '@millrace/crypto';
import { formatTable } from '../report/format-table.ts';
import { describeMachine, formatMachine } from '../report/machine.ts';
import { parseFlags } from '../report/parse-flags.ts';
import { inTurn, median } from '../report/statistics.ts';

const overheadBytes = 13 + 8 + 16;
const records = 256;
const engines = ['reference', 'single-buffer', 'node', 'wasm', 'wasm:batch', 'auto', 'auto:batch'] as const;
type EngineName = (typeof engines)[number];

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
    help: 'what to compare',
  },
  rounds: { type: 'number', default: 5, help: 'rounds, each there and back' },
});

interface Row {
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
const rows = flags.sizes.flatMap((size) => compare(Number(size)));

if (flags.json) process.stdout.write(`${JSON.stringify({ machine: describeMachine(), rows })}\n`);
else {
  const head = ['AES-128-CCM', 'payload', 'engine', 'ns', 'MB/s', 'B/op', 'times reference'];
  const body = rows.map((row) => {
    const reference = rows.find(({ op, size, engine }) => op === row.op && size === row.size && engine === 'reference');
    return [
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

function compare(size: number): Row[] {
  const subjects = new Map(names.map((name) => [name, createSubject(name, size)]));
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
      return { op, size, engine, nsPerOp, mbPerS: (size / nsPerOp) * 1000, bytesPerOp: growths.length > 0 ? median(growths) : 0 };
    }),
  );
}

/** Records stand in an arena, payload aligned, as they do in the driver. Batches mix four connections. */
function createSubject(name: EngineName, size: number): Subject {
  const engine = name.replace(':batch', '') as Exclude<EngineName, `${string}:batch`>;
  const slotBytes = size + overheadBytes;
  const arena = createRecordArena({ slotBytes, slots: records, payloadSkew: 11 });
  const starts = Array.from({ length: records }, () => arena.take());
  const connections = Array.from({ length: 4 }, () => {
    const secret = { algorithm: 'AES-128-CCM', key: randomBytes(16), iv: randomBytes(4), engine } as const;
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
    record[at + 11] = (size + 24) >>> 8;
    record[at + 12] = size + 24;
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
