import { checkNames } from '@millrace/core';
import { checkInteger } from '../check-options.ts';
import { type PeerConfig, type PeerConfigOptions, resolvePeerConfig } from '../peer/peer-config.ts';
import { literalFamily } from './addresses.ts';
import type { ConnectionOptions, PeerOptions, ServerOptions } from './types.ts';

export interface ServerConfig {
  readonly port: number;
  readonly addresses: readonly string[] | undefined;
  readonly announcedAddresses: readonly string[] | undefined;
  readonly socketBufferBytes: number;
  readonly maxPeers: number;
  readonly peer: PeerConfig;
  readonly connection: ConnectionOptions;
}

const connectionNames: Readonly<Record<keyof ConnectionOptions, true>> = {
  cipherSuites: true,
  engine: true,
  enforceKeyLimits: true,
  maxDatagramBytes: true,
  maxMessageSize: true,
  congestionControl: true,
  highWaterBytes: true,
  lowWaterBytes: true,
  receiveBufferBytes: true,
  maxChannels: true,
  connectTimeoutMs: true,
  consentIntervalMs: true,
  consentTimeoutMs: true,
  closeTimeoutMs: true,
  keyLog: true,
  trace: true,
};
const serverNames: Readonly<Record<keyof ServerOptions, true>> = {
  ...connectionNames,
  port: true,
  addresses: true,
  announcedAddresses: true,
  certificate: true,
  socketBufferBytes: true,
  maxPeers: true,
};
const peerNames: Readonly<Record<keyof PeerOptions, true>> = { ...connectionNames, id: true, setup: true };
const connectionKeys = Object.keys(connectionNames) as readonly (keyof ConnectionOptions)[];

/** Throws TypeError or RangeError, naming the option and what is allowed. */
export function resolveServerConfig(options: ServerOptions): ServerConfig {
  checkNames('options', options, serverNames);
  const { addresses, announcedAddresses } = options;
  for (const [name, list] of Object.entries({ addresses, announcedAddresses })) {
    if (list === undefined) continue;
    if (!Array.isArray(list) || list.length === 0) throw new TypeError(`${name} must be an array of one IP address at least`);
    for (const address of list) literalFamily(name, address);
  }
  return {
    port: checkInteger('port', options.port ?? 0, 0, 65_535),
    addresses,
    announcedAddresses,
    socketBufferBytes: checkInteger('socketBufferBytes', options.socketBufferBytes ?? 4 << 20, 1024, 2 ** 30),
    maxPeers: checkInteger('maxPeers', options.maxPeers ?? 65_536, 1, 2 ** 24),
    peer: resolvePeerConfig(options as PeerConfigOptions),
    connection: pickConnectionOptions(options),
  };
}

/** The options of a connection that are given, and nothing else. */
export function pickConnectionOptions(options: ConnectionOptions): ConnectionOptions {
  return Object.fromEntries(connectionKeys.filter((key) => options[key] !== undefined).map((key) => [key, options[key]]));
}

/** What a peer has beside the options of its connection. Throws as `resolveServerConfig` does. */
export function checkPeerOptions(options: PeerOptions): void {
  checkNames('options', options, peerNames);
  const { id, setup } = options;
  if (id !== undefined && typeof id !== 'string') throw new TypeError('id must be a string');
  if (setup !== undefined && setup !== 'active' && setup !== 'passive') {
    throw new RangeError("setup must be 'active' or 'passive'");
  }
}
