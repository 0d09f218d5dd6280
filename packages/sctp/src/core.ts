import type { Config } from './config.ts';
import type { ControlQueue } from './control-queue.ts';
import { SctpError } from './errors.ts';
import type { EventQueue } from './event-queue.ts';
import { encodeAbort, encodeTextCause, errorCause } from './packet/error-cause.ts';
import { type State, stateTcb } from './state.ts';
import type { Counters } from './stats.ts';
import type { SendQueue } from './tx/send-queue.ts';

/** What the parts of one association share. */
export interface Core {
  readonly config: Config;
  readonly events: EventQueue;
  readonly control: ControlQueue;
  readonly sendQueue: SendQueue;
  readonly counters: Counters;
  /** Keys the state cookies of this association. */
  readonly cookieSecret: Uint8Array;
  state: State;
  /** `shutdown` was called before there was a connection. */
  shutdownWanted: boolean;
}

export function trace(core: Core, now: number, name: string, detail?: Readonly<Record<string, unknown>>): void {
  core.config.trace?.(detail === undefined ? { now, layer: 'sctp', name } : { now, layer: 'sctp', name, detail });
}

/** The association is over: one last event, and nothing is kept. What waits in the control queue still goes out. */
export function close(core: Core, now: number, error: SctpError | undefined): void {
  if (core.state.kind === 'closed' && !core.state.fresh) return;
  trace(core, now, 'closed', error === undefined ? undefined : { code: error.code, message: error.message });
  core.state = { kind: 'closed', fresh: false };
  core.events.held = false;
  core.events.push(error === undefined ? { type: 'closed' } : { type: 'closed', error });
  core.sendQueue.clear();
  core.cookieSecret.fill(0);
}

/** Ends the association with an ABORT that carries `cause`. */
export function abort(core: Core, now: number, error: SctpError, cause: Uint8Array): void {
  const tcb = stateTcb(core.state);
  core.control.clear();
  if (tcb !== undefined) core.control.push(tcb.peerTag, encodeAbort([cause]));
  close(core, now, error);
}

/** Ends the association for a breach of the protocol, with an ABORT that says which. */
export function abortViolation(core: Core, now: number, text: string): void {
  const error = new SctpError('PROTOCOL_VIOLATION', text, errorCause.protocolViolation);
  abort(core, now, error, encodeTextCause(errorCause.protocolViolation, text));
}
