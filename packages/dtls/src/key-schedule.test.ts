import { concatBytes, formatHex, parseHex } from '@millrace/core';
import { defaultProvider, prf } from '@millrace/crypto';
import { expect, test } from 'vitest';
import { cipherSuites } from './cipher-suites.ts';
import {
  deriveExtendedMasterSecret,
  deriveKeyBlock,
  deriveMasterSecret,
  deriveVerifyData,
  exportKeyingMaterial,
} from './key-schedule.ts';

const hex = (text: string): Uint8Array => parseHex(text)!;

// NIST's TLS 1.2 PRF cases (SHA-256), as OpenSSL carries them in evpkdf_tls12_prf.txt.
const premasterSecret = hex('f8938ecc9edebc5030c0c6a441e213cd24e6f770a50dda07876f8d55da062bcadb386b411fd4fe4313a604fce6c17fbc');
const helloRandoms = {
  client: hex('36c129d01a3200894b9179faac589d9835d58775f9b5ea3587cb8fd0364cae8c'),
  server: hex('f6c9575ed7ddd73e1f7d16eca115415812a43c2b747daaaae043abfb50053fce'),
};
const masterSecret = '202c88c00f84a17a20027079604787461176455539e705be730890602c289a5001e34eeb3a043e5d52a65e66125188bf';
const keyRandoms = {
  server: hex('ae6c806f8ad4d80784549dff28a4b58fd837681a51d928c3e30ee5ff14f39868'),
  client: hex('62e1fd91f23f558a605f28478c58cf72637b89784d959df7e946d3f07bd1b616'),
};
const keyBlock = 'd06139889fffac1e3a71865f504aa5d0d2a2e89506c6f2279b670c3e1b74f531016a2530c51a3a0f';

test('the master secret of the published case', () => {
  expect(formatHex(deriveMasterSecret(defaultProvider, premasterSecret, helloRandoms))).toBe(masterSecret);
});

test('the key block of the published case, cut into keys and salts in the order of RFC 5246 section 6.3', () => {
  const suite = cipherSuites.TLS_ECDHE_ECDSA_WITH_AES_128_CCM;
  const block = deriveKeyBlock(defaultProvider, suite, hex(masterSecret), keyRandoms);
  const parts = [block.client.key, block.server.key, block.client.salt, block.server.salt];
  expect(parts.map((part) => part.length)).toEqual([16, 16, 4, 4]);
  expect(formatHex(concatBytes(...parts))).toBe(keyBlock);
  block.destroy();
  expect(formatHex(concatBytes(...parts))).toBe('00'.repeat(40));
});

test('labels and seeds of the extended master secret, Finished and exporters', () => {
  const secret = hex(masterSecret);
  const hash = new Uint8Array(32).fill(5);
  const seed = concatBytes(keyRandoms.client, keyRandoms.server);
  const of = (label: string, data: Uint8Array, length: number): Uint8Array => prf('SHA-256', secret, label, data, length);
  expect(deriveExtendedMasterSecret(defaultProvider, secret, hash)).toEqual(of('extended master secret', hash, 48));
  expect(deriveVerifyData(defaultProvider, secret, 'client', hash)).toEqual(of('client finished', hash, 12));
  expect(deriveVerifyData(defaultProvider, secret, 'server', hash)).toEqual(of('server finished', hash, 12));
  const exported = (context: Uint8Array | undefined): Uint8Array =>
    exportKeyingMaterial(defaultProvider, secret, keyRandoms, 'EXPORTER-x', context, 60);
  expect(exported(undefined)).toEqual(of('EXPORTER-x', seed, 60));
  expect(exported(Uint8Array.of(7))).toEqual(of('EXPORTER-x', concatBytes(seed, Uint8Array.of(0, 1, 7)), 60));
});
