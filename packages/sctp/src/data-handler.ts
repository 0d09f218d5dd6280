import { copyOf } from '@millrace/core';
import { abort, abortViolation, type Core } from './core.ts';
import { SctpError } from './errors.ts';
import { encodeParameter } from './packet/chunk.ts';
import { dataFlag, dataHeaderBytes, dataStreamId, dataTsn } from './packet/data-chunk.ts';
import { encodeError, encodeInvalidStreamCause, encodeTextCause, errorCause } from './packet/error-cause.ts';
import {
  forwardTsnIsWhole,
  forwardTsnNewCumulative,
  forwardTsnSsn,
  forwardTsnStreamCount,
  forwardTsnStreamId,
} from './packet/forward-tsn-chunk.ts';
import { sackIsWhole } from './packet/sack-chunk.ts';
import type { ReassemblyFault } from './rx/reassembly-queue.ts';
import { advanceShutdown } from './shutdown.ts';
import { countDrop } from './stats.ts';
import { receiveWindow, type Tcb } from './tcb.ts';

/** Takes a DATA chunk (RFC 9260 sections 6.2 and 6.5). False where the association has ended over it. */
export function handleData(core: Core, tcb: Tcb, now: number, data: Uint8Array, at: number, length: number): boolean {
  const { state, counters } = core;
  if (state.kind === 'shutdown-received' || state.kind === 'shutdown-ack-sent') {
    // The peer has said that everything of its was acknowledged.
    countDrop(counters, 'unexpected-chunk');
    return true;
  }
  if (length <= dataHeaderBytes) {
    // RFC 9260 section 3.3.10.9.
    const cause = encodeParameter(
      errorCause.noUserData,
      length === dataHeaderBytes ? copyOf(data, at + 4, at + 8) : new Uint8Array(4),
    );
    abort(core, now, new SctpError('PROTOCOL_VIOLATION', 'the peer sent DATA without user data', errorCause.noUserData), cause);
    return false;
  }
  const { tracker, reassembly } = tcb;
  const tsn = tracker.unwrap(dataTsn(data, at));
  const kind = tracker.classify(tsn);
  if (kind !== 'new') {
    if (kind === 'duplicate') tracker.handleDuplicate(tsn);
    countDrop(counters, kind === 'duplicate' ? 'duplicate-data' : 'tsn-too-far');
    return true;
  }
  if ((data[at + 1]! & dataFlag.immediate) !== 0) tracker.policy.request();
  const isNext = tsn === tracker.cumulativeTsn + 1;
  // RFC 9260 section 6.2: with no room left only what moves the cumulative TSN is taken, since it
  // may set the rest free; but not while it is the application that does not take its messages.
  const isTaken = isNext ? core.events.messageBytes < core.config.receiveBufferBytes : receiveWindow(core, tcb) > 0;
  if (!isTaken) {
    countDrop(counters, 'window');
    tracker.policy.request();
    return true;
  }
  let fault: ReassemblyFault | undefined;
  const streamId = dataStreamId(data, at);
  if (streamId >= tcb.incomingStreams) {
    // RFC 9260 section 6.5: acknowledged, reported, and thrown away.
    countDrop(counters, 'invalid-stream');
    core.control.push(tcb.peerTag, encodeError([encodeInvalidStreamCause(streamId)]));
  } else {
    fault = isNext ? reassembly.handleNext(tsn, data, at, length) : reassembly.handleApart(tsn, data, at, length);
  }
  tracker.add(tsn);
  if (isNext && fault === undefined && tracker.cumulativeTsn > tsn)
    fault = reassembly.handleSequence(tsn + 1, tracker.cumulativeTsn);
  // What is before a message in its stream has come in sequence before it, or was given up: so in
  // sequence nothing has to wait, and what waits after gaps had to fit the window.
  if (isNext && fault === undefined && reassembly.waitingBytes > 2 * core.config.receiveBufferBytes) fault = 'out-of-order';
  if (fault !== undefined) {
    abortReassembly(core, now, fault);
    return false;
  }
  if (isNext) tcb.streamReset.handleCumulativeTsn();
  return true;
}

function abortReassembly(core: Core, now: number, fault: ReassemblyFault): void {
  if (fault === 'violation') {
    abortViolation(core, now, 'fragments of different messages have consecutive TSNs');
    return;
  }
  if (fault === 'out-of-order') {
    abortViolation(core, now, 'messages follow one that neither came nor was given up');
    return;
  }
  const text = `a message is larger than ${core.config.maxIncomingMessageBytes} bytes`;
  abort(core, now, new SctpError('LIMIT_EXCEEDED', text), encodeTextCause(errorCause.protocolViolation, text));
}

export function handleSack(core: Core, tcb: Tcb, now: number, data: Uint8Array, at: number, length: number): void {
  if (!sackIsWhole(data, at, length)) return countDrop(core.counters, 'bad-sack');
  const result = tcb.retransmission.handleSack(now, data, at);
  if (result === 'invalid') return countDrop(core.counters, 'bad-sack');
  if (result === 'old') return countDrop(core.counters, 'old-sack');
  // RFC 9260 section 6.1 A: an answer to a probe of a full window counts as a sign of life, too.
  if (result === 'progress' || tcb.retransmission.remoteWindowBytes < core.config.maxPacketBytes) {
    tcb.errorCounter.clear();
    tcb.heartbeat.handleProgress(now);
  }
  advanceShutdown(core, now);
}

/** RFC 3758 section 3.6. */
export function handleForwardTsn(core: Core, tcb: Tcb, now: number, data: Uint8Array, at: number, length: number): boolean {
  const { tracker, reassembly } = tcb;
  if (!forwardTsnIsWhole(length)) {
    countDrop(core.counters, 'bad-chunk');
    return true;
  }
  const newCumulative = tracker.unwrap(forwardTsnNewCumulative(data, at));
  if (!tracker.isPlausibleForward(newCumulative)) {
    countDrop(core.counters, 'tsn-too-far');
    return true;
  }
  // Acknowledged at once, an old one too: the peer has missed a SACK.
  tracker.policy.request();
  if (newCumulative <= tracker.cumulativeTsn) return true;
  reassembly.handleForwardTsn(tracker.cumulativeTsn + 1, newCumulative);
  tracker.handleForwardTsn(newCumulative);
  for (let i = 0; i < forwardTsnStreamCount(length); i++) {
    const streamId = forwardTsnStreamId(data, at, i);
    if (streamId < tcb.incomingStreams) reassembly.skip(streamId, forwardTsnSsn(data, at, i));
  }
  const fault = reassembly.handleSequence(newCumulative + 1, tracker.cumulativeTsn);
  if (fault !== undefined) {
    abortReassembly(core, now, fault);
    return false;
  }
  tcb.streamReset.handleCumulativeTsn();
  return true;
}
