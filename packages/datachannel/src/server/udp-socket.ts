import { createSocket, type Socket, type SocketOptions } from 'node:dgram';
import type { Path } from '@millrace/ice';

/** Where a datagram came from, as node:dgram says it: what the declarations name must not need Node's types. */
export interface RemoteAddress {
  readonly address: string;
  readonly family: 'IPv4' | 'IPv6';
  readonly port: number;
}

export interface UdpSocketOptions {
  readonly address: string;
  readonly family: 4 | 6;
  readonly port: number;
  readonly bufferBytes: number;
  onDatagram(data: Uint8Array, remote: RemoteAddress): void;
  onError(error: Error): void;
  /** All that was given to `send` is with the operating system; comes after a stall. */
  onDrained(): void;
}

/**
 * A bound UDP socket that sends at once. By default Node resolves even an IP literal in a later turn,
 * when the bytes to send may be others already; the `lookup` given here answers in the same call.
 */
export class UdpSocket {
  readonly family: 4 | 6;
  readonly address: string;
  sendErrors = 0;
  readonly #socket: Socket;
  readonly #options: UdpSocketOptions;
  #isStalled = false;
  readonly #sent: (error: Error | null) => void;

  /** Rejects with the operating system's error where the address can't be bound. */
  static async bind(options: UdpSocketOptions): Promise<UdpSocket> {
    const lookup: NonNullable<SocketOptions['lookup']> = (hostname, _, callback) => callback(null, hostname, options.family);
    const socket = createSocket({ type: options.family === 4 ? 'udp4' : 'udp6', ipv6Only: options.family === 6, lookup });
    await new Promise<void>((done, fail) => {
      socket.once('error', fail);
      socket.bind({ address: options.address, port: options.port, exclusive: true }, () => {
        socket.off('error', fail);
        done();
      });
    });
    return new UdpSocket(socket, options);
  }

  private constructor(socket: Socket, options: UdpSocketOptions) {
    this.family = options.family;
    this.address = options.address;
    this.#socket = socket;
    this.#options = options;
    this.#sent = (error) => {
      if (error) this.sendErrors++;
      if (this.#isStalled && this.pending === 0) {
        this.#isStalled = false;
        this.#options.onDrained();
      }
    };
    setBuffer(() => socket.setRecvBufferSize(options.bufferBytes));
    setBuffer(() => socket.setSendBufferSize(options.bufferBytes));
    socket.on('message', (data, remote) => options.onDatagram(data, remote));
    socket.on('error', (error) => options.onError(error));
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** What the operating system granted, in its own way of counting. */
  get receiveBufferBytes(): number {
    return this.#socket.getRecvBufferSize();
  }

  /** Datagrams that wait in the process because the socket is full; they keep their bytes until `onDrained`. */
  get pending(): number {
    return this.#socket.getSendQueueCount();
  }

  /**
   * Sends a datagram. With `isReported` its outcome is looked at: a refusal is counted, and the end
   * of a stall noticed. Worth a third of a microsecond, so not for every datagram.
   */
  send(datagram: Uint8Array, path: Path, isReported: boolean): void {
    this.#socket.send(datagram, path.remote.port, path.remote.address, isReported ? this.#sent : undefined);
  }

  /** The datagram sent last, which was a reported one, still waits: `onDrained` will come. */
  stall(): void {
    this.#isStalled = true;
  }

  close(): Promise<void> {
    return new Promise((done) => this.#socket.close(done));
  }
}

/** The operating system may refuse a size; what it granted shows in `receiveBufferBytes`. */
function setBuffer(set: () => void): void {
  try {
    set();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SOCKET_BUFFER_SIZE') throw error;
  }
}
