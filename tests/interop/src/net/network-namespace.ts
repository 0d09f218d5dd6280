import { type ChildProcessByStdio, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { findPeer } from '../require-peer.ts';

const run = promisify(execFile);

/**
 * A network of two hosts: this process on one side of a veth pair, and on the other side whatever is
 * started through `command`. There a browser has one real interface and a default route, so it
 * gathers a host candidate, and nothing else on the machine is in its way.
 */
export interface NetworkNamespace {
  /** This process's address. */
  readonly hostAddress: string;
  /** The address inside. */
  readonly guestAddress: string;
  /** How to start `executable` inside. */
  command(executable: string, args: readonly string[]): { executable: string; args: string[] };
  /** Ends the namespace once nothing runs in it. It ends as well when this process is killed. */
  close(): Promise<void>;
}

let available: boolean | undefined;

/** Whether this process may make network namespaces and connect them. */
export function canCreateNetworkNamespace(): boolean {
  available ??= tryUnshare();
  return available;
}

function tryUnshare(): boolean {
  if ((['unshare', 'nsenter', 'ip'] as const).some((peer) => findPeer(peer) === undefined)) return false;
  try {
    execFileSync('unshare', ['--net', 'ip', 'link', 'add', 'name', 'probe', 'type', 'veth'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export async function createNetworkNamespace(): Promise<NetworkNamespace> {
  // The namespace lives as long as this child, which ends with its standard input: no name that
  // could collide with another run, and nothing to clean up after a crash.
  const holder = spawn('unshare', ['--net', 'sh', '-c', 'ip link set lo up && echo ready && exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await firstLine(holder);
  const pid = String(holder.pid);
  const nsenter = findPeer('nsenter')!;
  const device = `mr${holder.pid}`;
  const { hostAddress, guestAddress } = freeAddresses();
  const inside = (...args: string[]): Promise<unknown> => run(nsenter, ['--target', pid, '--net', 'ip', ...args]);

  await run('ip', ['link', 'add', device, 'type', 'veth', 'peer', 'name', 'veth0', 'netns', pid]);
  await run('ip', ['addr', 'add', `${hostAddress}/30`, 'dev', device]);
  await run('ip', ['link', 'set', device, 'up']);
  await inside('addr', 'add', `${guestAddress}/30`, 'dev', 'veth0');
  await inside('link', 'set', 'veth0', 'up');
  await inside('route', 'add', 'default', 'via', hostAddress);

  return {
    hostAddress,
    guestAddress,
    command: (executable, args) => ({ executable: nsenter, args: ['--target', pid, '--net', executable, ...args] }),
    async close() {
      holder.stdin.end();
      if (holder.exitCode === null) await once(holder, 'exit');
    },
  };
}

async function firstLine(child: ChildProcessByStdio<Writable, Readable, null>): Promise<void> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`unshare ended with ${code}`);
  });
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => {});
}

/** Two neighbors out of 10.128.0.0/9 that no interface of this machine has yet. */
function freeAddresses(): { hostAddress: string; guestAddress: string } {
  const taken = new Set(
    Object.values(networkInterfaces())
      .flat()
      .map((entry) => entry?.address),
  );
  for (;;) {
    const subnet = Math.floor(Math.random() * 2 ** 21) * 4;
    const prefix = `10.${128 + (subnet >> 16)}.${(subnet >> 8) & 0xff}`;
    const hostAddress = `${prefix}.${(subnet & 0xff) + 1}`;
    if (!taken.has(hostAddress)) return { hostAddress, guestAddress: `${prefix}.${(subnet & 0xff) + 2}` };
  }
}
