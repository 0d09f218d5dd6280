/**
 * The contract that every protocol machine keeps.
 *
 * A machine does no I/O, reads no clock, starts no timer and draws no randomness of its own: it is
 * told the time, it is handed datagrams, and it is asked for what it wants to send. The same code
 * therefore runs in Node, in a page, and in a simulator with a virtual clock and a seed.
 *
 * `now` is always milliseconds on the caller's monotonic clock. Byte ranges are passed as
 * `(data, start, end)` rather than as views, because a view costs an allocation per packet.
 *
 * After any call that changes a machine, the driver drains it: `pollEvent` until `undefined`,
 * `pollTransmit` until 0, then `pollTimeout` once. Only the driver's drain loop runs application
 * code, so a machine is never re-entered.
 */
export interface Machine<E> {
  /**
   * Takes one datagram. The bytes are borrowed until the call returns (until the record queue's
   * flush, where a machine shares one) and may be decrypted in place. Never throws on content:
   * noise is dropped and counted.
   */
  handleDatagram(now: number, data: Uint8Array, start: number, end: number): void;
  /** Runs what is due at `now`. An early call does nothing. */
  handleTimeout(now: number): void;
  /**
   * Writes one datagram into `out[start, end)` and returns its length in bytes; 0 means there is
   * nothing to send. The buffer is the caller's. Its answer may change after every other call.
   */
  pollTransmit(now: number, out: Uint8Array, start: number, end: number): number;
  /** When `handleTimeout` is wanted, on the caller's clock in ms; `Infinity` means never. */
  pollTimeout(): number;
  /** The oldest event not yet taken, or `undefined`. */
  pollEvent(): E | undefined;
}

/** Why something happened, for logs and tests. Machines call it only where one was injected. */
export type Trace = (event: TraceEvent) => void;

export interface TraceEvent {
  /** ms on the caller's clock. */
  readonly now: number;
  /** The layer that speaks: 'ice', 'dtls', 'sctp', 'channel'. */
  readonly layer: string;
  /** A stable, kebab-case name of what happened. */
  readonly name: string;
  /** Plain details; no buffers that the machine reuses. */
  readonly detail?: Readonly<Record<string, unknown>>;
}
