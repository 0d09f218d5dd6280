import { invariant, type Random, Ring, type Trace } from '@millrace/core';
import type { Certificate, CryptoProvider, Engine, Fingerprint, RecordQueue } from '@millrace/crypto';
import { type CipherSuite, createDtls, type Dtls, type DtlsError, type DtlsEvent } from '@millrace/dtls';
import {
  type Association,
  type AssociationEvent,
  type CongestionControlName,
  createAssociation,
  type SctpError,
  type SctpLimits,
} from 'sctp-js';
import type { DtlsRole } from '../channel/dtls-role.ts';
import { ChannelError } from '../errors.ts';

export interface TransportOptions {
  readonly role: DtlsRole;
  readonly certificate: Certificate;
  readonly remoteFingerprints: readonly Fingerprint[];
  readonly cipherSuites?: readonly CipherSuite[];
  readonly engine?: Engine;
  readonly enforceKeyLimits?: boolean;
  /** Shared by the connections of a driver, which flushes it. Default: every record at once. */
  readonly recordQueue?: RecordQueue;
  /** Largest datagram in bytes of UDP payload. */
  readonly maxDatagramBytes: number;
  readonly handshakeTimeoutMs: number;
  readonly localSctpPort?: number;
  readonly remoteSctpPort: number;
  readonly limits: SctpLimits;
  readonly congestionControl?: CongestionControlName;
  readonly keyLog?: (line: string) => void;
  readonly trace?: Trace;
  readonly crypto: CryptoProvider;
  readonly random: Random;
}

export type TransportEvent =
  /** DTLS is up: messages may be queued on the association from here on. */
  | { readonly type: 'secured'; readonly association: Association }
  | Extract<DtlsEvent, { readonly type: 'keyUsage' }>
  | Exclude<AssociationEvent, { readonly type: 'closed' }>
  /** The end. `pollTransmit` still gives what says so to the other side. */
  | { readonly type: 'ended'; readonly error?: ChannelError };

/** RFC 6347 section 4.1: what one record holds, however large a datagram may be. */
const maxRecordPayloadBytes = 16_384;

/** RFC 9260 section 3.3.10.12: what a browser's `close()` sends. */
const userInitiatedAbort = 12;

/**
 * SCTP over DTLS (RFC 8261). Down, the association writes its packet into the place that the record
 * leaves for it, and DTLS closes the record around it; up, the plaintext goes on where it stands.
 */
export class Transport {
  readonly #dtls: Dtls;
  readonly #options: TransportOptions;
  readonly #events = new Ring<TransportEvent>(4);
  #association: Association | undefined;
  /** Of the latest call: opened records come out of a flush that knows no time. */
  #now = 0;
  /** Once SCTP has nothing more to say, DTLS is closed. */
  #isClosing = false;
  /** The end of DTLS, which is told when SCTP has nothing more to tell. */
  #dtlsEnd: { readonly error?: DtlsError } | undefined;
  #ended = false;
  #isReceiving = false;

  constructor(options: TransportOptions) {
    this.#options = options;
    const {
      role,
      certificate,
      remoteFingerprints,
      cipherSuites,
      engine,
      enforceKeyLimits,
      recordQueue,
      keyLog,
      trace,
      crypto,
      random,
    } = options;
    this.#dtls = createDtls({
      role,
      certificate,
      remoteFingerprints,
      cookieExchange: false,
      maxDatagramBytes: options.maxDatagramBytes,
      handshakeTimeoutMs: options.handshakeTimeoutMs,
      onData: (data, start, end) => this.#handleData(data, start, end),
      crypto,
      random,
      ...(cipherSuites === undefined ? {} : { cipherSuites }),
      ...(engine === undefined ? {} : { engine }),
      ...(enforceKeyLimits === undefined ? {} : { enforceKeyLimits }),
      ...(recordQueue === undefined ? {} : { recordQueue }),
      ...(keyLog === undefined ? {} : { keyLog }),
      ...(trace === undefined ? {} : { trace }),
    });
  }

  get dtls(): Dtls {
    return this.#dtls;
  }

  get association(): Association | undefined {
    return this.#association;
  }

  /** The association threw while it took a record out of a shared flush. */
  get isFaulted(): boolean {
    return this.#isReceiving;
  }

  /** There is a path: the DTLS client begins. */
  connect(now: number): void {
    this.#now = now;
    if (this.#options.role === 'client') this.#dtls.connect(now);
  }

  handleDatagram(now: number, data: Uint8Array, start: number, end: number): void {
    this.#now = now;
    this.#dtls.handleDatagram(now, data, start, end);
    this.#advance(now);
  }

  handleTimeout(now: number): void {
    this.#now = now;
    this.#dtls.handleTimeout(now);
    this.#association?.handleTimeout(now);
    this.#advance(now);
  }

  pollTransmit(now: number, out: Uint8Array, start: number, end: number): number {
    this.#now = now;
    const dtls = this.#dtls;
    const written = dtls.pollTransmit(now, out, start, end);
    if (written > 0 || this.#association === undefined || dtls.state !== 'connected') return written;
    const payload = this.#association.pollTransmit(now, out, start + dtls.headroomBytes, end - dtls.tailroomBytes);
    if (payload > 0) return dtls.seal(out, start, payload);
    if (!this.#isClosing) return 0;
    dtls.close(now);
    return dtls.pollTransmit(now, out, start, end);
  }

  pollTimeout(): number {
    if (this.#ended) return Number.POSITIVE_INFINITY;
    return Math.min(this.#dtls.pollTimeout(), this.#association?.pollTimeout() ?? Number.POSITIVE_INFINITY);
  }

  pollEvent(): TransportEvent | undefined {
    this.#advance(this.#now);
    const event = this.#events.shift();
    if (event !== undefined || this.#ended) return event;
    const reported = this.#association?.pollEvent();
    if (reported?.type === 'restarted') {
      // Channels can't outlive the streams that they are on.
      this.abort(this.#now, new ChannelError('SCTP_FAILED', 'SCTP: the other side has begun a new association'));
    } else if (reported !== undefined && reported.type !== 'closed') {
      return reported;
    } else if (reported !== undefined) {
      this.#isClosing = true;
      this.#end(reported.error === undefined ? undefined : associationError(reported.error));
    } else if (this.#dtlsEnd !== undefined) {
      // What came before the close_notify has been told by now: messages, and an ABORT that says more.
      this.#end(this.#dtlsEnd.error === undefined ? this.#cutOff() : dtlsError(this.#dtlsEnd.error));
    }
    return this.#events.shift();
  }

  setRoundTripTime(rttMs: number): void {
    this.#dtls.setRoundTripTime(rttMs);
  }

  /** Sends what is queued, then ends the association and the connection. */
  close(now: number): void {
    this.#now = now;
    if (this.#ended) return;
    switch (this.#association?.state) {
      case undefined:
      case 'closed':
      case 'cookie-wait':
      case 'cookie-echoed':
        this.abort(now, undefined);
        break;
      case 'established':
        this.#association!.shutdown(now);
        break;
      default:
        // It is shutting down already.
        break;
    }
  }

  /** Ends at once; the other side is told. */
  abort(now: number, error: ChannelError | undefined): void {
    this.#now = now;
    if (this.#ended) return;
    if (this.#association === undefined) this.#dtls.close(now);
    else this.#association.abort(now);
    this.#isClosing = true;
    this.#end(error);
  }

  #handleData(data: Uint8Array, start: number, end: number): void {
    // The record may have come in the very datagram that completed the handshake.
    if (this.#association === undefined) this.#advance(this.#now);
    if (this.#ended) return;
    invariant(this.#association !== undefined, 'application data came before the connection');
    this.#isReceiving = true;
    this.#association.handleDatagram(this.#now, data, start, end);
    this.#isReceiving = false;
  }

  #advance(now: number): void {
    for (let event = this.#dtls.pollEvent(); event !== undefined; event = this.#dtls.pollEvent()) {
      if (event.type === 'connected') this.#begin(now);
      else if (event.type === 'keyUsage') this.#events.push(event);
      else if (event.type === 'closed') this.#dtlsEnd = event;
    }
  }

  /** RFC 8841 section 9.3: both ends send INIT once DTLS is up. */
  #begin(now: number): void {
    const { maxDatagramBytes, localSctpPort, remoteSctpPort, limits, congestionControl, trace, random } = this.#options;
    this.#association = createAssociation({
      maxPacketBytes: Math.min(maxRecordPayloadBytes, maxDatagramBytes - this.#dtls.headroomBytes - this.#dtls.tailroomBytes),
      remotePort: remoteSctpPort,
      // RFC 9653: every record that arrives has been authenticated.
      zeroChecksum: true,
      limits,
      random,
      ...(congestionControl === undefined ? {} : { congestionControl }),
      ...(localSctpPort === undefined ? {} : { localPort: localSctpPort }),
      ...(trace === undefined ? {} : { trace }),
    });
    this.#events.push({ type: 'secured', association: this.#association });
    this.#association.connect(now);
  }

  /** A close_notify in the middle of an association is what is left of its ABORT, where that was lost. */
  #cutOff(): ChannelError | undefined {
    switch (this.#association?.state) {
      case 'established':
      case 'shutdown-pending':
      case 'shutdown-received':
        return remoteClosed();
      default:
        return undefined;
    }
  }

  #end(error: ChannelError | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#events.push({ type: 'ended', ...(error === undefined ? {} : { error }) });
  }
}

function remoteClosed(cause?: SctpError): ChannelError {
  return new ChannelError('REMOTE_CLOSED', 'the other side closed the connection', cause);
}

function dtlsError(cause: DtlsError): ChannelError {
  return new ChannelError('DTLS_FAILED', `DTLS: ${cause.message}`, cause);
}

function associationError(cause: SctpError): ChannelError {
  if (cause.code === 'ABORTED' && cause.causeCode === userInitiatedAbort) {
    return remoteClosed(cause);
  }
  return new ChannelError('SCTP_FAILED', `SCTP: ${cause.message}`, cause);
}
