import { expect, test } from 'vitest';
import { createServer } from './create-server.ts';
import type { ServerOptions } from './types.ts';

test.each<[string, ServerOptions]>([
  ['port must be an integer from 0 to 65535', { port: 65_536 }],
  ['addresses must have one address', { addresses: [] }],
  ['addresses must be IP addresses', { addresses: ['localhost'] }],
  ['announcedAddresses must be IP addresses', { announcedAddresses: ['example.org'] }],
  ['maxDatagramBytes must be an integer from 512 to 16421', { maxDatagramBytes: 100 }],
  ['maxMessageSize must be an integer from 1 to', { maxMessageSize: 0 }],
  ['receiveBufferBytes must be an integer from 262144 to', { receiveBufferBytes: 100_000 }],
  ['lowWaterBytes must be an integer from 0 to 999', { highWaterBytes: 1000, lowWaterBytes: 1000 }],
  ['maxChannels must be an integer', { maxChannels: 1.5 }],
  ['consentTimeoutMs must be an integer', { consentTimeoutMs: Number.NaN }],
  ['maxPeers must be an integer', { maxPeers: 0 }],
  ['socketBufferBytes must be an integer', { socketBufferBytes: -1 }],
])('%s', async (message, options) => {
  await expect(createServer(options)).rejects.toThrow(message);
});
