/* `npm run bench:udp`: bulk throughput over loopback, Millrace beside other stacks, in turn. */
import { formatTable } from '../report/format-table.ts';
import { describeMachine, formatMachine } from '../report/machine.ts';
import { parseFlags } from '../report/parse-flags.ts';
import { inTurn, median, spreadPercent } from '../report/statistics.ts';
import { runTransfer, type TransferResult } from './run-transfer.ts';
import { type StackName, stackNames } from './stack.ts';

const sizes = { '1024': 1024, '16384': 16_384, '65536': 65_536 } as const;

const flags = parseFlags('bench:udp', {
  stacks: { type: 'list', default: stackNames, known: stackNames, help: 'stacks to run' },
  sizes: { type: 'list', default: ['16384', '1024'], known: Object.keys(sizes), help: 'message sizes in bytes' },
  rounds: { type: 'number', default: 3, help: 'rounds, each there and back: two runs per stack' },
  seconds: { type: 'number', default: 2, help: 'measured seconds per run' },
  'warm-up-seconds': { type: 'number', default: 1, help: 'seconds before, not counted' },
});

interface Row {
  readonly stack: StackName;
  readonly messageBytes: number;
  readonly mbPerS: number;
  readonly spreadPercent: number;
  readonly senderCpuSecondsPerGb: number;
  readonly receiverCpuSecondsPerGb: number;
  /** Millrace's MB/s by this stack's. */
  readonly millraceRatio: number | undefined;
}

const machine = describeMachine();
const say = (line: string): void => void process.stderr.write(`${line}\n`);
say(`Two processes over UDP on loopback, one reliable ordered channel. ${formatMachine(machine)}.`);

const rows: Row[] = [];
for (const size of flags.sizes) rows.push(...(await compare(sizes[size as keyof typeof sizes])));
const quadratic = smallMessageRatio();

if (flags.json) process.stdout.write(`${JSON.stringify({ machine, rows, smallMessageRatio: quadratic })}\n`);
else printReport();

async function compare(messageBytes: number): Promise<Row[]> {
  const results = new Map<StackName, TransferResult[]>();
  const stacks = flags.stacks as readonly StackName[];
  for (const stack of inTurn(stacks, flags.rounds)) {
    const options = { messageBytes, warmUpMs: flags['warm-up-seconds'] * 1000, measuredMs: flags.seconds * 1000 };
    const result = await runTransfer(stack, options);
    say(`${messageBytes} B  ${stack.padEnd(16)} ${result.mbPerS.toFixed(1)} MB/s`);
    results.set(stack, [...(results.get(stack) ?? []), result]);
  }
  const medianOf = (stack: StackName, key: keyof TransferResult): number =>
    median(results.get(stack)!.map((result) => result[key]));
  return stacks.map((stack) => ({
    stack,
    messageBytes,
    mbPerS: medianOf(stack, 'mbPerS'),
    spreadPercent: spreadPercent(results.get(stack)!.map((result) => result.mbPerS)),
    senderCpuSecondsPerGb: medianOf(stack, 'senderCpuPerGb'),
    receiverCpuSecondsPerGb: medianOf(stack, 'receiverCpuPerGb'),
    millraceRatio: stacks.includes('millrace') ? medianOf('millrace', 'mbPerS') / medianOf(stack, 'mbPerS') : undefined,
  }));
}

/** Millrace's MB/s with 1 KiB messages by that with 16 KiB ones: low where a cost grows with the queue. */
function smallMessageRatio(): number | undefined {
  const own = (bytes: number): number | undefined =>
    rows.find((row) => row.stack === 'millrace' && row.messageBytes === bytes)?.mbPerS;
  const small = own(1024);
  const large = own(16_384);
  return small === undefined || large === undefined ? undefined : small / large;
}

function printReport(): void {
  const head = ['message', 'stack', 'MB/s', '±', 'CPU s/GB sender', 'receiver', 'Millrace is'];
  const body = rows.map((row) => [
    `${row.messageBytes} B`,
    row.stack,
    row.mbPerS.toFixed(1),
    `${row.spreadPercent.toFixed(0)} %`,
    row.senderCpuSecondsPerGb.toFixed(1),
    row.receiverCpuSecondsPerGb.toFixed(1),
    row.stack === 'millrace' || row.millraceRatio === undefined ? '' : `${row.millraceRatio.toFixed(2)} x`,
  ]);
  process.stdout.write(`\n${formatTable([head, ...body])}\n`);
  if (quadratic !== undefined)
    process.stdout.write(`\nMillrace with 1 KiB messages reaches ${quadratic.toFixed(2)} of its MB/s with 16 KiB ones.\n`);
  process.stdout.write(
    `\nMedians of ${flags.rounds * 2} runs of ${flags.seconds} s each, in turn, fresh processes. MB = 10^6 bytes at the receiver.\n`,
  );
}
