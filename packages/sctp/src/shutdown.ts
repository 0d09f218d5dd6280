import { BackoffTimer, readUint32, Timer, writeUint32 } from '@millrace/core';
import { abort, close, type Core } from './core.ts';
import { SctpError } from './errors.ts';
import { encodeChunk } from './packet/chunk.ts';
import { chunkType } from './packet/chunk-type.ts';
import { encodeTextCause, errorCause, tagReflected } from './packet/error-cause.ts';
import type { State } from './state.ts';
import { countDrop } from './stats.ts';
import type { Tcb } from './tcb.ts';

/*
 * Graceful shutdown (RFC 9260 section 9.2):
 *
 *   shutdown-pending    our data drains
 *   SHUTDOWN ->         shutdown-sent, T2        the peer's data drains: shutdown-received
 *   <- SHUTDOWN ACK     closed                   shutdown-ack-sent, T2
 *   SHUTDOWN COMPLETE ->                         closed
 */

/** T5-shutdown-guard: five times RTO.Max. */
const guardRtos = 5;

type Closing = Extract<State, { kind: 'shutdown-sent' | 'shutdown-ack-sent' }>;

/** From ESTABLISHED: sends what there is, then SHUTDOWN. */
export function beginShutdown(core: Core, now: number): void {
  const { state } = core;
  if (state.kind !== 'established') return;
  core.state = { kind: 'shutdown-pending', tcb: state.tcb };
  advanceShutdown(core, now);
}

/** Something was acknowledged: the next step is due where nothing is left to send. */
export function advanceShutdown(core: Core, now: number): void {
  const { state } = core;
  if (state.kind !== 'shutdown-pending' && state.kind !== 'shutdown-received') return;
  if (!state.tcb.retransmission.isDone) return;
  if (state.kind === 'shutdown-pending') sendShutdown(core, now, enterClosing(core, now, 'shutdown-sent', state.tcb));
  else sendShutdownAck(core, now, enterClosing(core, now, 'shutdown-ack-sent', state.tcb));
}

function enterClosing(core: Core, now: number, kind: Closing['kind'], tcb: Tcb): Closing {
  const guard = new Timer();
  guard.start(now, guardRtos * core.config.rto.maxMs);
  const closing: Closing = { kind, tcb, t2Shutdown: new BackoffTimer(), t5ShutdownGuard: guard };
  core.state = closing;
  return closing;
}

/** SHUTDOWN (RFC 9260 section 3.3.8): type, flags, length 8, Cumulative TSN Ack. */
function sendShutdown(core: Core, now: number, state: Closing): void {
  const { tcb } = state;
  const value = new Uint8Array(4);
  writeUint32(value, 0, tcb.tracker.wrap(tcb.tracker.cumulativeTsn));
  core.control.push(tcb.peerTag, encodeChunk(chunkType.shutdown, 0, value));
  state.t2Shutdown.start(now, tcb.rto.rtoMs, tcb.rto.maxMs);
}

/** DATA came after our SHUTDOWN: the peer has to hear it again, with what has arrived since. */
export function repeatShutdown(core: Core, now: number): void {
  if (core.state.kind === 'shutdown-sent') sendShutdown(core, now, core.state);
}

export function sendShutdownAck(core: Core, now: number, state: Closing): void {
  core.control.push(state.tcb.peerTag, encodeChunk(chunkType.shutdownAck, 0));
  state.t2Shutdown.start(now, state.tcb.rto.rtoMs, state.tcb.rto.maxMs);
}

export function handleShutdown(core: Core, now: number, data: Uint8Array, at: number, length: number): void {
  const { state } = core;
  if (length < 8) return countDrop(core.counters, 'bad-chunk');
  if (state.kind === 'shutdown-ack-sent') {
    // Ours was lost: the peer asks again.
    sendShutdownAck(core, now, state);
    return;
  }
  if (state.kind === 'closed' || state.kind === 'cookie-wait' || state.kind === 'cookie-echoed') {
    return countDrop(core.counters, 'unexpected-chunk');
  }
  if (!state.tcb.retransmission.handleCumulativeAck(now, readUint32(data, at + 4))) {
    return countDrop(core.counters, 'bad-sack');
  }
  if (state.kind === 'shutdown-sent') {
    // Both began at once.
    sendShutdownAck(core, now, enterClosing(core, now, 'shutdown-ack-sent', state.tcb));
    return;
  }
  core.state = { kind: 'shutdown-received', tcb: state.tcb };
  advanceShutdown(core, now);
}

export function handleShutdownAck(core: Core, now: number, packetTag: number): void {
  const { state } = core;
  if (state.kind === 'shutdown-sent' || state.kind === 'shutdown-ack-sent') {
    core.control.clear();
    core.control.push(state.tcb.peerTag, encodeChunk(chunkType.shutdownComplete, 0), true);
    close(core, now, undefined);
    return;
  }
  if (state.kind === 'closed' || state.kind === 'cookie-wait' || state.kind === 'cookie-echoed') {
    // RFC 9260 sections 8.4 and 8.5.1 E: the peer waits for the end of an association that is gone here.
    core.control.push(packetTag, encodeChunk(chunkType.shutdownComplete, tagReflected), true);
    return;
  }
  countDrop(core.counters, 'unexpected-chunk');
}

export function handleShutdownComplete(core: Core, now: number): void {
  if (core.state.kind !== 'shutdown-ack-sent') return countDrop(core.counters, 'unexpected-chunk');
  close(core, now, undefined);
}

export function handleShutdownTimeout(core: Core, now: number, state: Closing): void {
  const { tcb } = state;
  if (state.t5ShutdownGuard.expired(now)) return giveUp(core, now);
  if (!state.t2Shutdown.expired(now)) return;
  core.counters.timeouts++;
  if (tcb.errorCounter.increment()) return giveUp(core, now);
  if (state.kind === 'shutdown-sent') sendShutdown(core, now, state);
  else sendShutdownAck(core, now, state);
}

function giveUp(core: Core, now: number): void {
  const text = 'the peer did not answer the shutdown';
  abort(core, now, new SctpError('TIMEOUT', text), encodeTextCause(errorCause.protocolViolation, text));
}
