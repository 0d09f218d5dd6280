/*
 * The client's side of a full handshake (RFC 6347 section 4.2.4, figure 1):
 *
 *    ClientHello                 -->
 *                                <--  [HelloVerifyRequest]
 *    [ClientHello with cookie]   -->
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
import { bytesEqual, randomBytes, copyOf } from '@millrace/core';
import type { Certificate, GroupName, VerifyKey } from '@millrace/crypto';
import { type Failure, failure, isFailure } from '../failure.ts';
import type { FlightMessage } from '../handshake/flight.ts';
import { handshakeType } from '../handshake/handshake-header.ts';
import type { HandshakeMessage } from '../handshake/handshake-message.ts';
import { decodeCertificate, encodeCertificate } from '../messages/certificate.ts';
import { type CertificateRequest, decodeCertificateRequest } from '../messages/certificate-request.ts';
import { encodeCertificateVerify } from '../messages/certificate-verify.ts';
import { encodeClientHello, randomBytesLength } from '../messages/client-hello.ts';
import { encodeClientKeyExchange } from '../messages/client-key-exchange.ts';
import { decodeHelloVerifyRequest } from '../messages/hello-verify-request.ts';
import { decodeServerHello } from '../messages/server-hello.ts';
import { decodeServerKeyExchange } from '../messages/server-key-exchange.ts';
import { groupByCode } from '../named-groups.ts';
import { protocolVersion } from '../record/record-header.ts';
import { type SignatureScheme, certificateTypeOf, selectSignatureScheme, signatureSchemeFor } from '../signature-schemes.ts';
import {
  MessageNumbering,
  changeCipherSpec,
  createFinished,
  decodeError,
  deriveSecrets,
  unexpectedMessage,
  verifyFinished,
} from './exchange.ts';
import type { Handshake, HandshakeContext, Negotiated, Secrets } from './handshake-context.ts';
import { checkServerHello, clientExtensions } from './negotiate.ts';

/** More cookies than this in a row are a server that never gets going. */
const maxHelloVerifyRequests = 8;

type State =
  | { readonly name: 'waitServerHello'; readonly hello: HandshakeMessage; readonly cookie: Uint8Array; readonly cookies: number }
  | { readonly name: 'waitCertificate'; readonly negotiated: Negotiated }
  | { readonly name: 'waitServerKeyExchange'; readonly negotiated: Negotiated; readonly serverKey: VerifyKey }
  | {
      readonly name: 'waitServerHelloDone';
      readonly negotiated: Negotiated;
      readonly group: GroupName;
      readonly serverPublicKey: Uint8Array;
      readonly request: CertificateRequest | undefined;
    }
  | { readonly name: 'waitFinished'; readonly secrets: Secrets }
  | { readonly name: 'done' };

export class ClientHandshake implements Handshake {
  readonly #context: HandshakeContext;
  readonly #numbering: MessageNumbering = new MessageNumbering(0);
  readonly #random: Uint8Array;
  #state: State;

  /** Sends the first ClientHello. */
  constructor(context: HandshakeContext) {
    this.#context = context;
    this.#random = randomBytes(context.config.random, randomBytesLength);
    this.#state = this.#sendHello(new Uint8Array(0), 0);
  }

  get awaitsHello(): boolean {
    return this.#state.name === 'waitServerHello';
  }

  handleMessage(now: number, message: HandshakeMessage): Failure | undefined {
    // RFC 5246 section 7.4.1.1: ignored during a handshake, and no part of the transcript.
    if (message.type === handshakeType.helloRequest) return undefined;
    const state = this.#state;
    switch (state.name) {
      case 'waitServerHello':
        if (message.type === handshakeType.helloVerifyRequest) return this.#handleHelloVerifyRequest(message, state);
        if (message.type === handshakeType.serverHello) return this.#handleServerHello(message, state);
        break;
      case 'waitCertificate':
        if (message.type === handshakeType.certificate) return this.#handleCertificate(message, state);
        break;
      case 'waitServerKeyExchange':
        if (message.type === handshakeType.serverKeyExchange) return this.#handleServerKeyExchange(message, state);
        break;
      case 'waitServerHelloDone':
        if (message.type === handshakeType.certificateRequest && state.request === undefined) {
          return this.#handleCertificateRequest(message, state);
        }
        if (message.type === handshakeType.serverHelloDone) return this.#handleServerHelloDone(message, state);
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
    this.#state = { name: 'done' };
  }

  #sendHello(cookie: Uint8Array, cookies: number): State {
    const { config } = this.#context;
    const body = encodeClientHello({
      version: protocolVersion.dtls12,
      // RFC 6347 section 4.2.1: the hello with the cookie repeats the parameters of the first one.
      random: this.#random,
      sessionId: new Uint8Array(0),
      cookie,
      cipherSuites: config.cipherSuites.map((suite) => suite.code),
      compressionMethods: Uint8Array.of(0),
      extensions: clientExtensions(config),
    });
    const hello = this.#numbering.create(handshakeType.clientHello, body);
    this.#context.sendFlight([{ epoch: 0, handshake: hello }], true);
    return { name: 'waitServerHello', hello, cookie, cookies };
  }

  #handleHelloVerifyRequest(message: HandshakeMessage, state: State & { name: 'waitServerHello' }): Failure | undefined {
    const cookie = decodeHelloVerifyRequest(message.body);
    if (cookie === undefined) return decodeError('HelloVerifyRequest');
    // A copy made by the network: the hello that answers it is on its way already.
    if (state.cookies > 0 && bytesEqual(cookie, state.cookie)) return undefined;
    if (state.cookies === maxHelloVerifyRequests) {
      return failure('handshake_failure', `the server asked for more than ${maxHelloVerifyRequests} cookies`);
    }
    this.#state = this.#sendHello(copyOf(cookie), state.cookies + 1);
    return undefined;
  }

  #handleServerHello(message: HandshakeMessage, state: State & { name: 'waitServerHello' }): Failure | undefined {
    const hello = decodeServerHello(message.body);
    if (hello === undefined) return decodeError('ServerHello');
    const negotiated = checkServerHello(this.#context.config, this.#random, hello);
    if (isFailure(negotiated)) return negotiated;
    // RFC 6347 section 4.2.1: hellos that were answered with a cookie are not hashed.
    this.#context.transcript.add(state.hello);
    this.#context.transcript.add(message);
    this.#state = { name: 'waitCertificate', negotiated };
    return undefined;
  }

  #handleCertificate(message: HandshakeMessage, state: State & { name: 'waitCertificate' }): Failure | undefined {
    const chain = decodeCertificate(message.body);
    if (chain === undefined || chain.length === 0) return decodeError('Certificate');
    const serverKey = this.#context.acceptCertificate(chain);
    if (isFailure(serverKey)) return serverKey;
    if (serverKey.type === 'RSA') return failure('unsupported_certificate', 'the certificate of the server has no ECDSA key');
    this.#context.transcript.add(message);
    this.#state = { name: 'waitServerKeyExchange', negotiated: state.negotiated, serverKey };
    return undefined;
  }

  #handleServerKeyExchange(message: HandshakeMessage, state: State & { name: 'waitServerKeyExchange' }): Failure | undefined {
    const exchange = decodeServerKeyExchange(message.body);
    if (exchange === undefined) return decodeError('ServerKeyExchange');
    const { negotiated, serverKey } = state;
    const group = groupByCode(exchange.group);
    if (group === undefined || !this.#context.config.groups.includes(group)) {
      return failure('illegal_parameter', `the server chose group ${exchange.group}, which was not offered`);
    }
    const scheme = signatureSchemeFor(serverKey.type, exchange.signatureScheme);
    if (scheme === undefined) return failure('illegal_parameter', 'ServerKeyExchange is signed in a way that was not offered');
    // RFC 8422 section 5.4
    const { client, server } = negotiated.randoms;
    const signed = new Uint8Array(client.length + server.length + exchange.params.length);
    signed.set(client);
    signed.set(server, client.length);
    signed.set(exchange.params, client.length + server.length);
    if (!serverKey.verify(scheme.hash, signed, exchange.signature)) {
      return failure('decrypt_error', 'the signature of ServerKeyExchange is wrong');
    }
    this.#context.transcript.add(message);
    const serverPublicKey = exchange.publicKey;
    this.#state = { name: 'waitServerHelloDone', negotiated, group, serverPublicKey, request: undefined };
    return undefined;
  }

  #handleCertificateRequest(message: HandshakeMessage, state: State & { name: 'waitServerHelloDone' }): Failure | undefined {
    const request = decodeCertificateRequest(message.body);
    if (request === undefined) return decodeError('CertificateRequest');
    this.#context.transcript.add(message);
    this.#state = { ...state, request };
    return undefined;
  }

  #handleServerHelloDone(message: HandshakeMessage, state: State & { name: 'waitServerHelloDone' }): Failure | undefined {
    if (message.body.length > 0) return decodeError('ServerHelloDone');
    const { negotiated, group, serverPublicKey, request } = state;
    const context = this.#context;
    const share = context.config.crypto.generateKeyShare(group);
    const premasterSecret = share.derive(serverPublicKey);
    share.destroy();
    if (premasterSecret === undefined) return failure('illegal_parameter', 'the public key of the server is invalid');
    context.transcript.add(message);

    const flight: FlightMessage[] = [];
    const add = (type: number, body: Uint8Array): void => {
      const handshake = this.#numbering.create(type, body);
      context.transcript.add(handshake);
      flight.push({ epoch: 0, handshake });
    };
    const signer = request === undefined ? undefined : selectSigner(context.config.certificate, request);
    // RFC 5246 section 7.4.6: an empty list where there is no suitable certificate.
    if (request !== undefined) {
      add(handshakeType.certificate, encodeCertificate(signer === undefined ? [] : [signer.certificate.der]));
    }
    add(handshakeType.clientKeyExchange, encodeClientKeyExchange(share.publicKey));
    const secrets = deriveSecrets(context, negotiated, premasterSecret);
    if (signer !== undefined) {
      const { certificate, scheme } = signer;
      const signature = certificate.sign(scheme.hash, context.transcript.messages());
      add(handshakeType.certificateVerify, encodeCertificateVerify({ signatureScheme: scheme.code, signature }));
    }
    context.installKeys(secrets);
    const finished = createFinished(context, this.#numbering, 'client', secrets);
    context.transcript.add(finished);
    flight.push(changeCipherSpec, { epoch: 1, handshake: finished });
    context.transcript.release();
    context.sendFlight(flight, true);
    this.#state = { name: 'waitFinished', secrets };
    return undefined;
  }

  #handleFinished(now: number, message: HandshakeMessage, state: State & { name: 'waitFinished' }): Failure | undefined {
    const wrong = verifyFinished(this.#context, message, 'server', state.secrets);
    if (wrong !== undefined) return wrong;
    this.#state = { name: 'done' };
    this.#context.complete(now);
    return undefined;
  }
}

/** Our certificate, if the server can take it, and how to sign with it. */
function selectSigner(
  certificate: Certificate | undefined,
  request: CertificateRequest,
): { certificate: Certificate; scheme: SignatureScheme } | undefined {
  if (certificate === undefined || !request.certificateTypes.includes(certificateTypeOf(certificate.type))) return undefined;
  const scheme = selectSignatureScheme(certificate.type, request.signatureSchemes);
  return scheme === undefined ? undefined : { certificate, scheme };
}
