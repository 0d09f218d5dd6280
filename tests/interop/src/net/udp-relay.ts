import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/**
 * Stands between a browser and the server under test, so that a test sees the datagrams, or cuts the
 * wire. It takes one browser: the first that sends something.
 */
export class UdpRelay {
  /** What the browser sent, in order. */
  readonly fromBrowser: Uint8Array[] = [];
  /** What the server sent, in order. */
  readonly fromServer: Uint8Array[] = [];
  readonly #outside: Socket;
  #cut = false;

  private constructor(outside: Socket) {
    this.#outside = outside;
  }

  static async start(address: string, serverPort: number): Promise<UdpRelay> {
    const [outside, inside] = await Promise.all([openSocket(address), openSocket(address)]);
    const relay = new UdpRelay(outside);
    let browserPort = 0;
    let browserAddress = '';
    outside.on('message', (data, from) => {
      browserPort = from.port;
      browserAddress = from.address;
      if (relay.#cut) return;
      relay.fromBrowser.push(new Uint8Array(data));
      inside.send(data, serverPort, address);
    });
    inside.on('message', (data) => {
      if (relay.#cut || browserPort === 0) return;
      relay.fromServer.push(new Uint8Array(data));
      outside.send(data, browserPort, browserAddress);
    });
    onTestFinished(() => {
      outside.close();
      inside.close();
    });
    return relay;
  }

  get port(): number {
    return this.#outside.address().port;
  }

  /** From now on nothing passes, either way. */
  cut(): void {
    this.#cut = true;
  }
}

async function openSocket(address: string): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.bind(0, address);
  await once(socket, 'listening');
  return socket;
}
