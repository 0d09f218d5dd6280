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
  readonly outgoingStreams: number;
  readonly reConfig: boolean;
  readonly events: EventQueue;
  readonly sendQueue: SendQueue;
  readonly retransmission: RetransmissionQueue;
  readonly tracker: DataTracker;
  readonly reassembly: ReassemblyQueue;
  readonly rto: Rto;
}

interface OutgoingRequest {
  seq: number;
  /** The number before this one, under which the answer may still come; the same where there was none. */
  earlierSeq: number;
  /** The peer has said that it can't yet: it is asked under another number. */
  isInProgress: boolean;
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
    this.#perform(deferred.streamIds);
    this.#performedLate = deferred;
    this.#lastResult = reConfigResult.performed;
    // The peer need not ask again: the number is that of its request.
    this.#respond(deferred.seq, this.#lastResult);
  }

  /** The peer has lost its state: what was asked of it will not be answered. */
  abandon(): void {
    const streamIds = [...(this.#request?.streamIds ?? []), ...this.#wanted];
    if (streamIds.length === 0) return;
    const error = new SctpError('RESET_FAILED', 'the peer has restarted');
    this.#parts.events.push({ type: 'outgoing-reset', streamIds, error });
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
      if (request.isInProgress) this.#renumber(request);
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
    const ready = this.#parts.sendQueue.takeReadyForReset(maxStreamsPerRequest);
    if (ready.length === 0) return;
    for (const id of ready) this.#wanted.delete(id);
    const seq = this.#takeSeq();
    const { lastAssignedTsn } = this.#parts.retransmission;
    this.#request = { seq, earlierSeq: seq, isInProgress: false, lastAssignedTsn, streamIds: ready };
    this.#requestDue = true;
  }

  /** To a repetition under the same number the answer would be the same (RFC 6525 section 5.2.1). */
  #renumber(request: OutgoingRequest): void {
    request.earlierSeq = request.seq;
    request.seq = this.#takeSeq();
    request.isInProgress = false;
  }

  #takeSeq(): number {
    const seq = this.#nextSeq;
    this.#nextSeq = wrap32(seq + 1);
    return seq;
  }

  #handleResponse(seq: number, result: number): void {
    const request = this.#request;
    if (request === undefined || (request.seq !== seq && request.earlierSeq !== seq)) return;
    if (result === reConfigResult.inProgress || result === reConfigResult.requestInProgress) {
      if (request.seq !== seq) return;
      // RFC 6525 section 5.2.7: asked again, when the timer says so.
      request.isInProgress = true;
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
      this.#performedLate = undefined;
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
    const { tracker, reassembly, sendQueue, incomingStreams, outgoingStreams } = this.#parts;
    if (request.kind === 'other-request') return reConfigResult.denied;
    if (request.kind === 'incoming-reset') {
      // RFC 6525 section 5.2.3. Streams that were never used have nothing to reset.
      if (request.streamIds.some((id) => id >= outgoingStreams)) return reConfigResult.wrongSsn;
      const used = sendQueue.streamIds().filter((id) => request.streamIds.length === 0 || request.streamIds.includes(id));
      this.request(used);
      return used.length === 0 ? reConfigResult.nothingToDo : reConfigResult.performed;
    }
    const { streamIds } = request;
    if (streamIds.some((id) => id >= incomingStreams)) return reConfigResult.wrongSsn;
    const reset = { lastAssignedTsn: tracker.unwrap(request.lastAssignedTsn), streamIds };
    if (this.#performedLate !== undefined && sameReset(this.#performedLate, reset)) {
      // Once: after that it is a new reset of streams that have carried nothing since.
      this.#performedLate = undefined;
      return reConfigResult.performed;
    }
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
    this.#performedLate = undefined;
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
