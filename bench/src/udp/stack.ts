/** What the benchmark needs of a stack: one connection over loopback with one reliable, ordered channel. */
export interface Stack {
  /** Opens a channel and offers; the channel resolves once it is open. */
  offer(): Promise<{ sdp: string; accept(answerSdp: string): Promise<void>; channel: Promise<BenchChannel> }>;
  answer(offerSdp: string): Promise<{ sdp: string; channel: Promise<BenchChannel> }>;
  close(): Promise<void>;
}

export interface BenchChannel {
  /** Queues a message, which is the stack's from here on. False: wait for `onWritable`. */
  send(message: Uint8Array): boolean;
  onWritable(listener: () => void): void;
  onMessage(listener: (message: Uint8Array) => void): void;
}

export const stackNames = ['millrace', 'werift', 'node-datachannel'] as const;
export type StackName = (typeof stackNames)[number];

/** All stacks stop at so many queued bytes and go on at a quarter of them, unless one does better with fewer. */
export const highWaterBytes: number = 1 << 20;

/** Loads one stack alone, so that none pays for the others. */
export async function loadStack(name: StackName): Promise<Stack> {
  if (name === 'millrace') return (await import('./stacks/millrace-stack.ts')).createMillraceStack();
  if (name === 'werift') return (await import('./stacks/werift-stack.ts')).createWeriftStack();
  return (await import('./stacks/node-datachannel-stack.ts')).createNodeDataChannelStack();
}
