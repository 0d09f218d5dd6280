import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createDtls, type Dtls, type DtlsEvent, type DtlsOptions } from '@millrace/dtls';
import { onTestFinished } from 'vitest';
import { EventLog } from '../support/event-log.ts';

type UdpDtlsEvent = DtlsEvent | { readonly type: 'data'; readonly bytes: Uint8Array };

const loopback = '127.0.0.1';

/** One DTLS connection over a UDP socket on loopback, for the running test. */
export class UdpDtls {
  readonly events: EventLog<UdpDtlsEvent> = new EventLog();
  /** Copies of the datagrams in the order of the wire. */
  readonly sent: Uint8Array[] = [];
  readonly received: Uint8Array[] = [];
  readonly #socket: Socket;
  readonly #options: Omit<DtlsOptions, 'onData'>;
  #machine: Dtls | undefined;
  #remotePort: number;
  #timer: NodeJS.Timeout | undefined;

  private constructor(socket: Socket, options: Omit<DtlsOptions, 'onData'>, remotePort: number) {
    this.#socket = socket;
    this.#options = options;
    this.#remotePort = remotePort;
    socket.on('message', (data, { port }) => this.#handleDatagram(data, port));
  }

  /** Connects to a server on `port`. */
  static async connect(port: number, options: Omit<DtlsOptions, 'onData' | 'role'>): Promise<UdpDtls> {
    const connection = new UdpDtls(await openSocket(), { ...options, role: 'client' }, port);
    connection.machine.connect(performance.now());
    connection.#drain();
    return connection;
  }

  /** Waits for one client. */
  static async listen(options: Omit<DtlsOptions, 'onData' | 'role'>): Promise<UdpDtls> {
    return new UdpDtls(await openSocket(), { ...options, role: 'server' }, 0);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  get machine(): Dtls {
    this.#machine ??= createDtls({
      ...this.#options,
      // The client's address and port are what a cookie is bound to.
      clientIdentity: new TextEncoder().encode(`${loopback}:${this.#remotePort}`),
      onData: (data, start, end) => this.events.push({ type: 'data', bytes: data.slice(start, end) }),
    });
    return this.#machine;
  }

  async connected(): Promise<void> {
    const event = await this.events.take('connection', ({ type }) => type === 'connected' || type === 'closed');
    if (event.type === 'closed') throw event.error ?? new Error('closed before it was connected');
  }

  /** The error of the end, if there was one. */
  async closed(): Promise<Error | undefined> {
    const event = await this.events.take('end of the connection', ({ type }) => type === 'closed');
    return event.type === 'closed' ? event.error : undefined;
  }

  /** Text until `length` bytes of it have come, in however many records. */
  async receiveText(length: number): Promise<string> {
    let text = '';
    while (text.length < length) {
      const event = await this.events.take('application data', ({ type }) => type === 'data');
      if (event.type === 'data') text += new TextDecoder().decode(event.bytes);
    }
    return text;
  }

  send(payload: Uint8Array): void {
    const machine = this.machine;
    const record = new Uint8Array(machine.headroomBytes + payload.length + machine.tailroomBytes);
    record.set(payload, machine.headroomBytes);
    this.#transmit(record.subarray(0, machine.seal(record, 0, payload.length)));
  }

  sendText(text: string): void {
    this.send(new TextEncoder().encode(text));
  }

  close(): void {
    this.machine.close(performance.now());
    this.#drain();
  }

  /** Stops at once, without a word to the other side. */
  destroy(): void {
    clearTimeout(this.#timer);
    this.#socket.close();
  }

  #handleDatagram(data: Buffer, port: number): void {
    this.received.push(new Uint8Array(data));
    if (this.#remotePort === 0) this.#remotePort = port;
    if (port !== this.#remotePort) return;
    this.machine.handleDatagram(performance.now(), new Uint8Array(data), 0, data.length);
    this.#drain();
  }

  #drain(): void {
    const machine = this.machine;
    for (let event = machine.pollEvent(); event !== undefined; event = machine.pollEvent()) this.events.push(event);
    const out = new Uint8Array(2048);
    for (;;) {
      const length = machine.pollTransmit(performance.now(), out, 0, out.length);
      if (length === 0) break;
      this.#transmit(out.slice(0, length));
    }
    clearTimeout(this.#timer);
    const due = machine.pollTimeout();
    if (due === Infinity) return;
    this.#timer = setTimeout(
      () => {
        machine.handleTimeout(performance.now());
        this.#drain();
      },
      Math.max(0, Math.ceil(due - performance.now())),
    );
  }

  #transmit(datagram: Uint8Array): void {
    this.sent.push(datagram);
    this.#socket.send(datagram, this.#remotePort, loopback);
  }
}

async function openSocket(): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.bind(0, loopback);
  await once(socket, 'listening');
  return socket;
}

/** As above, and closed when the test ends. */
export async function connectDtls(port: number, options: Omit<DtlsOptions, 'onData' | 'role'> = {}): Promise<UdpDtls> {
  const connection = await UdpDtls.connect(port, options);
  onTestFinished(() => connection.destroy());
  return connection;
}

export async function listenDtls(options: Omit<DtlsOptions, 'onData' | 'role'>): Promise<UdpDtls> {
  const connection = await UdpDtls.listen(options);
  onTestFinished(() => connection.destroy());
  return connection;
}
