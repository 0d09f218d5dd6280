import { Listeners } from '@millrace/core';
import { type Certificate, defaultProvider, type Fingerprint, generateCertificate } from '@millrace/crypto';
import type { Candidate } from '@millrace/ice';
import { ChannelError } from '../errors.ts';
import { checkDtlsOptions } from '../peer/check-dtls-options.ts';
import { resolvePeerConfig } from '../peer/peer-config.ts';
import { createPeerMachine } from '../peer/peer-machine.ts';
import type { PeerMachine } from '../peer/peer-machine-types.ts';
import { answerSetup, createSessionId, formatAnswer, formatOffer } from '../sdp/format-session-description.ts';
import { parseSessionDescription } from '../sdp/parse-session-description.ts';
import type { LocalDescription, SessionDescription } from '../sdp/session-description.ts';
import { bindSockets } from './bind-sockets.ts';
import { DrivenPeer } from './driven-peer.ts';
import { Driver } from './driver.ts';
import { hostCandidates } from './host-candidates.ts';
import { PeerFace } from './peer-face.ts';
import { guardCallbacks } from './guard-callbacks.ts';
import { checkPeerOptions, pickConnectionOptions, resolveServerConfig, type ServerConfig } from './server-config.ts';
import type { Answer, Offer, Peer, PeerOptions, Server, ServerOptions, ServerStats } from './types.ts';
import type { UdpSocket } from './udp-socket.ts';

type ServerEvents = { peer: [Peer]; error: [Error] };

/**
 * Binds and is ready for offers and answers. Throws TypeError or RangeError where an option is
 * wrong; rejects with the operating system's error where the port can't be had.
 */
export async function createServer(options: ServerOptions = {}): Promise<Server> {
  const config = resolveServerConfig(options);
  const certificate = options.certificate ?? (await generateCertificate());
  checkDtlsOptions({ ...config.connection, certificate });
  const server = new DataChannelServer(config, certificate);
  await server.listen();
  return server;
}

class DataChannelServer implements Server {
  readonly #config: ServerConfig;
  readonly #certificate: Certificate;
  readonly #listeners = new Listeners<ServerEvents>(['peer', 'error']);
  readonly #driver: Driver;
  readonly #peers = new Set<DrivenPeer>();
  #sockets: readonly UdpSocket[] = [];
  #port = 0;
  #nextId = 1;
  #closing: Promise<void> | undefined;

  constructor(config: ServerConfig, certificate: Certificate) {
    this.#config = config;
    this.#certificate = certificate;
    this.#driver = new Driver(config.peer.maxDatagramBytes, (peer, cause) => this.#handleFault(peer, cause));
  }

  async listen(): Promise<void> {
    const driver = this.#driver;
    this.#sockets = await bindSockets(this.#config.addresses, this.#config.port, {
      bufferBytes: this.#config.socketBufferBytes,
      onDatagram: (local, data, remote) => driver.handleDatagram(local, data, remote),
      onDrained: () => driver.handleDrained(),
      onError: (error) => this.#report(error),
    });
    this.#port = this.#sockets[0]!.port;
    driver.setSockets(this.#sockets);
  }

  get port(): number {
    return this.#port;
  }

  get fingerprint(): Fingerprint {
    return this.#certificate.fingerprint;
  }

  async answer(offerSdp: string, options: PeerOptions = {}): Promise<Answer> {
    checkPeerOptions(options);
    const offer = readDescription(offerSdp, 'offer');
    const setup = answerSetup(offer.setup, options.setup);
    const { driven, peer, local } = this.#createPeer(options, offer.iceLite ? 'controlling' : 'controlled');
    let sdp: string;
    try {
      sdp = formatAnswer(offer, { ...local, setup });
      this.#applyRemote(driven.machine, offer, setup === 'active' ? 'client' : 'server');
    } catch (error) {
      // Nobody has this peer.
      driven.machine.abort(this.#driver.now());
      throw error;
    }
    this.#listeners.emit('peer', peer);
    return { peer, sdp };
  }

  async offer(options: PeerOptions = {}): Promise<Offer> {
    checkPeerOptions(options);
    const { driven, peer, local } = this.#createPeer(options, 'controlling');
    this.#listeners.emit('peer', peer);
    return {
      peer,
      sdp: formatOffer(local),
      accept: async (answerSdp) => {
        const answer = readDescription(answerSdp, 'answer');
        this.#applyRemote(driven.machine, answer, answer.setup === 'active' ? 'server' : 'client');
      },
    };
  }

  stats(): ServerStats {
    const { dropped, ...traffic } = this.#driver.stats;
    const { sealed, opened, rejected, flushes, recordsPerFlush } = this.#driver.records.stats;
    return {
      peers: this.#peers.size,
      paths: this.#driver.paths,
      ...traffic,
      sendErrors: this.#sockets.reduce((sum, socket) => sum + socket.sendErrors, 0),
      socketBufferBytes: this.#closing === undefined ? Math.min(...this.#sockets.map((socket) => socket.receiveBufferBytes)) : 0,
      records: {
        sealed,
        opened,
        rejected,
        flushes,
        meanBatch: recordsPerFlush,
      },
      dropped: { ...dropped },
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  on<K extends keyof ServerEvents>(event: K, fn: (...args: ServerEvents[K]) => void): this {
    this.#listeners.add(event, fn);
    return this;
  }

  once<K extends keyof ServerEvents>(event: K, fn: (...args: ServerEvents[K]) => void): this {
    this.#listeners.add(event, fn, true);
    return this;
  }

  off<K extends keyof ServerEvents>(event: K, fn: (...args: ServerEvents[K]) => void): this {
    this.#listeners.remove(event, fn);
    return this;
  }

  async #close(): Promise<void> {
    const now = this.#driver.now();
    await Promise.all(
      [...this.#peers].map((peer) => {
        peer.machine.close(now);
        return peer.closed;
      }),
    );
    // The farewells of the last peers are sent at the end of the turn that closed them.
    await new Promise((done) => setImmediate(done));
    this.#driver.close();
    await Promise.all(this.#sockets.map((socket) => socket.close()));
  }

  #createPeer(
    options: PeerOptions,
    iceRole: 'controlling' | 'controlled',
  ): { driven: DrivenPeer; peer: PeerFace; local: LocalDescription } {
    const { peer: defaults, connection, maxPeers } = this.#config;
    if (this.#closing !== undefined) throw new ChannelError('SERVER_CLOSED', 'the server is closed');
    if (this.#peers.size >= maxPeers) throw new ChannelError('TOO_MANY_PEERS', `maxPeers is ${maxPeers}`);
    if ((options.maxDatagramBytes ?? 0) > defaults.maxDatagramBytes) {
      throw new RangeError(`maxDatagramBytes must be at most the server's, ${defaults.maxDatagramBytes}`);
    }
    const merged = guardCallbacks({ ...connection, ...pickConnectionOptions(options) });
    const { maxMessageSize } = resolvePeerConfig(merged);
    const driver = this.#driver;
    const createMachine = (peer: DrivenPeer): PeerMachine =>
      createPeerMachine({
        ...merged,
        iceRole,
        certificate: this.#certificate,
        recordQueue: driver.records,
        now: () => driver.now(),
        wake: () => driver.wake(peer),
        path: (local, remote) => driver.path(peer, local, remote),
      });
    const driven = new DrivenPeer(options.id ?? String(this.#nextId++), createMachine, (peer) => this.#handleConnected(peer));
    this.#peers.add(driven);
    void driven.closed.then(() => this.#peers.delete(driven));
    driver.add(driven);
    return {
      driven,
      peer: new PeerFace(driven, () => driver.now()),
      local: {
        sessionId: createSessionId(defaultProvider.random),
        iceUfrag: driven.machine.localUfrag,
        icePwd: driven.machine.localPwd,
        fingerprints: [this.fingerprint],
        maxMessageSize,
        candidates: this.#addCandidates(driven.machine),
        endOfCandidates: true,
      },
    };
  }

  #addCandidates(machine: PeerMachine): Candidate[] {
    return hostCandidates(this.#sockets, this.#port, this.#config.announcedAddresses, (local, address) =>
      machine.addLocalCandidate(this.#driver.now(), local, address),
    );
  }

  #applyRemote(machine: PeerMachine, remote: SessionDescription, dtlsRole: 'client' | 'server'): void {
    const now = this.#driver.now();
    const { iceUfrag, icePwd, iceLite, fingerprints, sctpPort, maxMessageSize } = remote;
    machine.setRemoteParameters(now, { iceUfrag, icePwd, iceLite, fingerprints, dtlsRole, sctpPort, maxMessageSize });
    for (const candidate of remote.candidates) machine.addRemoteCandidate(now, candidate);
    if (remote.endOfCandidates) machine.addRemoteCandidate(now, undefined);
  }

  /** Of two connections between the same two sockets the newer is alive: the other end has begun anew. */
  #handleConnected(peer: DrivenPeer): void {
    const now = this.#driver.now();
    for (const older of this.#driver.replacedBy(peer)) {
      older.machine.abort(now, new ChannelError('REPLACED', 'a newer connection came from the same address and port'));
    }
  }

  #handleFault(peer: DrivenPeer, cause: unknown): void {
    peer.fail(this.#driver.now(), cause);
    this.#report(cause instanceof Error ? cause : new Error(String(cause)));
  }

  /** An error that nobody listens to must not stay unseen; but one peer's fault is no reason to end all others. */
  #report(error: Error): void {
    if (!this.#listeners.emit('error', error)) process.emitWarning(error);
  }
}

function readDescription(sdp: string, type: 'offer' | 'answer'): SessionDescription {
  if (typeof sdp !== 'string') throw new TypeError(`the ${type} must be a string`);
  try {
    return parseSessionDescription(sdp, type);
  } catch (cause) {
    throw new ChannelError('INVALID_SDP', `the ${type} can't be used: ${(cause as Error).message}`, cause);
  }
}
