/** RFC 6928, in place of the four packets of RFC 9260 section 7.2.1. */
export const firstPackets = 10;
/** RFC 9260 sections 7.2.3 and 7.2.4: ssthresh is no less. */
export const minPackets = 4;

/** Growth by the bytes that are acknowledged, past ssthresh by one packet at most (RFC 9260 section 7.2.1). */
export function growInSlowStart(cwnd: number, ssthresh: number, bytes: number, mtu: number): number {
  return Math.min(cwnd + bytes, Math.max(ssthresh, cwnd + mtu));
}

/** The window is halved once per RTO in which nothing was sent, but not below where it began (RFC 9260 section 7.2.1). */
export function windowAfterIdle(cwnd: number, idleRtos: number, mtu: number): number {
  const floor = Math.min(cwnd, firstPackets * mtu);
  return Math.max(floor, cwnd / 2 ** Math.min(idleRtos, 30));
}
