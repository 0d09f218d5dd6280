/*
 * `npm run bench:reference`: the `reference` engine beside werift's cipher, in turn. The demo compares
 * itself with `reference`, so that engine must not be slower than straightforward code is.
 */
import { randomBytes } from 'node:crypto';
import { createRecordCipher, type RecordCipher } from '@millrace/crypto';
import { formatTable } from '../report/format-table.ts';
import { describeMachine, formatMachine } from '../report/machine.ts';
import { parseFlags } from '../report/parse-flags.ts';
import { inTurn, median, spreadPercent } from '../report/statistics.ts';
import { createWeriftCipher, type WeriftCipher, weriftClient, weriftServer } from './werift-cipher.ts';

const allowedRatio = 1.05;
const records = 500;
const headerBytes = 13;
const overheadBytes = headerBytes + 8 + 16;
const applicationData = 23;
const dtls12 = 0xfefd;

const flags = parseFlags('bench:reference', {
  rounds: { type: 'number', default: 20, help: 'rounds, each there and back' },
});

interface Subject {
  /** Seals all records; µs per record. */
  seal(payloads: readonly Uint8Array[]): number;
  /** Opens what `seal` made last; µs per record. */
  open(): number;
}

interface Row {
  readonly payloadBytes: number;
  readonly operation: 'seal' | 'open';
  readonly referenceUs: number;
  readonly weriftUs: number;
  readonly ratio: number;
  readonly spreadPercent: number;
}

const key = randomBytes(16);
const salt = randomBytes(4);
const subjects = {
  reference: ownSubject(createRecordCipher({ algorithm: 'AES-128-CCM', key, iv: salt, engine: 'reference' })),
  werift: weriftSubject(createWeriftCipher(key, salt)),
};
const rows = [16, 256, 1150, 1400].flatMap(compare);
const machine = describeMachine();
const worst = Math.max(...rows.map((row) => row.ratio));

if (flags.json) process.stdout.write(`${JSON.stringify({ machine, rows, allowedRatio, worstRatio: worst })}\n`);
else {
  const head = ['AES-128-CCM', 'payload', 'reference µs', 'werift µs', 'ratio', '±'];
  const body = rows.map((row) => [
    row.operation,
    `${row.payloadBytes} B`,
    row.referenceUs.toFixed(2),
    row.weriftUs.toFixed(2),
    row.ratio.toFixed(3),
    `${row.spreadPercent.toFixed(0)} %`,
  ]);
  process.stdout.write(`${formatMachine(machine)}\n\n${formatTable([head, ...body])}\n\n`);
  process.stdout.write(`The largest ratio is ${worst.toFixed(3)}; up to ${allowedRatio} the reference is a fair one.\n`);
}
if (worst > allowedRatio) process.exitCode = 1;

function compare(payloadBytes: number): Row[] {
  const payloads = Array.from({ length: records }, () => randomBytes(payloadBytes));
  const names = ['reference', 'werift'] as const;
  const times = {
    reference: { seal: [] as number[], open: [] as number[] },
    werift: { seal: [] as number[], open: [] as number[] },
  };
  for (const name of inTurn(names, 3)) {
    subjects[name].seal(payloads);
    subjects[name].open();
  }
  for (const name of inTurn(names, flags.rounds)) {
    times[name].seal.push(subjects[name].seal(payloads));
    times[name].open.push(subjects[name].open());
  }
  return (['seal', 'open'] as const).map((operation) => {
    const referenceUs = median(times.reference[operation]);
    const weriftUs = median(times.werift[operation]);
    const spread = Math.max(spreadPercent(times.reference[operation]), spreadPercent(times.werift[operation]));
    return { payloadBytes, operation, referenceUs, weriftUs, ratio: referenceUs / weriftUs, spreadPercent: spread };
  });
}

/** Payloads stand at their place in the record already, as they do on the data path. */
function ownSubject(cipher: RecordCipher): Subject {
  let sealed: Buffer[] = [];
  return {
    seal(payloads) {
      sealed = payloads.map((payload, number) => {
        const record = Buffer.alloc(payload.length + overheadBytes);
        record[0] = applicationData;
        record.writeUInt16BE(dtls12, 1);
        record.writeUInt16BE(1, 3);
        record.writeUIntBE(number, 5, 6);
        record.writeUInt16BE(record.length - headerBytes, 11);
        record.set(payload, headerBytes + 8);
        return record;
      });
      return time(() => {
        for (const record of sealed) cipher.sealRecord(record, 0, record.length);
      });
    },
    open() {
      return time(() => {
        for (const record of sealed) if (!cipher.openRecord(record, 0, record.length)) throw new Error('a record was refused');
      });
    },
  };
}

function weriftSubject(cipher: WeriftCipher): Subject {
  const header = (sequenceNumber: number) => ({ type: applicationData, version: dtls12, epoch: 1, sequenceNumber });
  let sealed: Buffer[] = [];
  return {
    seal(payloads) {
      const buffers = payloads as Buffer[];
      sealed = Array.from({ length: buffers.length });
      return time(() => {
        for (let i = 0; i < buffers.length; i++) sealed[i] = cipher.encrypt(weriftClient, buffers[i]!, header(i));
      });
    },
    open() {
      return time(() => {
        for (let i = 0; i < sealed.length; i++) cipher.decrypt(weriftServer, sealed[i]!, header(i));
      });
    },
  };
}

/** µs of CPU per record, the collector's threads included; unlike the clock it counts no other process. */
function time(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / records;
}
