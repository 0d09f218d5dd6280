/*
 * What a hello offers and what is chosen from it.
 */
import { copyOf } from '@millrace/core';
import type { Certificate, GroupName } from '@millrace/crypto';
import { cipherSuiteByCode, emptyRenegotiationInfoScsv } from '../cipher-suites.ts';
import type { CipherSuiteParameters } from '../cipher-suites.ts';
import type { Config } from '../config.ts';
import { type Failure, failure } from '../failure.ts';
import type { ClientHello } from '../messages/client-hello.ts';
import {
  type Extensions,
  decodeUint16Vector,
  decodeVector8,
  encodeUint16Vector,
  encodeVector8,
  extensionType,
  uncompressedPoint,
} from '../messages/extensions.ts';
import type { ServerHello } from '../messages/server-hello.ts';
import { groupCode } from '../named-groups.ts';
import { protocolVersion } from '../record/record-header.ts';
import { type SignatureScheme, selectSignatureScheme, signatureSchemeCodes } from '../signature-schemes.ts';
import type { Negotiated } from './handshake-context.ts';

const empty: Uint8Array = new Uint8Array(0);

/** The extensions of our ClientHello. */
export function clientExtensions(config: Config): Extensions {
  return new Map([
    [extensionType.supportedGroups, encodeUint16Vector(config.groups.map(groupCode))],
    [extensionType.ecPointFormats, encodeVector8([uncompressedPoint])],
    [extensionType.signatureAlgorithms, encodeUint16Vector(signatureSchemeCodes)],
    [extensionType.extendedMasterSecret, empty],
    [extensionType.renegotiationInfo, encodeVector8([])],
  ]);
}

/** Client: what the server chose, or why that can't be. */
export function checkServerHello(config: Config, clientRandom: Uint8Array, hello: ServerHello): Negotiated | Failure {
  if (hello.version !== protocolVersion.dtls12) return failure('protocol_version', 'the server does not speak DTLS 1.2');
  const suite = cipherSuiteByCode(hello.cipherSuite);
  if (suite === undefined || !config.cipherSuites.includes(suite)) {
    return failure('illegal_parameter', `the server chose cipher suite ${hello.cipherSuite}, which was not offered`);
  }
  if (hello.compressionMethod !== 0) return failure('illegal_parameter', 'the server chose a compression that was not offered');
  const offered = clientExtensions(config);
  for (const type of hello.extensions.keys()) {
    // RFC 5246 section 7.4.1.4
    if (!offered.has(type)) return failure('unsupported_extension', `the server answered extension ${type}, which was not sent`);
  }
  const wrong = checkPointFormats(hello.extensions) ?? checkRenegotiationInfo(hello.extensions);
  if (wrong !== undefined) return wrong;
  const extended = hello.extensions.get(extensionType.extendedMasterSecret);
  if (extended !== undefined && extended.length > 0) return failure('decode_error', 'extended_master_secret is malformed');
  return { suite, randoms: { client: clientRandom, server: copyOf(hello.random) }, extendedMasterSecret: extended !== undefined };
}

/** What a server chose, with the extensions that tell the client. */
export interface ServerChoice {
  readonly suite: CipherSuiteParameters;
  readonly group: GroupName;
  readonly scheme: SignatureScheme;
  readonly extendedMasterSecret: boolean;
  readonly extensions: Extensions;
}

/** Server: chooses from a ClientHello, or says why nothing fits. Unknown values are passed over. */
export function chooseFromClientHello(config: Config, certificate: Certificate, hello: ClientHello): ServerChoice | Failure {
  const { extensions } = hello;
  if (!hello.compressionMethods.includes(0))
    return failure('illegal_parameter', 'the client does not offer the null compression');
  const suite = config.cipherSuites.find((candidate) => hello.cipherSuites.includes(candidate.code));
  if (suite === undefined) return failure('handshake_failure', 'no cipher suite in common');

  const wrong = checkPointFormats(extensions) ?? checkRenegotiationInfo(extensions);
  if (wrong !== undefined) return wrong;
  const groups = extensions.get(extensionType.supportedGroups);
  const groupCodes = groups === undefined ? undefined : decodeUint16Vector(groups);
  if (groups !== undefined && groupCodes === undefined) return failure('decode_error', 'supported_groups is malformed');
  // RFC 8422 section 4: a client that names no groups leaves the choice to us; P-256 is what all have.
  const group =
    groupCodes === undefined
      ? config.groups.find((candidate) => candidate === 'P-256')
      : config.groups.find((candidate) => groupCodes.includes(groupCode(candidate)));
  if (group === undefined) return failure('handshake_failure', 'no group in common');

  // RFC 9155 section 4: without the extension only SHA-1 would be left.
  const signatures = extensions.get(extensionType.signatureAlgorithms);
  if (signatures === undefined) return failure('handshake_failure', 'the client names no signature algorithms');
  const offered = decodeUint16Vector(signatures);
  if (offered === undefined) return failure('decode_error', 'signature_algorithms is malformed');
  const scheme = selectSignatureScheme(certificate.type, offered);
  if (scheme === undefined) return failure('handshake_failure', 'no signature algorithm in common');

  const extended = extensions.get(extensionType.extendedMasterSecret);
  if (extended !== undefined && extended.length > 0) return failure('decode_error', 'extended_master_secret is malformed');

  const answer = new Map<number, Uint8Array>();
  if (extended !== undefined) answer.set(extensionType.extendedMasterSecret, empty);
  // RFC 5746 section 3.6: the suite value asks for the same as the extension.
  if (extensions.has(extensionType.renegotiationInfo) || hello.cipherSuites.includes(emptyRenegotiationInfoScsv)) {
    answer.set(extensionType.renegotiationInfo, encodeVector8([]));
  }
  if (extensions.has(extensionType.ecPointFormats)) answer.set(extensionType.ecPointFormats, encodeVector8([uncompressedPoint]));
  return { suite, group, scheme, extendedMasterSecret: extended !== undefined, extensions: answer };
}

/** RFC 8422 section 5.1.2: a list without the uncompressed format is an error. */
function checkPointFormats(extensions: Extensions): Failure | undefined {
  const data = extensions.get(extensionType.ecPointFormats);
  if (data === undefined) return undefined;
  const formats = decodeVector8(data);
  if (formats === undefined) return failure('decode_error', 'ec_point_formats is malformed');
  return formats.includes(uncompressedPoint) ? undefined : failure('illegal_parameter', 'uncompressed points are not offered');
}

/** RFC 5746 sections 3.4 and 3.6: in a first handshake it is empty. */
function checkRenegotiationInfo(extensions: Extensions): Failure | undefined {
  const data = extensions.get(extensionType.renegotiationInfo);
  if (data === undefined) return undefined;
  if (data.length === 1 && data[0] === 0) return undefined;
  return failure('handshake_failure', 'renegotiation_info is not empty in a first handshake');
}
