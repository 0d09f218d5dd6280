import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'vitest';

/** Programs that a test may need, with the names of their executables. */
const executables = {
  chromium: ['chromium'],
  firefox: ['firefox-esr', 'firefox'],
  gnutls: ['gnutls-cli'],
  'gnutls-serv': ['gnutls-serv'],
  go: ['go'],
  ip: ['ip'],
  nsenter: ['nsenter'],
  nss: ['tstclnt'],
  openssl: ['openssl'],
  unshare: ['unshare'],
} as const;

export type PeerName = keyof typeof executables;

/** The path of a peer's executable, or `undefined` where it is not installed. */
export function findPeer(peer: PeerName): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const name of executables[peer]) {
      const path = join(folder, name);
      if (isExecutable(path)) return path;
    }
  }
  return undefined;
}

/**
 * The path of a peer's executable. Where it is missing, the test is skipped and the reporter names
 * the peer; with MILLRACE_REQUIRE_PEERS=1 the test fails instead.
 */
export function requirePeer(context: TestContext, peer: PeerName): string {
  const path = findPeer(peer);
  requirePeerThat(context, peer, path !== undefined);
  return path!;
}

/** The same for what is no executable: a Go package, a network namespace, an npm peer. */
export function requirePeerThat(context: TestContext, name: string, available: boolean): void {
  if (available) return;
  if (process.env['MILLRACE_REQUIRE_PEERS'] === '1')
    throw new Error(`${name} is missing, and MILLRACE_REQUIRE_PEERS=1 asks for it`);
  context.skip(name);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
