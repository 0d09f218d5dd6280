import { WebSocket } from 'ws';

/** One side of a room. */
export interface Signaling {
  send(text: string): void;
  /** The next text of the other side. Rejects where the connection ends first. */
  receive(): Promise<string>;
  close(): void;
}

/** Joins a room by its URL. Rejects where there is no connection. */
export async function joinSignaling(url: string): Promise<Signaling> {
  const socket = new WebSocket(url);
  const heard: string[] = [];
  let waiting: { resolve(text: string): void; reject(error: Error): void } | undefined;
  let ended = false;
  socket.on('message', (data) => {
    if (waiting === undefined) heard.push(String(data));
    else waiting.resolve(String(data));
    waiting = undefined;
  });
  socket.on('close', () => {
    ended = true;
    waiting?.reject(new Error('the signaling connection ended'));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => socket.terminate());
  return {
    send: (text) => socket.send(text),
    receive() {
      const text = heard.shift();
      if (text !== undefined) return Promise.resolve(text);
      if (ended) return Promise.reject(new Error('the signaling connection ended'));
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
      });
    },
    close: () => socket.close(),
  };
}
