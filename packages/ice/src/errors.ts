export type IceErrorCode =
  /** No candidate pair worked within the time allowed. */
  | 'CONNECT_FAILED'
  /** The peer stopped answering consent checks (RFC 7675). */
  | 'CONSENT_LOST';

/** The one error class of this package. Match on `code`. */
export class IceError extends Error {
  override readonly name = 'IceError';
  readonly code: IceErrorCode;

  constructor(code: IceErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
