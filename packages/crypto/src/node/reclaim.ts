import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** Buffers that are given back by one call: enough to share its cost, few enough to stay in a cache. */
const batchBuffers = 32;

let port: MessagePort | undefined;
const batch: ArrayBuffer[] = [];

/**
 * Frees memory that node:crypto returned, soon and on this thread. `bytes` must own its ArrayBuffer
 * and is of length 0 afterwards.
 *
 * Left to the garbage collector, thousands of buffers are freed at once by a helper thread, which
 * fights with this thread for the lock of malloc: where a second core is idle, that costs a record of
 * 1200 bytes two to four times the CPU of its AES. Freed here, the memory is also used again while it
 * is in the cache. A message to a closed port does it: the buffers are detached, the message is
 * dropped. (`ArrayBuffer.prototype.transfer` is not in Node 20.)
 */
export function reclaim(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (bytes.length === 0 || buffer.byteLength !== bytes.length || !(buffer instanceof ArrayBuffer)) return;
  if (batch.push(buffer) < batchBuffers) return;
  port ??= closedPort();
  port.postMessage(null, batch);
  batch.length = 0;
}

function closedPort(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.close();
  port2.close();
  return port1;
}
