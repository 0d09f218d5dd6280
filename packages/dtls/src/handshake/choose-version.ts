import type { ClientHello } from '../messages/client-hello.ts';
import { decodeSupportedVersions, extensionType } from '../messages/extensions.ts';
import { protocolVersion } from '../record/record-header.ts';

/**
 * The version to answer a ClientHello with; `undefined` where there is none in common. A client
 * that knows DTLS 1.3 lists its versions and leaves 1.2 in the old field (RFC 9147 section 5.3);
 * one that does not names the highest that it speaks there, and higher ones have smaller numbers.
 */
export function chooseVersion(hello: ClientHello): 'DTLS 1.2' | undefined {
  const list = hello.extensions.get(extensionType.supportedVersions);
  const offered =
    list === undefined
      ? hello.version >>> 8 === 0xfe && hello.version <= protocolVersion.dtls12
      : decodeSupportedVersions(list)?.includes(protocolVersion.dtls12) === true;
  return offered ? 'DTLS 1.2' : undefined;
}
