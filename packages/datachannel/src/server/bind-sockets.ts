import { literalFamily } from './addresses.ts';
import { UdpSocket, type UdpSocketOptions } from './udp-socket.ts';

type SocketSetup = Pick<UdpSocketOptions, 'bufferBytes' | 'onError' | 'onDrained'> & {
  onDatagram(local: number, ...args: Parameters<UdpSocketOptions['onDatagram']>): void;
};

/** A port that is free for one address may be taken for another: so often another one is tried. */
const maxAttempts = 16;
const allInterfaces = ['0.0.0.0', '::'];

/**
 * Binds one socket per address, all to the same port. Without addresses it binds to all interfaces;
 * a machine without IPv6, or without IPv4, has one socket then.
 */
export async function bindSockets(
  addresses: readonly string[] | undefined,
  port: number,
  setup: SocketSetup,
): Promise<UdpSocket[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await bindAll(addresses ?? allInterfaces, port, addresses === undefined, setup);
    } catch (error) {
      if (port !== 0 || attempt === maxAttempts || codeOf(error) !== 'EADDRINUSE') throw error;
    }
  }
}

async function bindAll(
  addresses: readonly string[],
  port: number,
  mayLackFamily: boolean,
  setup: SocketSetup,
): Promise<UdpSocket[]> {
  const sockets: UdpSocket[] = [];
  let failure: unknown;
  for (const address of addresses) {
    const local = sockets.length;
    try {
      sockets.push(
        await UdpSocket.bind({
          address,
          family: literalFamily('addresses', address),
          port: sockets[0]?.port ?? port,
          bufferBytes: setup.bufferBytes,
          onDatagram: (data, remote) => setup.onDatagram(local, data, remote),
          onError: setup.onError,
          onDrained: setup.onDrained,
        }),
      );
    } catch (error) {
      failure = error;
      if (mayLackFamily && ['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL'].includes(codeOf(error))) continue;
      await Promise.all(sockets.map((socket) => socket.close()));
      throw error;
    }
  }
  if (sockets.length === 0) throw failure;
  return sockets;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
