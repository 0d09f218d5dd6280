/** From the driver of a run to an endpoint. */
export type Command =
  | { readonly type: 'offer' }
  | { readonly type: 'answer'; readonly sdp: string }
  | { readonly type: 'accept'; readonly sdp: string }
  /** Sender: begin to send, without end. */
  | { readonly type: 'send'; readonly messageBytes: number }
  /** Begin, or end, the measured interval. */
  | { readonly type: 'mark' }
  | { readonly type: 'close' };

/** From an endpoint to the driver. */
export type Report =
  | { readonly type: 'ready' }
  | { readonly type: 'sdp'; readonly sdp: string }
  | { readonly type: 'open' }
  | ({ readonly type: 'mark' } & Sample)
  | { readonly type: 'failed'; readonly reason: string };

/** What an endpoint has seen since it began. */
export interface Sample {
  /** ms on the endpoint's own clock. */
  readonly atMs: number;
  /** Payload received. */
  readonly bytes: number;
  /** User and system time of the process. */
  readonly cpuMs: number;
}
