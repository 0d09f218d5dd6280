/*
 * The server's side of a full handshake (RFC 6347 section 4.2.4, figure 1), from the ClientHello
 * on that was accepted:
 *
 *                                <--  ServerHello
 *                                     Certificate
 *                                     ServerKeyExchange
 *                                     [CertificateRequest]
 *                                     ServerHelloDone
 *    [Certificate]
 *    ClientKeyExchange
 *    [CertificateVerify]
 *    ChangeCipherSpec
 *    Finished                    -->
 *                                <--  ChangeCipherSpec
 *                                     Finished
 */
import { concatBytes, randomBytes, copyOf } from '@millrace/core';
import type { Certificate, KeyShare, VerifyKey } from '@millrace/crypto';
import { type Failure, failure, isFailure } from '../failure.ts';
import type { FlightMessage } from '../handshake/flight.ts';
import { handshakeType } from '../handshake/handshake-header.ts';
import type { HandshakeMessage } from '../handshake/handshake-message.ts';
import { decodeCertificate, encodeCertificate } from '../messages/certificate.ts';
import { encodeCertificateRequest } from '../messages/certificate-request.ts';
import { type ClientHello, randomBytesLength } from '../messages/client-hello.ts';
import { decodeClientKeyExchange } from '../messages/client-key-exchange.ts';
import { encodeServerHello } from '../messages/server-hello.ts';
import { encodeEcdheParams, encodeServerKeyExchange } from '../messages/server-key-exchange.ts';
import { groupCode } from '../named-groups.ts';
import { protocolVersion } from '../record/record-header.ts';
import { clientCertificateType, signatureSchemeCodes } from '../signature-schemes.ts';
import {
  MessageNumbering,
  changeCipherSpec,
  createFinished,
  decodeError,
  deriveSecrets,
  unexpectedMessage,
  verifyCertificateVerify,
  verifyFinished,
} from './exchange.ts';
import type { Handshake, HandshakeContext, Negotiated, Secrets } from './handshake-context.ts';
import type { ServerChoice } from './negotiate.ts';

type State =
  | { readonly name: 'waitCertificate'; readonly negotiated: Negotiated; readonly share: KeyShare }
  | {
      readonly name: 'waitClientKeyExchange';
      readonly negotiated: Negotiated;
      readonly share: KeyShare;
      /** Of the client's certificate, where it sent one. */
      readonly clientKey: VerifyKey | undefined;
    }
  | { readonly name: 'waitCertificateVerify'; readonly secrets: Secrets; readonly clientKey: VerifyKey }
  | { readonly name: 'waitFinished'; readonly secrets: Secrets }
  | { readonly name: 'done' };

export interface AcceptedHello {
  readonly message: HandshakeMessage;
  readonly hello: ClientHello;
  readonly choice: ServerChoice;
}

export class ServerHandshake implements Handshake {
  /** The hello came before the session did. */
  readonly awaitsHello = false;
  readonly #context: HandshakeContext;
  readonly #numbering: MessageNumbering;
  #state: State;

  /** Answers the ClientHello. */
  constructor(context: HandshakeContext, certificate: Certificate, accepted: AcceptedHello) {
    this.#context = context;
    // RFC 6347 section 4.2.1 with erratum 5186: after n cookies, both sides go on from message n.
    this.#numbering = new MessageNumbering(accepted.message.messageSeq);
    this.#state = this.#answer(certificate, accepted);
  }

  handleMessage(now: number, message: HandshakeMessage): Failure | undefined {
    const state = this.#state;
    switch (state.name) {
      case 'waitCertificate':
        if (message.type === handshakeType.certificate) return this.#handleCertificate(message, state);
        break;
      case 'waitClientKeyExchange':
        if (message.type === handshakeType.clientKeyExchange) return this.#handleClientKeyExchange(message, state);
        break;
      case 'waitCertificateVerify':
        if (message.type === handshakeType.certificateVerify) return this.#handleCertificateVerify(message, state);
        break;
      case 'waitFinished':
        if (message.type === handshakeType.finished) return this.#handleFinished(now, message, state);
        break;
      case 'done':
        break;
    }
    return unexpectedMessage(message, state.name);
  }

  destroy(): void {
    if ('share' in this.#state) this.#state.share.destroy();
    this.#state = { name: 'done' };
  }

  #answer(certificate: Certificate, { message, hello, choice }: AcceptedHello): State {
    const context = this.#context;
    const { config, transcript } = context;
    const { suite, group, scheme, extendedMasterSecret, extensions } = choice;
    const random = randomBytes(config.random, randomBytesLength);
    const randoms = { client: copyOf(hello.random), server: random };
    const share = config.crypto.generateKeyShare(group);

    const flight: FlightMessage[] = [];
    const add = (type: number, body: Uint8Array): void => {
      const handshake = this.#numbering.create(type, body);
      transcript.add(handshake);
      flight.push({ epoch: 0, handshake });
    };
    transcript.add(message);
    add(
      handshakeType.serverHello,
      encodeServerHello({
        version: protocolVersion.dtls12,
        random,
        // Sessions are not resumed (RFC 5246 section 7.4.1.3).
        sessionId: new Uint8Array(0),
        cipherSuite: suite.code,
        compressionMethod: 0,
        extensions,
      }),
    );
    add(handshakeType.certificate, encodeCertificate([certificate.der]));
    const params = encodeEcdheParams(groupCode(group), share.publicKey);
    const signature = certificate.sign(scheme.hash, concatBytes(randoms.client, randoms.server, params));
    add(handshakeType.serverKeyExchange, encodeServerKeyExchange(params, scheme.code, signature));
    const asks = config.requestClientCertificate || context.remoteFingerprints !== undefined;
    if (asks) {
      const certificateTypes = [clientCertificateType.ecdsaSign, clientCertificateType.rsaSign];
      const request = { certificateTypes, signatureSchemes: signatureSchemeCodes };
      add(handshakeType.certificateRequest, encodeCertificateRequest(request));
    }
    add(handshakeType.serverHelloDone, new Uint8Array(0));
    context.sendFlight(flight, true);

    const negotiated: Negotiated = { suite, randoms, extendedMasterSecret };
    return asks
      ? { name: 'waitCertificate', negotiated, share }
      : { name: 'waitClientKeyExchange', negotiated, share, clientKey: undefined };
  }

  #handleCertificate(message: HandshakeMessage, state: State & { name: 'waitCertificate' }): Failure | undefined {
    const chain = decodeCertificate(message.body);
    if (chain === undefined) return decodeError('Certificate');
    let clientKey: VerifyKey | undefined;
    if (chain.length > 0) {
      const key = this.#context.acceptCertificate(chain);
      if (isFailure(key)) return key;
      clientKey = key;
    } else if (this.#context.remoteFingerprints !== undefined) {
      // RFC 5246 section 7.4.6
      return failure('handshake_failure', 'the client sent no certificate');
    }
    this.#context.transcript.add(message);
    this.#state = { name: 'waitClientKeyExchange', negotiated: state.negotiated, share: state.share, clientKey };
    return undefined;
  }

  #handleClientKeyExchange(message: HandshakeMessage, state: State & { name: 'waitClientKeyExchange' }): Failure | undefined {
    const publicKey = decodeClientKeyExchange(message.body);
    if (publicKey === undefined) return decodeError('ClientKeyExchange');
    const { negotiated, share, clientKey } = state;
    const premasterSecret = share.derive(publicKey);
    if (premasterSecret === undefined) return failure('illegal_parameter', 'the public key of the client is invalid');
    share.destroy();
    this.#context.transcript.add(message);
    const secrets = deriveSecrets(this.#context, negotiated, premasterSecret);
    this.#context.installKeys(secrets);
    this.#state =
      clientKey === undefined ? { name: 'waitFinished', secrets } : { name: 'waitCertificateVerify', secrets, clientKey };
    return undefined;
  }

  #handleCertificateVerify(message: HandshakeMessage, state: State & { name: 'waitCertificateVerify' }): Failure | undefined {
    const wrong = verifyCertificateVerify(this.#context, message, state.clientKey);
    if (wrong !== undefined) return wrong;
    this.#context.transcript.add(message);
    this.#state = { name: 'waitFinished', secrets: state.secrets };
    return undefined;
  }

  #handleFinished(now: number, message: HandshakeMessage, state: State & { name: 'waitFinished' }): Failure | undefined {
    const wrong = verifyFinished(this.#context, message, 'client', state.secrets);
    if (wrong !== undefined) return wrong;
    this.#context.transcript.add(message);
    this.#context.transcript.release();
    const finished = createFinished(this.#context, this.#numbering, 'server', state.secrets);
    this.#state = { name: 'done' };
    this.#context.sendFlight([changeCipherSpec, { epoch: 1, handshake: finished }], false);
    this.#context.complete(now);
    return undefined;
  }
}
