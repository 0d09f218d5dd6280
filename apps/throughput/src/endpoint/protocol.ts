/*
 * What the demo and its two endpoint processes say to each other over Node's IPC. The first message
 * to an endpoint is its Assignment, then come Commands; back come Reports.
 */
import type { DemoEngine } from '../engines.ts';
import type { Suite } from '../suites.ts';
import type { Lap } from './stopwatch.ts';

export type Role = 'sender' | 'receiver';

export interface Assignment {
  readonly role: Role;
  readonly suite: Suite;
  readonly engine: DemoEngine;
  readonly messageSize: number;
  readonly datagramBytes: number;
  /** The WebSocket over which the two exchange offer and answer. */
  readonly signalingUrl: string;
  /** Sender: the file to send; receiver: where it goes. */
  readonly filePath?: string;
}

/** Ends a full-speed run: whichever comes first, or the end of the file. */
export interface Limit {
  readonly bytes?: number;
  readonly durationMs?: number;
}

/** All but `costRecords` and `close` go to the sender alone: it leads the receiver over the channel. */
export type Command =
  | { readonly type: 'warmUp'; readonly durationMs: number }
  | { readonly type: 'fullSpeed'; readonly limit: Limit }
  | { readonly type: 'sameLoad'; readonly bytesPerSecond: number; readonly settleMs: number; readonly durationMs: number }
  | { readonly type: 'costRecords' }
  | { readonly type: 'close' };

/** What an end knows of a full-speed run. */
export interface Transfer extends Lap {
  readonly type: 'fullSpeed';
  readonly bytes: number;
  /** SHA-256 of what was sent or arrived, in hexadecimal. */
  readonly sha256: string;
}

export interface TransferReport extends Transfer {
  /** Of both directions, since the connection began: records that were protected together, on average. */
  readonly recordsPerFlush: number;
}

export interface LoadReport extends Lap {
  readonly type: 'sameLoad';
  readonly bytes: number;
}

export interface RecordCostReport {
  readonly type: 'recordCost';
  /** Sender: of sealing; receiver: of opening. */
  readonly nsPerRecord: number;
  /** Bytes allocated, on V8's heap and outside. */
  readonly bytesPerRecord: number;
}

export interface ProgressReport {
  readonly type: 'progress';
  /** Since the process began. */
  readonly bytes: number;
  readonly cpuUs: number;
  /** On the process's own monotonic clock. */
  readonly atMs: number;
}

export type Report =
  | { readonly type: 'connected'; readonly cipherSuite: string }
  | { readonly type: 'warmedUp' }
  | TransferReport
  | LoadReport
  | RecordCostReport
  | ProgressReport
  | { readonly type: 'failed'; readonly message: string };
