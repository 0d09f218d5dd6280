/** Counters that components share with the association's `stats`. */
export interface TransmitCounters {
  retransmittedChunks: number;
  fastRetransmits: number;
  timeouts: number;
}

export interface Counters extends TransmitCounters {
  packetsSent: number;
  packetsReceived: number;
  bytesSent: number;
  bytesReceived: number;
  readonly dropped: Record<string, number>;
}

export function createCounters(): Counters {
  return {
    retransmittedChunks: 0,
    fastRetransmits: 0,
    timeouts: 0,
    packetsSent: 0,
    packetsReceived: 0,
    bytesSent: 0,
    bytesReceived: 0,
    dropped: {},
  };
}

/** Counts something dropped. `reason` is one of ours, so the record stays small. */
export function countDrop(counters: Counters, reason: string): void {
  counters.dropped[reason] = (counters.dropped[reason] ?? 0) + 1;
}
