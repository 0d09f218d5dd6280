import { randomBytes } from '@millrace/core';
import { type Config, resolveConfig } from './config.ts';
import { startConnect } from './connect.ts';
import { ControlQueue } from './control-queue.ts';
import { abort, close, type Core } from './core.ts';
import { SctpError } from './errors.ts';
import { EventQueue } from './event-queue.ts';
import { encodeTextCause, errorCause } from './packet/error-cause.ts';
import { PacketWriter } from './packet/packet-writer.ts';
import { handlePacket } from './packet-handler.ts';
import { beginShutdown } from './shutdown.ts';
import { type State, stateTcb } from './state.ts';
import { type Counters, createCounters } from './stats.ts';
import { associationDeadline, handleTimers } from './timers.ts';
import { writePacket } from './transmitter.ts';
import { SendQueue } from './tx/send-queue.ts';
import type { Association, AssociationEvent, AssociationOptions, AssociationStats, SendOptions } from './types.ts';

/**
 * Makes one end of an SCTP association over a datagram carrier (RFC 8261, RFC 9260), closed until
 * `connect` is called or the peer calls. It does no I/O: see the contract of `Machine`.
 *
 * Throws RangeError or TypeError for an option that does not fit, naming it.
 */
export function createAssociation(options: AssociationOptions): Association {
  return new SctpAssociation(resolveConfig(options));
}

class SctpAssociation implements Association {
  readonly #core: AssociationCore;
  readonly #writer: PacketWriter = new PacketWriter();

  constructor(config: Config) {
    this.#core = new AssociationCore(config);
  }

  get state(): Association['state'] {
    return this.#core.state.kind;
  }

  get stats(): AssociationStats {
    const { counters, sendQueue, config } = this.#core;
    const tcb = stateTcb(this.#core.state);
    return {
      ...counters,
      dropped: { ...counters.dropped },
      abandonedMessages: sendQueue.abandonedMessages,
      cwnd: tcb?.retransmission.cwnd ?? 0,
      flightSize: tcb?.retransmission.flightSize ?? 0,
      remoteWindowBytes: tcb?.retransmission.remoteWindowBytes ?? 0,
      srttMs: tcb?.rto.srttMs,
      rtoMs: tcb?.rto.rtoMs ?? config.rto.initialMs,
    };
  }

  connect(now: number): void {
    startConnect(this.#core, now);
  }

  send(now: number, streamId: number, ppid: number, data: Uint8Array, options: SendOptions = noOptions): boolean {
    this.#checkOpen();
    this.#checkStream(streamId);
    if (!Number.isInteger(ppid) || ppid < 0 || ppid > 0xffff_ffff)
      throw new RangeError(`ppid must be an unsigned 32-bit integer, not ${ppid}`);
    if (!(data instanceof Uint8Array)) throw new TypeError('data must be a Uint8Array');
    if (data.length === 0) throw new RangeError('data must not be empty: DATA without user data is not allowed (RFC 9260)');
    if (data.length > 0xffff_ffff) throw new RangeError('data must be shorter than 4 GiB');
    const { maxRetransmits, lifetimeMs } = options;
    if (maxRetransmits !== undefined && (!Number.isInteger(maxRetransmits) || maxRetransmits < 0)) {
      throw new RangeError(`maxRetransmits must be an integer from 0, not ${maxRetransmits}`);
    }
    if (lifetimeMs !== undefined && !(lifetimeMs >= 0))
      throw new RangeError(`lifetimeMs must be a number of ms from 0, not ${lifetimeMs}`);
    return this.#core.sendQueue.add(now, streamId, ppid, data, options);
  }

  bufferedBytes(streamId?: number): number {
    return this.#core.sendQueue.bufferedBytes(streamId);
  }

  setBufferedLowThreshold(streamId: number, bytes: number): void {
    this.#checkStream(streamId);
    if (!(bytes >= 0)) throw new RangeError(`bytes must be a number from 0, not ${bytes}`);
    this.#core.sendQueue.setLowThreshold(streamId, bytes);
  }

  resetStreams(_now: number, streamIds: readonly number[]): void {
    const { state } = this.#core;
    const tcb = stateTcb(state);
    if (tcb === undefined || state.kind === 'cookie-echoed')
      throw new SctpError('CLOSED', 'streams can be reset once the association is connected');
    for (const id of streamIds) this.#checkStream(id);
    tcb.streamReset.request(streamIds);
  }

  shutdown(now: number): void {
    const core = this.#core;
    core.shutdownWanted = true;
    if (core.state.kind === 'closed') close(core, now, undefined);
    else beginShutdown(core, now);
  }

  abort(now: number, reason = ''): void {
    const error = new SctpError('USER_ABORT', reason === '' ? 'abort was called' : reason, errorCause.userInitiatedAbort);
    abort(this.#core, now, error, encodeTextCause(errorCause.userInitiatedAbort, reason));
  }

  handleDatagram(now: number, data: Uint8Array, start: number, end: number): void {
    handlePacket(this.#core, now, data, start, end);
  }

  handleTimeout(now: number): void {
    handleTimers(this.#core, now);
  }

  pollTransmit(now: number, out: Uint8Array, start: number, end: number): number {
    return writePacket(this.#core, this.#writer, now, out, start, end);
  }

  pollTimeout(): number {
    return associationDeadline(this.#core.state);
  }

  pollEvent(): AssociationEvent | undefined {
    return this.#core.events.poll();
  }

  #checkOpen(): void {
    const { state, shutdownWanted } = this.#core;
    const isOver = state.kind === 'closed' && !state.fresh;
    if (isOver || shutdownWanted || state.kind.startsWith('shutdown'))
      throw new SctpError('CLOSED', 'the association is closed or closing');
  }

  #checkStream(streamId: number): void {
    const count = stateTcb(this.#core.state)?.outgoingStreams ?? this.#core.config.streams;
    if (!Number.isInteger(streamId) || streamId < 0 || streamId >= count) {
      throw new RangeError(`streamId must be an integer from 0 to ${count - 1}, not ${streamId}`);
    }
  }
}

const noOptions: SendOptions = {};

class AssociationCore implements Core {
  readonly config: Config;
  readonly events: EventQueue = new EventQueue();
  readonly control: ControlQueue = new ControlQueue();
  readonly counters: Counters = createCounters();
  readonly sendQueue: SendQueue;
  readonly cookieSecret: Uint8Array;
  state: State = { kind: 'closed', fresh: true };
  shutdownWanted = false;

  constructor(config: Config) {
    this.config = config;
    this.sendQueue = new SendQueue(this.events, config.highWaterBytes, config.lowWaterBytes);
    this.cookieSecret = randomBytes(config.random, 16);
  }
}
