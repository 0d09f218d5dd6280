import type { BackoffTimer, Timer } from '@millrace/core';
import type { Tcb } from './tcb.ts';

/** Our half of the handshake: what our INIT says of us, also in an INIT ACK while both sides call. */
export interface LocalHandshake {
  readonly tag: number;
  readonly initialTsn: number;
}

/** States of RFC 9260 section 4 with what belongs to each: a timer can't outlive its state. */
export type State =
  | {
      readonly kind: 'closed';
      /** It was never open, and may be. False at the end. */
      readonly fresh: boolean;
    }
  | {
      readonly kind: 'cookie-wait';
      readonly local: LocalHandshake;
      readonly init: Uint8Array;
      readonly t1Init: BackoffTimer;
      /** The peer found our cookie stale: what was sent behind it is kept. */
      readonly earlier: Tcb | undefined;
    }
  | {
      readonly kind: 'cookie-echoed';
      readonly local: LocalHandshake;
      readonly tcb: Tcb;
      readonly cookieEcho: Uint8Array;
      readonly t1Cookie: BackoffTimer;
    }
  | { readonly kind: 'established' | 'shutdown-pending' | 'shutdown-received'; readonly tcb: Tcb }
  | {
      readonly kind: 'shutdown-sent' | 'shutdown-ack-sent';
      readonly tcb: Tcb;
      readonly t2Shutdown: BackoffTimer;
      /** RFC 9260 section 9.2: the whole shutdown has an end. */
      readonly t5ShutdownGuard: Timer;
    };

/** The connection's data, in the states that have any. */
export function stateTcb(state: State): Tcb | undefined {
  return state.kind === 'closed' || state.kind === 'cookie-wait' ? undefined : state.tcb;
}
