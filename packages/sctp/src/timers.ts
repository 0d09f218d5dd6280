import { handleConnectTimeout } from './connect.ts';
import { abort, type Core } from './core.ts';
import { SctpError } from './errors.ts';
import { encodeTextCause, errorCause } from './packet/error-cause.ts';
import { handleShutdownTimeout } from './shutdown.ts';
import { type State, stateTcb } from './state.ts';
import type { Tcb } from './tcb.ts';

/** The earliest deadline among the state's own timers and those of the connection. */
export function associationDeadline(state: State): number {
  switch (state.kind) {
    case 'closed':
      return Number.POSITIVE_INFINITY;
    case 'cookie-wait':
      return state.t1Init.deadline;
    case 'cookie-echoed':
      // The connection's own timers matter once the peer is known to have it.
      return state.t1Cookie.deadline;
    case 'shutdown-sent':
    case 'shutdown-ack-sent':
      return Math.min(tcbDeadline(state.tcb), state.t2Shutdown.deadline, state.t5ShutdownGuard.deadline);
    default:
      return tcbDeadline(state.tcb);
  }
}

function tcbDeadline(tcb: Tcb): number {
  return Math.min(tcb.retransmission.deadline, tcb.tracker.policy.deadline, tcb.heartbeat.deadline, tcb.streamReset.deadline);
}

export function handleTimers(core: Core, now: number): void {
  const { state } = core;
  handleConnectTimeout(core, now, state);
  const tcb = stateTcb(core.state);
  if (tcb === undefined || core.state.kind === 'cookie-echoed') return;
  tcb.tracker.policy.handleTimeout(now);
  let failures = 0;
  if (tcb.retransmission.handleTimeout(now)) failures++;
  if (tcb.heartbeat.handleTimeout(now, (chunk) => core.control.push(tcb.peerTag, chunk))) failures++;
  if (tcb.streamReset.handleTimeout(now)) failures++;
  for (; failures > 0; failures--) {
    if (!tcb.errorCounter.increment()) continue;
    const text = 'the peer does not answer';
    abort(core, now, new SctpError('TIMEOUT', text), encodeTextCause(errorCause.protocolViolation, text));
    return;
  }
  if (core.state.kind === 'shutdown-sent' || core.state.kind === 'shutdown-ack-sent')
    handleShutdownTimeout(core, now, core.state);
}
