import { expect, test } from 'vitest';
import { createIceAgent } from '../create-ice-agent.ts';
import { maxStunBytes } from '../stun/encode-stun.ts';
import { peekUfrag } from '../stun/peek-ufrag.ts';
import type { Address, IceAgent, Path } from '../types.ts';

const serverAddress: Address = { family: 4, address: '192.0.2.1', port: 443 };

/** Many agents behind one socket, told apart by the fragment of a first request and by path after that. */
class OnePort {
  readonly agents = new Map<string, IceAgent>();
  readonly #byPath = new Map<Path, IceAgent>();
  readonly #paths = new Map<string, Path>();

  path(remote: Address): Path {
    const key = `${remote.address} ${remote.port}`;
    const path = this.#paths.get(key) ?? { local: 0, remote };
    this.#paths.set(key, path);
    return path;
  }

  add(): IceAgent {
    const agent = createIceAgent({ role: 'controlled', path: (_, remote) => this.path(remote) });
    agent.addLocalCandidate(0, 0, serverAddress);
    this.agents.set(agent.localUfrag, agent);
    return agent;
  }

  receive(now: number, from: Address, bytes: Uint8Array): void {
    const path = this.path(from);
    const ufrag = peekUfrag(bytes, 0, bytes.length);
    const agent = ufrag === undefined ? this.#byPath.get(path) : this.agents.get(ufrag);
    if (agent?.handleDatagram(now, path, bytes, 0, bytes.length) === true) this.#byPath.set(path, agent);
  }
}

function createClient(): IceAgent {
  const paths = new Map<string, Path>();
  const agent = createIceAgent({
    role: 'controlling',
    path: (local, remote) => paths.get(remote.address) ?? paths.set(remote.address, { local, remote }).get(remote.address)!,
  });
  agent.addLocalCandidate(0, 0, { family: 4, address: '203.0.113.9', port: 5000 });
  return agent;
}

function introduce(client: IceAgent, server: IceAgent): void {
  client.setRemoteParameters(0, { ufrag: server.localUfrag, pwd: server.localPwd });
  server.setRemoteParameters(0, { ufrag: client.localUfrag, pwd: client.localPwd });
  client.addRemoteCandidate(0, {
    foundation: '1',
    priority: 1,
    address: serverAddress.address,
    port: serverAddress.port,
    type: 'host',
  });
}

/** Passes datagrams on until both are silent. */
function exchange(now: number, port: OnePort, client: IceAgent, server: IceAgent, clientAddress: Address): void {
  const out = new Uint8Array(maxStunBytes);
  for (let isBusy = true; isBusy; ) {
    isBusy = false;
    for (let n = client.pollTransmit(now, out, 0, out.length); n > 0; n = client.pollTransmit(now, out, 0, out.length)) {
      port.receive(now, clientAddress, out.slice(0, n));
      isBusy = true;
    }
    for (let n = server.pollTransmit(now, out, 0, out.length); n > 0; n = server.pollTransmit(now, out, 0, out.length)) {
      const { remote } = server.transmitPath!;
      isBusy = true;
      if (remote.address !== clientAddress.address || remote.port !== clientAddress.port) continue;
      const datagram = out.slice(0, n);
      client.handleDatagram(now, clientPath(client), datagram, 0, datagram.length);
    }
  }
}

/** The client's one path, to the server. */
function clientPath(client: IceAgent): Path {
  return client.selectedPath ?? client.transmitPath!;
}

test('I9: many peers connect through one port', () => {
  const port = new OnePort();
  const pairs = Array.from({ length: 50 }, () => ({ client: createClient(), server: port.add() }));
  for (const { client, server } of pairs) introduce(client, server);
  for (const [i, { client, server }] of pairs.entries()) {
    exchange(1, port, client, server, { family: 4, address: '203.0.113.9', port: 5000 + i });
  }
  for (const { client, server } of pairs) expect([client.state, server.state]).toEqual(['completed', 'completed']);
  const remotes = pairs.map(({ server }) => server.selectedPath!.remote.port);
  expect(remotes).toEqual(Array.from({ length: 50 }, (_, i) => 5000 + i));
});

test('I9: a peer that comes back from the same address and port connects again, and the old agent gets nothing of it', () => {
  const port = new OnePort();
  const address: Address = { family: 4, address: '203.0.113.9', port: 5000 };
  const [oldClient, oldServer] = [createClient(), port.add()];
  introduce(oldClient, oldServer);
  exchange(1, port, oldClient, oldServer, address);
  expect(oldServer.state).toBe('completed');
  const before = oldServer.stats;
  const [client, server] = [createClient(), port.add()];
  introduce(client, server);
  exchange(100, port, client, server, address);
  expect([client.state, server.state]).toEqual(['completed', 'completed']);
  expect(server.selectedPath).toBe(oldServer.selectedPath);
  expect(oldServer.stats).toEqual(before);
});
