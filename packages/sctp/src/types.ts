import type { Machine, Random, Trace } from '@millrace/core';
import type { SctpError } from './errors.ts';
import type { CongestionControlName } from './tx/congestion-control.ts';

export interface SctpLimits {
  /** Bytes of the receive buffer, which is the largest a_rwnd. Default 5 MiB. */
  readonly receiveBufferBytes?: number;
  /** Streams asked for in either direction, 1 to 65535. Default 65535; state exists only for those in use. */
  readonly streams?: number;
  /** `send` answers false from here on. Default 1 MiB. */
  readonly highWaterBytes?: number;
  /** `drain` is raised when the queue falls to this. Default half of `highWaterBytes`. */
  readonly lowWaterBytes?: number;
  /** A larger incoming message ends the association. Default 256 MiB. */
  readonly maxIncomingMessageBytes?: number;
}

export interface AssociationOptions {
  /** Default 5000 each (RFC 8841). */
  readonly localPort?: number;
  readonly remotePort?: number;
  /** Largest SCTP packet in bytes, headers included. Default 1163: what fits 1200 bytes of UDP with DTLS around it. */
  readonly maxPacketBytes?: number;
  /** CUBIC (RFC 9438), or NewReno as RFC 9260 section 7.2 has it. Default 'cubic'. */
  readonly congestionControl?: CongestionControlName;
  /**
   * Leave the checksum of packets at zero where the peer does so, too (RFC 9653). Only over a carrier
   * that finds every damaged packet, as DTLS does. Default false.
   */
  readonly zeroChecksum?: boolean;
  readonly limits?: SctpLimits;
  readonly trace?: Trace;
  /** Draws tags, TSNs and cookie secrets. Callers pass the random of their crypto provider. */
  readonly random: Random;
  /** Bounds of the retransmission time-out. RFC 9260 section 16 defaults: initial and min 1 s, max 60 s. */
  readonly rto?: { readonly initialMs?: number; readonly minMs?: number; readonly maxMs?: number };
}

export interface SendOptions {
  readonly unordered?: boolean;
  /** RFC 3758 with the limited-retransmissions policy: the first transmission and this many more. */
  readonly maxRetransmits?: number;
  /**
   * RFC 3758 timed reliability in ms, counted from `send`, before there is a connection too: what
   * has expired by then is dropped. Retransmissions count from the first transmission, whenever it is.
   */
  readonly lifetimeMs?: number;
}

export type AssociationEvent =
  | { readonly type: 'connected'; readonly outgoingStreams: number; readonly incomingStreams: number }
  /** A whole message. `data` belongs to the receiver of the event and has an ArrayBuffer of its own. */
  | { readonly type: 'message'; readonly streamId: number; readonly ppid: number; readonly data: Uint8Array }
  /** The peer has reset its outgoing streams (our incoming ones). */
  | { readonly type: 'incoming-reset'; readonly streamIds: readonly number[] }
  /** Our outgoing streams are reset: the peer has confirmed. `error` where it refused. */
  | { readonly type: 'outgoing-reset'; readonly streamIds: readonly number[]; readonly error?: SctpError }
  /** The stream's buffered bytes fell from above its threshold to the threshold or below. */
  | { readonly type: 'buffered-low'; readonly streamId: number }
  /** All queued bytes fell to `lowWaterBytes` after `send` had answered false. */
  | { readonly type: 'drain' }
  /**
   * The peer has lost its state and begun again (RFC 9260 section 5.2.4). All streams start from 0,
   * and messages that were partly sent or not yet acknowledged are given up.
   */
  | { readonly type: 'restarted' }
  /** The end: graceful without an error. The object is dead. */
  | { readonly type: 'closed'; readonly error?: SctpError };

export interface AssociationStats {
  readonly packetsSent: number;
  readonly packetsReceived: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly retransmittedChunks: number;
  readonly fastRetransmits: number;
  readonly timeouts: number;
  readonly abandonedMessages: number;
  readonly cwnd: number;
  readonly flightSize: number;
  readonly remoteWindowBytes: number;
  readonly srttMs: number | undefined;
  readonly rtoMs: number;
  /** Dropped packets and chunks by reason. */
  readonly dropped: Readonly<Record<string, number>>;
}

export interface Association extends Machine<AssociationEvent> {
  readonly state:
    | 'closed'
    | 'cookie-wait'
    | 'cookie-echoed'
    | 'established'
    | 'shutdown-pending'
    | 'shutdown-sent'
    | 'shutdown-received'
    | 'shutdown-ack-sent';
  readonly stats: AssociationStats;
  /** Sends INIT. Either side may call it, or both (RFC 9260 section 5.2.1). */
  connect(now: number): void;
  /**
   * Queues a message; the array is the association's until it is acknowledged or abandoned.
   * True: carry on; false: taken, but the queue is above `highWaterBytes`, wait for `drain`.
   * Messages queued before `connected` go out then. Throws SctpError 'CLOSED' once the association
   * is closing, RangeError for a bad stream id, and for empty data (DATA without user data is not
   * allowed; data channels send one zero byte instead).
   */
  send(now: number, streamId: number, ppid: number, data: Uint8Array, options?: SendOptions): boolean;
  /** Bytes not yet acknowledged or abandoned: of one stream, or of all. */
  bufferedBytes(streamId?: number): number;
  setBufferedLowThreshold(streamId: number, bytes: number): void;
  /** Resets outgoing streams after what is queued on them (RFC 6525). */
  resetStreams(now: number, streamIds: readonly number[]): void;
  /** Graceful: sends everything, then SHUTDOWN. */
  shutdown(now: number): void;
  /** Immediate: ABORT with a user-initiated cause. */
  abort(now: number, reason?: string): void;
}
