import type { Core } from './core.ts';
import { Heartbeat } from './heartbeat.ts';
import { DataTracker } from './rx/data-tracker.ts';
import { ReassemblyQueue } from './rx/reassembly-queue.ts';
import { StreamReset } from './stream-reset.ts';
import { ErrorCounter } from './tx/error-counter.ts';
import { RetransmissionQueue } from './tx/retransmission-queue.ts';
import { Rto } from './tx/rto.ts';

/** What the handshake settles. */
export interface TcbParameters {
  /** Our tag: the peer puts it on its packets. */
  readonly localTag: number;
  readonly localInitialTsn: number;
  readonly peerTag: number;
  readonly peerInitialTsn: number;
  readonly peerARwnd: number;
  readonly outgoingStreams: number;
  readonly incomingStreams: number;
  readonly forwardTsn: boolean;
  readonly reConfig: boolean;
  /** Both ends leave the checksum to DTLS. */
  readonly zeroChecksum: boolean;
}

/** The transmission control block: all that is known of a connection, and its parts (RFC 9260 section 14). */
export interface Tcb extends TcbParameters {
  readonly rto: Rto;
  readonly errorCounter: ErrorCounter;
  readonly tracker: DataTracker;
  readonly reassembly: ReassemblyQueue;
  readonly retransmission: RetransmissionQueue;
  readonly heartbeat: Heartbeat;
  readonly streamReset: StreamReset;
  /** The last a_rwnd that we have sent. */
  advertisedBytes: number;
}

/** `earlier` is one under the same local tag and initial TSN: what it has sent stays under way. */
export function createTcb(core: Core, now: number, parameters: TcbParameters, earlier?: Tcb): Tcb {
  const { config, events, sendQueue, counters } = core;
  const rto = earlier?.rto ?? new Rto(config.rto);
  const tracker = new DataTracker(parameters.peerInitialTsn);
  const reassembly = new ReassemblyQueue(
    (streamId, ppid, data) => events.push({ type: 'message', streamId, ppid, data }),
    config.maxIncomingMessageBytes,
  );
  const retransmission =
    earlier?.retransmission ??
    new RetransmissionQueue(sendQueue, rto, counters, {
      maxPacketBytes: config.maxPacketBytes,
      congestionControl: config.congestionControl,
      initialTsn: parameters.localInitialTsn,
      partialReliability: parameters.forwardTsn,
    });
  retransmission.setRemoteWindow(parameters.peerARwnd);
  return {
    ...parameters,
    rto,
    errorCounter: new ErrorCounter(),
    tracker,
    reassembly,
    retransmission,
    heartbeat: new Heartbeat(now, rto, config.random),
    streamReset: new StreamReset({ ...parameters, events, sendQueue, retransmission, tracker, reassembly, rto }),
    advertisedBytes: config.receiveBufferBytes,
  };
}

/**
 * What we can still take: the buffer less what waits in it, received messages that the application
 * has not taken included. The message that is open in sequence counts for half the buffer at most,
 * or one larger than the buffer could never arrive; it has a limit of its own.
 */
export function receiveWindow(core: Core, tcb: Tcb): number {
  const buffer = core.config.receiveBufferBytes;
  const open = Math.min(tcb.reassembly.openBytes, buffer >>> 1);
  return Math.max(0, buffer - open - tcb.reassembly.storedBytes - core.events.messageBytes);
}
