import { BackoffTimer, wrap32 } from '@millrace/core';
import { SctpError } from './errors.ts';
import type { EventQueue } from './event-queue.ts';
import {
  decodeReConfig,
  encodeOutgoingReset,
  encodeReConfig,
  encodeReConfigResponse,
  type ReConfigParameter,
  reConfigResult,
} from './packet/re-config-chunk.ts';
import type { DataTracker } from './rx/data-tracker.ts';
import type { DeferredReset, ReassemblyQueue } from './rx/reassembly-queue.ts';
import type { RetransmissionQueue } from './tx/retransmission-queue.ts';
import type { Rto } from './tx/rto.ts';
import type { SendQueue } from './tx/send-queue.ts';

export interface StreamResetParts {
  readonly localInitialTsn: number;
  readonly peerInitialTsn: number;
  readonly incomingStreams: number;
  readonly reConfig: boolean;
  readonly events: EventQueue;
  readonly sendQueue: SendQueue;
  readonly retransmission: RetransmissionQueue;
  readonly tracker: DataTracker;
  readonly reassembly: ReassemblyQueue;
  readonly rto: Rto;
}

interface OutgoingRequest {
  readonly seq: number;
  readonly lastAssignedTsn: number;
  readonly streamIds: readonly number[];
}

/** Streams in one request: it has to fit the smallest packet we are configured for. */
const maxStreamsPerRequest = 80;

/** The largest chunk that is made: a request and a response, or two responses. */
const maxChunkBytes = 4 + 16 + 2 * maxStreamsPerRequest + 12;

/** Answers that wait to be sent; a peer that asks faster gets some on its repetition. */
const maxResponses = 8;

/**
 * Resets streams (RFC 6525). Both sides number their requests from their initial TSN; one request
 * of ours is under way at a time, and it waits until what was queued before it has its TSNs.
 */
export class StreamReset {
  readonly #parts: StreamResetParts;
  readonly #timer: BackoffTimer = new BackoffTimer();
  readonly #wanted = new Set<number>();
  readonly #responses: Uint8Array[] = [];
  #request: OutgoingRequest | undefined;
  #requestDue = false;
  #nextSeq: number;
  #peerSeq: number;
  #lastResult: number = reConfigResult.nothingToDo;
  #deferred: (DeferredReset & { seq: number }) | undefined;
  /** The reset that was performed late, unasked: the peer may ask for it again under a new number. */
  #performedLate: DeferredReset | undefined;

  constructor(parts: StreamResetParts) {
    this.#parts = parts;
    // RFC 6525 section 4.1: also after a restart.
    this.#nextSeq = parts.localInitialTsn;
    this.#peerSeq = parts.peerInitialTsn;
  }

  get deadline(): number {
    return this.#timer.deadline;
  }

  /** Resets outgoing streams once what is queued on them is on its way. */
  request(streamIds: readonly number[]): void {
    const { events, sendQueue, reConfig } = this.#parts;
    const fresh = [...new Set(streamIds)].filter((id) => !this.#wanted.has(id) && !this.#request?.streamIds.includes(id));
    if (fresh.length === 0) return;
    if (!reConfig) {
      const error = new SctpError('RESET_FAILED', 'the peer does not support the reset of streams');
      events.push({ type: 'outgoing-reset', streamIds: fresh, error });
      return;
    }
    for (const id of fresh) this.#wanted.add(id);
    sendQueue.beginReset(fresh);
  }

  /** False where the chunk is malformed: it has changed nothing. */
  handleReConfig(data: Uint8Array, at: number, length: number): boolean {
    const parameters = decodeReConfig(data, at, length);
    if (parameters === undefined) return false;
    for (const parameter of parameters) {
      if (parameter.kind === 'response') this.#handleResponse(parameter.responseSeq, parameter.result);
      else this.#handleRequest(parameter);
    }
    return true;
  }

  /** TSNs have arrived: a reset that waited for them may be due (RFC 6525 section 5.2.2). */
  handleCumulativeTsn(): void {
    const deferred = this.#deferred;
    if (deferred === undefined || this.#parts.tracker.cumulativeTsn < deferred.lastAssignedTsn) return;
    this.#deferred = undefined;
    this.#performedLate = deferred;
    this.#perform(deferred.streamIds);
    this.#lastResult = reConfigResult.performed;
    // The peer need not ask again: the number is that of its request.
    this.#respond(deferred.seq, this.#lastResult);
  }

  /** True where a request went unanswered. */
  handleTimeout(now: number): boolean {
    if (!this.#timer.expired(now)) return false;
    this.#requestDue = true;
    return true;
  }

  /** The RE-CONFIG chunk to send now, if any, in at most `room` bytes. It is sent when this returns it. */
  poll(now: number, room: number): Uint8Array | undefined {
    if (room < maxChunkBytes) return undefined;
    if (this.#request === undefined && this.#wanted.size > 0) this.#makeRequest();
    if (this.#responses.length === 0 && !this.#requestDue) return undefined;
    const parameters: Uint8Array[] = [];
    const request = this.#request;
    if (this.#requestDue && request !== undefined) {
      const { seq, lastAssignedTsn, streamIds } = request;
      parameters.push(encodeOutgoingReset(seq, wrap32(this.#peerSeq - 1), lastAssignedTsn, streamIds));
      this.#timer.start(now, this.#parts.rto.rtoMs, this.#parts.rto.maxMs);
      this.#requestDue = false;
    }
    // At most two parameters in a chunk (RFC 6525 section 3.1).
    while (parameters.length < 2 && this.#responses.length > 0) parameters.push(this.#responses.shift()!);
    return encodeReConfig(parameters);
  }

  #makeRequest(): void {
    const ready: number[] = [];
    for (const id of this.#wanted) {
      if (ready.length === maxStreamsPerRequest) break;
      if (this.#parts.sendQueue.isReadyForReset(id)) ready.push(id);
    }
    if (ready.length === 0) return;
    for (const id of ready) this.#wanted.delete(id);
    this.#request = { seq: this.#nextSeq, lastAssignedTsn: this.#parts.retransmission.lastAssignedTsn, streamIds: ready };
    this.#nextSeq = wrap32(this.#nextSeq + 1);
    this.#requestDue = true;
  }

  #handleResponse(seq: number, result: number): void {
    const request = this.#request;
    if (request === undefined || request.seq !== seq) return;
    if (result === reConfigResult.inProgress || result === reConfigResult.requestInProgress) {
      // RFC 6525 section 5.2.7: asked again, when the timer says so.
      this.#timer.expirations = 0;
      return;
    }
    const performed = result === reConfigResult.performed || result === reConfigResult.nothingToDo;
    this.#request = undefined;
    this.#requestDue = false;
    this.#timer.reset();
    const { events, sendQueue } = this.#parts;
    const { streamIds } = request;
    sendQueue.endReset(streamIds, performed);
    if (performed) {
      events.push({ type: 'outgoing-reset', streamIds });
    } else {
      const error = new SctpError('RESET_FAILED', `the peer refused to reset the streams (result ${result})`);
      events.push({ type: 'outgoing-reset', streamIds, error });
    }
  }

  #handleRequest(request: Exclude<ReConfigParameter, { kind: 'response' }>): void {
    const { requestSeq } = request;
    if (requestSeq === wrap32(this.#peerSeq - 1)) {
      // RFC 6525 section 5.2.1: a repetition has the same answer and no second effect.
      this.#respond(requestSeq, this.#lastResult);
      return;
    }
    if (requestSeq !== this.#peerSeq) {
      this.#respond(requestSeq, reConfigResult.badSequenceNumber);
      return;
    }
    this.#peerSeq = wrap32(this.#peerSeq + 1);
    this.#lastResult = this.#evaluate(request);
    this.#respond(requestSeq, this.#lastResult);
  }

  #evaluate(request: Exclude<ReConfigParameter, { kind: 'response' }>): number {
    const { tracker, reassembly, sendQueue, incomingStreams } = this.#parts;
    if (request.kind === 'other-request') return reConfigResult.denied;
    if (request.kind === 'incoming-reset') {
      this.request(request.streamIds.length === 0 ? sendQueue.streamIds() : request.streamIds);
      return reConfigResult.performed;
    }
    const { streamIds } = request;
    if (streamIds.some((id) => id >= incomingStreams)) return reConfigResult.wrongSsn;
    const reset = { lastAssignedTsn: tracker.unwrap(request.lastAssignedTsn), streamIds };
    if (this.#performedLate !== undefined && sameReset(this.#performedLate, reset)) return reConfigResult.performed;
    if (this.#deferred !== undefined) {
      if (!sameReset(this.#deferred, reset)) return reConfigResult.requestInProgress;
      this.#deferred.seq = request.requestSeq;
      return reConfigResult.inProgress;
    }
    if (!tracker.isPlausibleForward(reset.lastAssignedTsn)) return reConfigResult.denied;
    if (reset.lastAssignedTsn > tracker.cumulativeTsn) {
      this.#deferred = { ...reset, seq: request.requestSeq };
      reassembly.deferReset(reset);
      return reConfigResult.inProgress;
    }
    this.#perform(streamIds);
    return reConfigResult.performed;
  }

  #perform(streamIds: readonly number[]): void {
    const reset = this.#parts.reassembly.reset(streamIds);
    this.#parts.events.push({ type: 'incoming-reset', streamIds: reset });
  }

  #respond(seq: number, result: number): void {
    if (this.#responses.length < maxResponses) this.#responses.push(encodeReConfigResponse(seq, result));
  }
}

function sameReset(a: DeferredReset, b: DeferredReset): boolean {
  return (
    a.lastAssignedTsn === b.lastAssignedTsn &&
    a.streamIds.length === b.streamIds.length &&
    a.streamIds.every((id, i) => id === b.streamIds[i])
  );
}
