/* One end of a run, in a process of its own: `node endpoint.js STACK`, steered over the IPC channel. */
import type { Command, Report } from './messages.ts';
import { type BenchChannel, loadStack, type StackName } from './stack.ts';

const stack = await loadStack(process.argv[2] as StackName);
let channel: BenchChannel | undefined;
let accept: ((sdp: string) => Promise<void>) | undefined;
let receivedBytes = 0;
let receivedMessages = 0;

const report = (message: Report): void => void process.send!(message);
const fail = (error: unknown): void => report({ type: 'failed', reason: error instanceof Error ? error.message : String(error) });

process.on('message', (command: Command) => void handle(command).catch(fail));
process.on('disconnect', () => process.exit());
report({ type: 'ready' });

async function handle(command: Command): Promise<void> {
  if (command.type === 'offer') {
    const offer = await stack.offer();
    accept = offer.accept;
    use(offer.channel);
    report({ type: 'sdp', sdp: offer.sdp });
  } else if (command.type === 'answer') {
    const answer = await stack.answer(command.sdp);
    use(answer.channel);
    report({ type: 'sdp', sdp: answer.sdp });
  } else if (command.type === 'accept') await accept!(command.sdp);
  else if (command.type === 'send') pump(channel!, command.messageBytes);
  else if (command.type === 'mark') {
    const { user, system } = process.cpuUsage();
    report({ type: 'mark', atMs: performance.now(), bytes: receivedBytes, cpuMs: (user + system) / 1000 });
  } else process.exit();
}

function use(opening: Promise<BenchChannel>): void {
  opening.then((open) => {
    channel = open;
    open.onMessage(handleMessage);
    report({ type: 'open' });
  }, fail);
}

/** Counts what comes, and holds the stack to its word: every message whole, in order, once. */
function handleMessage(message: Uint8Array): void {
  const number = (message[0]! << 24) | (message[1]! << 16) | (message[2]! << 8) | message[3]!;
  if (number !== receivedMessages) fail(new Error(`message ${number} came where ${receivedMessages} was due`));
  receivedMessages++;
  receivedBytes += message.length;
}

function pump(to: BenchChannel, messageBytes: number): void {
  let number = 0;
  const fill = (): void => {
    for (;;) {
      const message = new Uint8Array(messageBytes);
      message[0] = number >>> 24;
      message[1] = number >>> 16;
      message[2] = number >>> 8;
      message[3] = number++;
      if (!to.send(message)) return;
    }
  };
  to.onWritable(fill);
  fill();
}
