import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export interface SignalingServer {
  /** A URL for one pair: what one of the two says, the other hears. */
  openRoom(): string;
  close(): Promise<void>;
}

/** Waits for its two members; what the first says before the second is there is kept. */
interface Room {
  readonly members: WebSocket[];
  readonly unheard: string[];
}

/** Starts a WebSocket server on loopback, on a free port, that passes text between the two of a room. */
export async function startSignalingServer(): Promise<SignalingServer> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, maxPayload: 65_536 });
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
  });
  const rooms = new Map<string, Room>();
  server.on('connection', (socket, request) => {
    const room = rooms.get(request.url ?? '');
    if (room === undefined || room.members.length === 2) socket.close(1008, 'no such room, or it is full');
    else join(room, socket);
  });
  const { port } = server.address() as AddressInfo;
  return {
    openRoom() {
      const path = `/${rooms.size + 1}`;
      rooms.set(path, { members: [], unheard: [] });
      return `ws://127.0.0.1:${port}${path}`;
    },
    close: () =>
      new Promise((resolve) => {
        for (const client of server.clients) client.terminate();
        server.close(() => resolve());
      }),
  };
}

function join(room: Room, socket: WebSocket): void {
  room.members.push(socket);
  for (const text of room.unheard.splice(0)) socket.send(text);
  socket.on('message', (data) => {
    const other = room.members.find((member) => member !== socket);
    if (other === undefined) room.unheard.push(String(data));
    else other.send(String(data));
  });
  socket.on('error', () => socket.terminate());
}
