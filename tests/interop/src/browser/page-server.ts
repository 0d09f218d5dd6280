import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { EventLog } from '../support/event-log.ts';
import { RemotePage } from './remote-page.ts';

/** Serves the page to the browsers, and speaks with it over WebSockets. */
export interface PageServer {
  /** Origin to make known to the browser as secure: Web Crypto asks for that. */
  readonly origin: string;
  /** Has `load` open a new page of the browser and resolves once the script in it reports. */
  open(load: (url: string) => Promise<unknown>): Promise<RemotePage>;
  /** Has the pages find a script there. */
  addScript(path: string, code: string): void;
  close(): Promise<void>;
}

const files: Readonly<Record<string, { readonly type: string; readonly body: Buffer }>> = {
  '/': { type: 'text/html', body: readFileSync(new URL('agent.html', import.meta.url)) },
  '/agent.js': { type: 'text/javascript', body: readFileSync(new URL('agent.js', import.meta.url)) },
};

export async function createPageServer(address: string): Promise<PageServer> {
  const scripts = new Map<string, { readonly type: string; readonly body: string }>();
  const http = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://page').pathname;
    const file = scripts.get(path) ?? files[path];
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': file.type }).end(file.body);
  });
  const arrivals = new EventLog<{ readonly page: string; readonly socket: WebSocket }>();
  const sockets = new WebSocketServer({ server: http });
  sockets.on('connection', (socket, request) => {
    const page = new URL(request.url ?? '/', 'http://page').searchParams.get('page') ?? '';
    arrivals.push({ page, socket });
  });
  http.listen(0, address);
  await once(http, 'listening');
  const origin = `http://${address}:${(http.address() as AddressInfo).port}`;
  let pages = 0;

  return {
    origin,
    async open(load) {
      const page = String(++pages);
      const [arrival] = await Promise.all([
        arrivals.take(`page ${page}`, (entry) => entry.page === page),
        load(`${origin}/?page=${page}`),
      ]);
      return new RemotePage(arrival.socket);
    },
    addScript: (path, code) => void scripts.set(path, { type: 'text/javascript', body: code }),
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}
