import { Cubic } from './cubic.ts';
import { NewReno } from './new-reno.ts';

/**
 * How many bytes may be in flight. It knows bytes, events and the time; which chunks are in flight is
 * not its business.
 *
 * Three departures from RFC 9260 section 7.2 are common to all: the first window is ten packets (RFC
 * 6928); slow start grows by all bytes that a SACK acknowledges rather than by one packet per SACK,
 * because receivers share a SACK among packets; and there is no Max.Burst, which would stall a sender
 * whose SACKs are sparse.
 */
export interface CongestionControl {
  /** Bytes that may be in flight. */
  readonly cwnd: number;
  /**
   * A SACK advanced the cumulative TSN ack outside fast recovery and acknowledged `bytes`, with
   * `flightBefore` in flight before it. `rttMs` is the smoothed round trip.
   */
  handleAcked(now: number, bytes: number, flightBefore: number, rttMs: number): void;
  /** Everything is acknowledged. */
  handleAllAcked(): void;
  /** On entering fast recovery (RFC 9260 section 7.2.4). */
  handleFastRetransmit(): void;
  /** T3-rtx ran out (section 7.2.3); `isRepeated` where it did before and nothing was acknowledged since. */
  handleTimeout(isRepeated: boolean): void;
  /** Nothing was sent for so many RTOs (section 7.2.1). */
  handleIdle(idleRtos: number): void;
}

export type CongestionControlName = 'cubic' | 'newreno';

export const congestionControlNames: readonly CongestionControlName[] = ['cubic', 'newreno'];

export function createCongestionControl(name: CongestionControlName, maxPacketBytes: number): CongestionControl {
  return name === 'cubic' ? new Cubic(maxPacketBytes) : new NewReno(maxPacketBytes);
}
