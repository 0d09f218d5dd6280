/*
 * An association of DTLS 1.2: the handshake of either role, epochs 0 and 1, and their records.
 */
import { Timer, invariant, readUint16, copyOf } from '@millrace/core';
import type { Fingerprint, RecordSink, VerifyKey } from '@millrace/crypto';
import { type AlertName, alertBytes, decodeAlert, encodeAlert } from '../alerts.ts';
import type { Config } from '../config.ts';
import { DtlsError } from '../errors.ts';
import type { Failure } from '../failure.ts';
import { Flight, type FlightMessage } from '../handshake/flight.ts';
import { handshakeType } from '../handshake/handshake-header.ts';
import { Transcript } from '../handshake/transcript.ts';
import { exportKeyingMaterial, formatKeyLogLine } from '../key-schedule.ts';
import { EarlyRecords } from '../record/early-records.ts';
import type { KeyUsageCounter } from '../record/key-usage.ts';
import type { ReadEpoch } from '../record/read-epoch.ts';
import { contentType, recordHeaderBytes, recordOffset } from '../record/record-header.ts';
import { WriteEpoch } from '../record/write-epoch.ts';
import type { Session, SessionHost } from '../session.ts';
import type { CipherSuite } from '../types.ts';
import { ClientHandshake } from './client.ts';
import type { Handshake, HandshakeContext, Secrets } from './handshake-context.ts';
import { MessageIntake } from './message-intake.ts';
import { PeerCertificate } from './peer-certificate.ts';
import { createProtectedEpochs, whyEpochEnds } from './protected-epochs.ts';
import { type AcceptedHello, ServerHandshake } from './server.ts';

/** What a server session starts from. */
export interface ServerStart extends AcceptedHello {
  /** Of the record that completed the ClientHello; ours go on from it (RFC 6347 section 4.2.1). */
  readonly recordSequenceNumber: number;
}

/** A client's session, or a server's where `start` is given. */
export function createSession(host: SessionHost, now: number, start: ServerStart | undefined): Session {
  return new Session12(host, now, start);
}

class Session12 implements Session, HandshakeContext, RecordSink {
  readonly config: Config;
  readonly transcript: Transcript;
  readonly clientRandom: Uint8Array | undefined;
  readonly #host: SessionHost;
  readonly #intake: MessageIntake;
  readonly #flight: Flight;
  readonly #handshake: Handshake;
  readonly #early: EarlyRecords;
  readonly #peerCertificate: PeerCertificate;
  readonly #deadline: Timer = new Timer();
  readonly #helloSeq: number;
  readonly #writeEpochs: [WriteEpoch, WriteEpoch | undefined];
  #readEpoch: ReadEpoch | undefined;
  #keyUsage: KeyUsageCounter | undefined;
  #secrets: Secrets | undefined;
  #changeCipherSpecCame = false;
  #changeCipherSpecSent = false;
  /** True while the application looks at data. */
  #delivering = false;
  #phase: 'handshake' | 'connected' | 'ended' = 'handshake';
  /** Waits to be sent, after the flight. */
  #alert: { readonly name: AlertName; readonly fatal: boolean } | undefined;
  readonly #sent = (type: number): void => {
    this.#host.stats.recordsSent++;
    if (type === contentType.changeCipherSpec) this.#changeCipherSpecSent = true;
  };

  constructor(host: SessionHost, now: number, start: ServerStart | undefined) {
    const { config } = host;
    this.#host = host;
    this.config = config;
    this.transcript = new Transcript(config.crypto);
    this.clientRandom = start && copyOf(start.hello.random);
    this.#helloSeq = start?.message.messageSeq ?? -1;
    this.#early = new EarlyRecords(config.earlyRecordLimits);
    this.#flight = new Flight({ initialRetransmitMs: host.retransmitMs, maxDatagramBytes: config.maxDatagramBytes });
    this.#writeEpochs = [new WriteEpoch(0, undefined, start?.recordSequenceNumber ?? 0), undefined];
    this.#intake = new MessageIntake(
      {
        drop: (reason) => host.drop(reason),
        flightRepeated: (at) => this.#repeatFlight(at),
      },
      config.reassemblyLimits,
      this.#helloSeq + 1,
    );
    this.#peerCertificate = new PeerCertificate(config.crypto);
    this.#deadline.start(now, config.handshakeTimeoutMs);
    this.#handshake = start === undefined ? new ClientHandshake(this) : new ServerHandshake(this, config.certificate!, start);
  }

  get connected(): boolean {
    return this.#phase === 'connected';
  }

  get remoteFingerprints(): readonly Fingerprint[] | undefined {
    return this.#host.remoteFingerprints;
  }

  get headroomBytes(): number {
    return (this.#writeEpochs[1] ?? this.#writeEpochs[0]).headroomBytes;
  }

  get tailroomBytes(): number {
    return (this.#writeEpochs[1] ?? this.#writeEpochs[0]).tailroomBytes;
  }

  get remoteCertificate(): Uint8Array | undefined {
    return this.#peerCertificate.der;
  }

  get cipherSuite(): CipherSuite | undefined {
    return this.#secrets?.suite.name;
  }

  // The records of the peer

  handleRecord(now: number, data: Uint8Array, start: number, end: number): void {
    const type = data[start]!;
    const epoch = readUint16(data, start + recordOffset.epoch);
    if (this.#phase === 'ended') this.#host.drop('closed');
    else if (epoch === 0) this.#handlePlainRecord(now, type, data, start + recordHeaderBytes, end);
    else if (epoch === 1) this.#handleProtectedRecord(now, type, data, start, end);
    else this.#host.drop('wrong-epoch');
  }

  authenticates(data: Uint8Array, start: number, end: number): boolean {
    if (this.#readEpoch === undefined || this.#phase === 'ended') return false;
    return this.#readEpoch.cipher.openRecord(copyOf(data, start, end), 0, end - start);
  }

  /** Application data that the queue opened. */
  recordOpened(data: Uint8Array, start: number, end: number, authentic: boolean): void {
    const epoch = this.#readEpoch;
    if (this.#phase !== 'connected' || epoch === undefined) return this.#host.drop('closed');
    const reason = epoch.settle(data, start, authentic);
    if (reason !== undefined) return this.#host.drop(reason);
    this.#host.stats.recordsReceived++;
    this.#delivering = true;
    try {
      this.config.onData(data, epoch.payloadStart(start), epoch.payloadEnd(end));
    } finally {
      this.#delivering = false;
    }
  }

  handleRepeatedHello(now: number, messageSeq: number): void {
    this.#host.drop('handshake-repeated');
    if (this.#phase === 'handshake' && messageSeq === this.#helloSeq) this.#repeatFlight(now);
  }

  #handlePlainRecord(now: number, type: number, data: Uint8Array, payload: number, end: number): void {
    if (type === contentType.handshake) {
      if (this.#phase !== 'handshake') return this.#host.drop('handshake-repeated');
      this.#host.stats.recordsReceived++;
      this.#handleHandshakePayload(now, 0, data, payload, end);
    } else if (type === contentType.changeCipherSpec) {
      if (end - payload !== 1 || data[payload] !== 1) return this.#host.drop('malformed-change-cipher-spec');
      if (this.#phase !== 'handshake') return this.#host.drop('handshake-repeated');
      this.#host.stats.recordsReceived++;
      this.#changeCipherSpecCame = true;
      this.#openEarlyRecords(now);
    } else if (type === contentType.alert) {
      // Until both sides have proven their keys, an alert in the clear is all that a peer can send.
      if (this.#phase !== 'handshake') return this.#host.drop('unauthenticated-alert');
      this.#handleAlert(now, data, payload, end);
    } else {
      this.#host.drop('wrong-epoch');
    }
  }

  #handleProtectedRecord(now: number, type: number, data: Uint8Array, start: number, end: number): void {
    const epoch = this.#readEpoch;
    const isData = type === contentType.applicationData;
    // RFC 6347 section 4.1: records may overtake the ChangeCipherSpec and the Finished before them.
    if (epoch === undefined || !this.#changeCipherSpecCame || (isData && this.#phase !== 'connected')) {
      if (!this.#early.keep(data, start, end)) this.#host.drop('too-early');
      return;
    }
    if (isData) {
      const reason = epoch.check(data, start, end);
      if (reason !== undefined) return this.#host.drop(reason);
      this.config.recordQueue.open(epoch.cipher, data, start, end, this);
      return;
    }
    const reason = epoch.open(data, start, end);
    if (reason !== undefined) return this.#host.drop(reason);
    this.#host.stats.recordsReceived++;
    const payload = epoch.payloadStart(start);
    const payloadEnd = epoch.payloadEnd(end);
    if (type === contentType.alert) this.#handleAlert(now, data, payload, payloadEnd);
    else if (type === contentType.changeCipherSpec) this.#host.drop('wrong-epoch');
    else if (this.#phase === 'handshake') this.#handleHandshakePayload(now, 1, data, payload, payloadEnd);
    else this.#handleLateHandshake(now, data, payload, payloadEnd);
  }

  #handleHandshakePayload(now: number, epoch: number, data: Uint8Array, payload: number, end: number): void {
    this.#intake.handlePayload(now, epoch, data, payload, end);
    const wrong = this.#intake.deliver(now, this.#handshake);
    if (wrong !== undefined) this.#fail(now, wrong);
    else this.#openEarlyRecords(now);
  }

  /** The peer repeats its last flight, as it missed ours, or asks for another handshake. */
  #handleLateHandshake(now: number, data: Uint8Array, payload: number, end: number): void {
    if (payload < end && (data[payload] === handshakeType.helloRequest || data[payload] === handshakeType.clientHello)) {
      // RFC 5246 section 7.2.2; renegotiation is refused, as RFC 8827 section 6.5 asks.
      this.#host.drop('renegotiation');
      this.#alert ??= { name: 'no_renegotiation', fatal: false };
      return;
    }
    this.#intake.handlePayload(now, 1, data, payload, end);
  }

  /** Records that came too early, in their order; those that are still too early are kept on. */
  #openEarlyRecords(now: number): void {
    if (this.#early.length === 0 || this.#readEpoch === undefined || !this.#changeCipherSpecCame) return;
    for (const record of this.#early.take()) {
      if (record[0] !== contentType.applicationData) this.config.recordQueue.flush();
      if (this.#phase === 'ended') return;
      this.#handleProtectedRecord(now, record[0]!, record, 0, record.length);
    }
    this.config.recordQueue.flush();
  }

  #handleAlert(now: number, data: Uint8Array, payload: number, end: number): void {
    const alert = decodeAlert(data, payload, end);
    if (alert === undefined) return this.#host.drop('malformed-alert');
    this.#host.trace(now, 'alert-received', { name: alert.name, fatal: alert.fatal });
    if (alert.name === 'close_notify' && this.#phase === 'connected') {
      // RFC 5246 section 7.2.1: answered in kind, then it is over.
      this.#closeWith(undefined);
    } else if (alert.fatal || alert.name === 'close_notify') {
      this.#end(new DtlsError('ALERT_RECEIVED', `the peer ended the connection with the alert ${alert.name}`, alert.name));
      this.#destroy();
    }
  }

  // The handshake's context

  sendFlight(messages: readonly FlightMessage[], awaitsAnswer: boolean): void {
    this.#intake.flightBegins();
    this.#flight.begin(messages, awaitsAnswer);
  }

  installKeys(secrets: Secrets): void {
    const { write, read, usage } = createProtectedEpochs(this.config, secrets);
    this.#writeEpochs[1] = write;
    this.#readEpoch = read;
    this.#keyUsage = usage;
    this.#secrets = secrets;
    this.config.keyLog?.(formatKeyLogLine(secrets.randoms.client, secrets.masterSecret));
  }

  acceptCertificate(chain: readonly Uint8Array[]): VerifyKey | Failure {
    return this.#peerCertificate.accept(chain, this.remoteFingerprints);
  }

  complete(now: number): void {
    this.#deadline.stop();
    if (this.config.role === 'client') this.#flight.stop();
    this.#handshake.destroy();
    this.#intake.clear();
    const wrong = this.#peerCertificate.check(this.remoteFingerprints);
    if (wrong !== undefined) return this.#fail(now, wrong);
    this.#phase = 'connected';
    this.#host.stats.keyUsage = this.#keyUsage;
    this.#host.sessionConnected(now, this);
  }

  // What we send

  pollTransmit(now: number, out: Uint8Array, start: number, end: number): number {
    const written = this.#flight.pollTransmit(now, out, start, end, this.#writeEpochs, this.#sent);
    if (written > 0 || this.#alert === undefined) return written;
    const { name, fatal } = this.#alert;
    const epoch = (this.#changeCipherSpecSent ? this.#writeEpochs[1] : undefined) ?? this.#writeEpochs[0];
    if (end - start < epoch.overheadBytes + alertBytes) return 0;
    this.#alert = undefined;
    encodeAlert(out, start + epoch.headroomBytes, fatal, name);
    const length = epoch.seal(contentType.alert, out, start, alertBytes);
    this.#host.stats.recordsSent++;
    this.#host.trace(now, 'alert-sent', { name, fatal });
    if (this.#phase === 'ended') this.#destroy();
    return length;
  }

  pollTimeout(): number {
    return Math.min(this.#deadline.deadline, this.#flight.deadline);
  }

  handleTimeout(now: number): void {
    if (this.#deadline.expired(now)) {
      this.#end(new DtlsError('TIMEOUT', `the handshake was not complete after ${this.config.handshakeTimeoutMs} ms`));
      this.#destroy();
    } else if (this.#flight.handleTimeout(now)) {
      this.#host.stats.handshakeRetransmissions++;
      this.#host.trace(now, 'flight-retransmitted', { cause: 'timeout' });
    }
  }

  setRetransmitMs(retransmitMs: number): void {
    this.#flight.setRetransmitMs(retransmitMs);
  }

  seal(data: Uint8Array, start: number, length: number): number {
    const epoch = this.#writeEpochs[1];
    invariant(epoch !== undefined, 'a connected session has keys');
    const bytes = epoch.sealThrough(this.config.recordQueue, contentType.applicationData, data, start, length);
    this.#host.stats.recordsSent++;
    const level = this.#keyUsage!.takeLevel();
    const end = whyEpochEnds(this.config, epoch, level);
    if (end !== undefined) this.#closeWith(end);
    else if (level !== undefined) this.#host.keyLevelPassed(level, this.#keyUsage!);
    return bytes;
  }

  exportKeyingMaterial(label: string, context: Uint8Array | undefined, length: number): Uint8Array {
    invariant(this.#secrets !== undefined, 'a connected session has secrets');
    const { masterSecret, randoms, extendedMasterSecret } = this.#secrets;
    if (!extendedMasterSecret) {
      // RFC 7627 section 5.4
      throw new DtlsError('EXPORT_REFUSED', 'the peer does not know the extended master secret');
    }
    return exportKeyingMaterial(this.config.crypto, masterSecret, randoms, label, context, length);
  }

  // The end

  checkRemoteCertificate(): void {
    if (this.#phase === 'handshake' && this.remoteCertificate === undefined) return;
    const wrong = this.#peerCertificate.check(this.remoteFingerprints);
    if (wrong !== undefined) this.#failWith(wrong);
  }

  close(): void {
    // What came before the call is still delivered, but nothing after the data that led to it.
    if (!this.#delivering) this.config.recordQueue.flush();
    if (this.#phase === 'ended') return;
    this.#closeWith(undefined);
  }

  abandon(): void {
    this.#phase = 'ended';
    this.#alert = undefined;
    this.#destroy();
  }

  /** Says so to the peer, after what is sealed already. */
  #closeWith(error: DtlsError | undefined): void {
    this.#alert = { name: 'close_notify', fatal: false };
    this.#end(error);
  }

  #fail(now: number, wrong: Failure): void {
    this.#host.trace(now, 'handshake-failed', { alert: wrong.alert, message: wrong.message });
    this.#failWith(wrong);
  }

  #failWith(wrong: Failure): void {
    this.#flight.stop();
    this.#alert = { name: wrong.alert, fatal: true };
    this.#end(new DtlsError(wrong.code, wrong.message, wrong.alert));
  }

  /** Nothing more is taken in. What waits to be sent goes out, with the keys that it needs. */
  #end(error: DtlsError | undefined): void {
    this.#phase = 'ended';
    this.#flight.finish();
    this.#forget();
    this.#host.sessionEnded(this, error);
  }

  /** Nothing more is sent, either. */
  #destroy(): void {
    this.#flight.stop();
    this.#forget();
    this.#writeEpochs[1]?.destroy();
    this.#writeEpochs[1] = undefined;
  }

  #forget(): void {
    // Keys are wiped only after their jobs: from here on none is queued.
    this.config.recordQueue.flush();
    this.#deadline.stop();
    this.#readEpoch?.cipher.destroy();
    this.#readEpoch = undefined;
    this.#secrets?.masterSecret.fill(0);
    this.#handshake.destroy();
    this.#early.take();
    this.#intake.clear();
  }

  #repeatFlight(now: number): void {
    if (!this.#flight.repeat(now)) return;
    this.#host.stats.handshakeRetransmissions++;
    this.#host.trace(now, 'flight-retransmitted', { cause: 'the peer repeated its flight' });
  }
}
