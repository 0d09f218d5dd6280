import { type Random, Ring, Timer } from '@millrace/core';
import { type CryptoProvider, defaultProvider } from '@millrace/crypto';
import { DtlsError } from '@millrace/dtls';
import { type Address, type Candidate, createIceAgent, type IceAgent, type IceError, type Path } from '@millrace/ice';
import { DataChannel } from '../channel/channel.ts';
import type { ChannelEvent } from '../channel/channel-event.ts';
import { ChannelManager } from '../channel/channel-manager.ts';
import type { Channel, ChannelOptions } from '../channel-types.ts';
import { ChannelError } from '../errors.ts';
import { EarlyDatagrams } from '../transport/early-datagrams.ts';
import { Transport, type TransportEvent } from '../transport/transport.ts';
import { checkDtlsOptions } from './check-dtls-options.ts';
import { type PeerConfig, resolvePeerConfig } from './peer-config.ts';
import type { PeerEvent, PeerMachine, PeerMachineOptions, RemoteParameters } from './peer-machine-types.ts';
import { PeerCounters } from './peer-counters.ts';
import type { PeerState, PeerStats } from './peer-stats.ts';

/** Throws TypeError or RangeError where an option is wrong. */
export function createPeerMachine(options: PeerMachineOptions): PeerMachine {
  const config = resolvePeerConfig(options);
  checkDtlsOptions(options);
  return new WebRtcPeer(options, config);
}

class WebRtcPeer implements PeerMachine {
  readonly #options: PeerMachineOptions;
  readonly #config: PeerConfig;
  readonly #crypto: CryptoProvider;
  readonly #random: Random;
  readonly #ice: IceAgent;
  readonly #channels: ChannelManager;
  readonly #events = new Ring<PeerEvent>(4);
  readonly #early = new EarlyDatagrams();
  readonly #connectTimer = new Timer();
  readonly #closeTimer = new Timer();
  readonly #counters = new PeerCounters();
  #transport: Transport | undefined;
  #transmitPath: Path | undefined;
  #path: Path | undefined;
  #state: PeerState = 'connecting';
  /** RFC 7675 section 5.1: without consent nothing is sent, not even a farewell. */
  #hasConsent = true;

  constructor(options: PeerMachineOptions, config: PeerConfig) {
    this.#options = options;
    this.#config = config;
    this.#crypto = options.crypto ?? defaultProvider;
    this.#random = options.random ?? this.#crypto.random;
    this.#ice = createIceAgent({
      role: options.iceRole,
      path: options.path,
      consentIntervalMs: config.consentIntervalMs,
      consentTimeoutMs: config.consentTimeoutMs,
      connectTimeoutMs: config.connectTimeoutMs,
      crypto: this.#crypto,
      random: this.#random,
      ...(options.trace === undefined ? {} : { trace: options.trace }),
    });
    this.#channels = new ChannelManager({
      now: options.now,
      wake: options.wake,
      highWaterBytes: config.highWaterBytes,
      maxChannels: config.maxChannels,
      maxMessageSize: config.maxMessageSize,
    });
    // Without an answer there will be no connection, either.
    this.#connectTimer.start(options.now(), config.connectTimeoutMs);
  }

  get state(): PeerState {
    return this.#state;
  }

  get localUfrag(): string {
    return this.#ice.localUfrag;
  }

  get localPwd(): string {
    return this.#ice.localPwd;
  }

  get selectedPath(): Path | undefined {
    return this.#path;
  }

  get transmitPath(): Path | undefined {
    return this.#transmitPath;
  }

  get isFaulted(): boolean {
    return this.#transport?.isFaulted ?? false;
  }

  addLocalCandidate(now: number, local: number, address: Address): Candidate {
    return this.#ice.addLocalCandidate(now, local, address);
  }

  setRemoteParameters(now: number, parameters: RemoteParameters): void {
    if (this.#transport !== undefined || this.#state !== 'connecting') {
      throw new ChannelError('WRONG_STATE', 'the other side has been described already, or the peer is closed');
    }
    const { iceUfrag, icePwd, iceLite = false, fingerprints, dtlsRole, sctpPort = 5000, maxMessageSize = 65_536 } = parameters;
    const { cipherSuites, engine, enforceKeyLimits, recordQueue, localSctpPort, keyLog, trace, certificate } = this.#options;
    const config = this.#config;
    this.#transport = new Transport({
      role: dtlsRole,
      certificate,
      remoteFingerprints: fingerprints,
      maxDatagramBytes: config.maxDatagramBytes,
      handshakeTimeoutMs: config.connectTimeoutMs,
      remoteSctpPort: sctpPort,
      limits: config.sctpLimits,
      congestionControl: config.congestionControl,
      crypto: this.#crypto,
      random: this.#random,
      ...(cipherSuites === undefined ? {} : { cipherSuites }),
      ...(engine === undefined ? {} : { engine }),
      ...(enforceKeyLimits === undefined ? {} : { enforceKeyLimits }),
      ...(recordQueue === undefined ? {} : { recordQueue }),
      ...(localSctpPort === undefined ? {} : { localSctpPort }),
      ...(keyLog === undefined ? {} : { keyLog }),
      ...(trace === undefined ? {} : { trace }),
    });
    this.#channels.outbox.maxMessageSize = maxMessageSize === 0 ? Number.POSITIVE_INFINITY : maxMessageSize;
    this.#channels.setRole(dtlsRole);
    this.#connectTimer.start(now, config.connectTimeoutMs);
    this.#ice.setRemoteParameters(now, { ufrag: iceUfrag, pwd: icePwd, lite: iceLite });
    this.#handleIceEvents(now);
    if (this.#path !== undefined) this.#begin(now, this.#transport);
    this.#options.wake();
  }

  addRemoteCandidate(now: number, candidate: Candidate | undefined): boolean {
    if (this.#state === 'closed') return false;
    const isUsed = this.#ice.addRemoteCandidate(now, candidate);
    this.#options.wake();
    return isUsed;
  }

  createChannel(label: string, options?: ChannelOptions): Channel {
    if (this.#state === 'closing' || this.#state === 'closed')
      throw new ChannelError('PEER_CLOSED', `the peer is ${this.#state}`);
    return this.#channels.createChannel(label, options);
  }

  handleDatagram(now: number, path: Path, data: Uint8Array, start: number, end: number): boolean {
    this.#counters.countReceived(end - start);
    if (this.#state === 'closed') {
      this.#counters.drop('closed');
      return false;
    }
    // RFC 7983 section 7: the first octet tells the protocols apart.
    const first = start < end ? data[start]! : 255;
    if (first < 4) {
      const isAuthentic = this.#ice.handleDatagram(now, path, data, start, end);
      this.#handleIceEvents(now);
      return isAuthentic;
    }
    if (first < 20 || first > 63) {
      this.#counters.drop('unknown-protocol');
    } else if (this.#transport === undefined || this.#path === undefined) {
      if (!this.#early.hold(data, start, end)) this.#counters.drop('early-datagram');
    } else {
      this.#transport.handleDatagram(now, data, start, end);
    }
    return false;
  }

  handleTimeout(now: number): void {
    if (this.#state === 'closed') return;
    this.#ice.handleTimeout(now);
    this.#handleIceEvents(now);
    this.#transport?.handleTimeout(now);
    if (this.#connectTimer.expired(now)) {
      this.abort(
        now,
        new ChannelError('CONNECT_FAILED', `no connection within ${this.#config.connectTimeoutMs} ms: ${this.#stage()}`),
      );
    }
    if (this.#closeTimer.expired(now)) this.abort(now);
  }

  pollTransmit(now: number, out: Uint8Array, start: number, end: number): number {
    if (!this.#hasConsent) return 0;
    let length = this.#ice.pollTransmit(now, out, start, end);
    if (length > 0) {
      this.#transmitPath = this.#ice.transmitPath;
    } else if (this.#path !== undefined && this.#transport !== undefined) {
      length = this.#transport.pollTransmit(now, out, start, Math.min(end, start + this.#config.maxDatagramBytes));
      this.#transmitPath = this.#path;
    }
    if (length > 0) this.#counters.countSent(length);
    return length;
  }

  pollTimeout(): number {
    if (this.#state === 'closed') return Number.POSITIVE_INFINITY;
    return Math.min(
      this.#ice.pollTimeout(),
      this.#transport?.pollTimeout() ?? Number.POSITIVE_INFINITY,
      this.#connectTimer.deadline,
      this.#closeTimer.deadline,
    );
  }

  pollEvent(): PeerEvent | undefined {
    for (;;) {
      const event = this.#channels.pollEvent() ?? this.#events.shift();
      if (event !== undefined || this.#state === 'closed') return event;
      const reported = this.#transport?.pollEvent();
      if (reported === undefined) return undefined;
      this.#handleTransportEvent(reported);
      if (reported.type === 'connected') return this.#events.shift();
    }
  }

  deliver(event: ChannelEvent): void {
    DataChannel.deliver(event);
  }

  close(now: number): void {
    if (this.#state === 'closing' || this.#state === 'closed') return;
    this.#connectTimer.stop();
    if (this.#state === 'connecting' || this.#transport === undefined) {
      this.abort(now);
    } else {
      this.#state = 'closing';
      this.#closeTimer.start(now, this.#config.closeTimeoutMs);
      this.#transport.close(now);
    }
    this.#options.wake();
  }

  abort(now: number, error?: ChannelError): void {
    if (this.#state === 'closed') return;
    // First the channels, while the association still knows what was not delivered.
    this.#finish(now, error, new ChannelError('PEER_CLOSED', 'this side closed the connection before all was delivered'));
    this.#transport?.abort(now, error);
    this.#options.wake();
  }

  exportKeyingMaterial(label: string, context: Uint8Array | undefined, length: number): Uint8Array {
    if (this.#transport === undefined) throw new DtlsError('NOT_CONNECTED', 'the connection is not up');
    return this.#transport.dtls.exportKeyingMaterial(label, context, length);
  }

  stats(): PeerStats {
    return this.#counters.stats(this.#state, this.#path, this.#ice, this.#transport, this.#channels);
  }

  #handleIceEvents(now: number): void {
    for (let event = this.#ice.pollEvent(); event !== undefined; event = this.#ice.pollEvent()) {
      if (event.type === 'selected') this.#handleSelected(now, event.path, event.rttMs);
      else if (event.type === 'closed') this.#handleIceClosed(now, event.error);
    }
  }

  #handleSelected(now: number, path: Path, rttMs: number | undefined): void {
    const isFirst = this.#path === undefined;
    this.#path = path;
    const transport = this.#transport;
    if (transport === undefined) return;
    if (rttMs !== undefined) transport.setRoundTripTime(rttMs);
    if (isFirst) this.#begin(now, transport);
  }

  /** There are a path and a description. */
  #begin(now: number, transport: Transport): void {
    transport.connect(now);
    for (const datagram of this.#early.take()) transport.handleDatagram(now, datagram, 0, datagram.length);
  }

  #handleIceClosed(now: number, cause: IceError | undefined): void {
    if (this.#state === 'closed') return;
    this.#hasConsent = false;
    const code = cause?.code === 'CONSENT_LOST' ? 'CONSENT_LOST' : 'CONNECT_FAILED';
    this.#finish(now, new ChannelError(code, `ICE: ${cause?.message ?? 'closed'}`, cause));
  }

  #handleTransportEvent(event: TransportEvent): void {
    switch (event.type) {
      case 'secured':
        this.#channels.attach(event.association);
        break;
      case 'keyUsage':
        this.#events.push(event);
        break;
      case 'ended':
        this.#handleTransportEnded(event.error);
        break;
      case 'connected':
        if (this.#state === 'connecting') this.#state = 'connected';
        this.#connectTimer.stop();
        this.#events.push({ type: 'connected' });
        this.#channels.handleAssociationEvent(event);
        break;
      default:
        this.#channels.handleAssociationEvent(event);
    }
  }

  #handleTransportEnded(error: ChannelError | undefined): void {
    const isEarly = this.#state === 'connecting';
    const cut = new ChannelError('REMOTE_CLOSED', 'the other side closed the connection before all was delivered');
    this.#finish(
      this.#options.now(),
      error ?? (isEarly ? new ChannelError('REMOTE_CLOSED', 'the other side closed before the connection was up') : undefined),
      cut,
    );
  }

  /** @param cut for channels that still have something to deliver, where the end itself is no error. */
  #finish(now: number, error: ChannelError | undefined, cut?: ChannelError): void {
    this.#state = 'closed';
    this.#connectTimer.stop();
    this.#closeTimer.stop();
    this.#channels.closeAll(error, cut);
    this.#ice.close(now);
    this.#events.push({ type: 'closed', ...(error === undefined ? {} : { error }) });
  }

  #stage(): string {
    if (this.#transport === undefined) return 'the other side was not described';
    if (this.#path === undefined) return 'ICE found no path';
    return this.#transport.association === undefined ? 'DTLS did not finish' : 'SCTP did not finish';
  }
}
