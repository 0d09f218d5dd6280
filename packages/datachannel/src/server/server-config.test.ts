import type { Trace } from '@millrace/core';
import type { Certificate, Engine } from '@millrace/crypto';
import type { CipherSuite } from '@millrace/dtls';
import { expect, test } from 'vitest';
import { createServer } from './create-server.ts';
import type { PeerOptions, ServerOptions } from './types.ts';

test.each<[string, ServerOptions]>([
  ['port must be an integer from 0 to 65535', { port: 65_536 }],
  ['addresses must be an array of one IP address', { addresses: [] }],
  ['addresses must be an array of one IP address', { addresses: '127.0.0.1' as never }],
  ['options must hold only cipherSuites, ', { adresses: ['127.0.0.1'] } as never],
  ['addresses must be IP addresses', { addresses: ['localhost'] }],
  ['announcedAddresses must be IP addresses', { announcedAddresses: ['example.org'] }],
  ['maxDatagramBytes must be an integer from 512 to 16421', { maxDatagramBytes: 100 }],
  ['maxMessageSize must be an integer from 1 to', { maxMessageSize: 0 }],
  ['congestionControl must be one of cubic, newreno', { congestionControl: 'bbr' as never }],
  ['receiveBufferBytes must be an integer from 262144 to', { receiveBufferBytes: 100_000 }],
  ['lowWaterBytes must be an integer from 0 to 999', { highWaterBytes: 1000, lowWaterBytes: 1000 }],
  ['maxChannels must be an integer', { maxChannels: 1.5 }],
  ['consentTimeoutMs must be an integer', { consentTimeoutMs: Number.NaN }],
  ['maxPeers must be an integer', { maxPeers: 0 }],
  ['socketBufferBytes must be an integer', { socketBufferBytes: -1 }],
  ['engine must be one of', { engine: 'fast' as Engine }],
  ['cipherSuites must hold names out of TLS_', { cipherSuites: ['TLS_NULL' as CipherSuite] }],
  ['cipherSuites must be an array', { cipherSuites: [] }],
  ['certificate must be what generateCertificate', { certificate: {} as Certificate }],
  ['certificate must be what generateCertificate', { certificate: 'cert.pem' as unknown as Certificate }],
  ['keyLog must be a function', { keyLog: true as unknown as (line: string) => void }],
  ['trace must be a function', { trace: 'all' as unknown as Trace }],
  ['options must be an object', null as unknown as ServerOptions],
])('%s', async (message, options) => {
  await expect(createServer(options)).rejects.toThrow(message);
});

test.each<[string, PeerOptions]>([
  ['engine must be one of', { engine: 'fast' as Engine }],
  ['cipherSuites must hold names out of TLS_', { cipherSuites: ['TLS_NULL' as CipherSuite] }],
  ['keyLog must be a function', { keyLog: {} as (line: string) => void }],
  ['maxMessageSize must be an integer', { maxMessageSize: -1 }],
  ['options must be an object', null as unknown as PeerOptions],
  ['id must be a string', { id: 7 as unknown as string }],
  ["setup must be 'active' or 'passive'", { setup: 'actpass' as 'active' }],
])('of a peer: %s', async (message, options) => {
  const server = await createServer({ addresses: ['127.0.0.1'] });
  await expect(server.offer(options)).rejects.toThrow(message);
  expect(server.stats().peers).toBe(0);
  await server.close();
});
