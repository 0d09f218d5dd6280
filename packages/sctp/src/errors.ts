export type SctpErrorCode =
  /** The association is closed or closing. */
  | 'CLOSED'
  /** The peer sent ABORT; `causeCode` is its first error cause. */
  | 'ABORTED'
  /** The peer did not answer within the allowed retransmissions. */
  | 'TIMEOUT'
  /** The peer broke the protocol; we sent ABORT. */
  | 'PROTOCOL_VIOLATION'
  /** A limit of ours was exceeded by the peer. */
  | 'LIMIT_EXCEEDED'
  | 'RESET_FAILED'
  /** `abort` was called on this side. */
  | 'USER_ABORT';

/** The one error class of this package. Match on `code`. */
export class SctpError extends Error {
  override readonly name = 'SctpError';
  readonly code: SctpErrorCode;
  /** The error cause of an ABORT (RFC 9260 section 3.3.10), where there was one. */
  readonly causeCode: number | undefined;

  constructor(code: SctpErrorCode, message: string, causeCode?: number) {
    super(message);
    this.code = code;
    this.causeCode = causeCode;
  }
}
