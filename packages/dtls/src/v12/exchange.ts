/*
 * Steps of the handshake that client and server share.
 */
import { constantTimeEqual } from '@millrace/core';
import type { VerifyKey } from '@millrace/crypto';
import { type Failure, failure } from '../failure.ts';
import type { FlightMessage } from '../handshake/flight.ts';
import { handshakeType } from '../handshake/handshake-header.ts';
import { type HandshakeMessage, createHandshakeMessage } from '../handshake/handshake-message.ts';
import { deriveExtendedMasterSecret, deriveMasterSecret, deriveVerifyData } from '../key-schedule.ts';
import { decodeCertificateVerify } from '../messages/certificate-verify.ts';
import { signatureSchemeFor } from '../signature-schemes.ts';
import type { HandshakeContext, Negotiated, Secrets } from './handshake-context.ts';

/** Numbers our messages (RFC 6347 section 4.2.2). */
export class MessageNumbering {
  #nextSendSeq: number;

  constructor(firstSendSeq: number) {
    this.#nextSendSeq = firstSendSeq;
  }

  create(type: number, body: Uint8Array): HandshakeMessage {
    return createHandshakeMessage(type, this.#nextSendSeq++, body);
  }
}

export const changeCipherSpec: FlightMessage = { epoch: 0, handshake: undefined };

export function unexpectedMessage(message: HandshakeMessage, state: string): Failure {
  return failure('unexpected_message', `handshake message ${message.type} came in state ${state}`);
}

export function decodeError(name: string): Failure {
  return failure('decode_error', `${name} is malformed`);
}

/** Derives the master secret; the transcript reaches to ClientKeyExchange. Zeroes the premaster secret. */
export function deriveSecrets(context: HandshakeContext, negotiated: Negotiated, premasterSecret: Uint8Array): Secrets {
  const { suite, randoms, extendedMasterSecret } = negotiated;
  const { crypto } = context.config;
  const masterSecret = extendedMasterSecret
    ? deriveExtendedMasterSecret(crypto, premasterSecret, context.transcript.digest())
    : deriveMasterSecret(crypto, premasterSecret, randoms);
  premasterSecret.fill(0);
  return { suite, randoms, masterSecret, extendedMasterSecret };
}

/** Our Finished over the transcript so far. */
export function createFinished(
  context: HandshakeContext,
  numbering: MessageNumbering,
  sender: 'client' | 'server',
  secrets: Secrets,
): HandshakeMessage {
  const verifyData = deriveVerifyData(context.config.crypto, secrets.masterSecret, sender, context.transcript.digest());
  return numbering.create(handshakeType.finished, verifyData);
}

/** Verifies the peer's Finished against the transcript before it (RFC 5246 section 7.4.9). */
export function verifyFinished(
  context: HandshakeContext,
  message: HandshakeMessage,
  sender: 'client' | 'server',
  secrets: Secrets,
): Failure | undefined {
  const expected = deriveVerifyData(context.config.crypto, secrets.masterSecret, sender, context.transcript.digest());
  if (constantTimeEqual(message.body, expected)) return undefined;
  return failure('decrypt_error', 'the Finished of the peer does not match the handshake');
}

/** Verifies a CertificateVerify over the messages before it (RFC 5246 section 7.4.8). */
export function verifyCertificateVerify(
  context: HandshakeContext,
  message: HandshakeMessage,
  key: VerifyKey,
): Failure | undefined {
  const verify = decodeCertificateVerify(message.body);
  if (verify === undefined) return decodeError('CertificateVerify');
  const scheme = signatureSchemeFor(key.type, verify.signatureScheme);
  if (scheme === undefined) return failure('illegal_parameter', 'CertificateVerify is signed in a way that was not offered');
  if (key.verify(scheme.hash, context.transcript.messages(), verify.signature)) return undefined;
  return failure('decrypt_error', 'the signature of CertificateVerify is wrong');
}
