export type SdpErrorCode =
  /** A line breaks the grammar, stands where it may not, or has a value out of range. */
  | 'SDP_SYNTAX'
  /** The data section lacks what every connection needs. */
  | 'SDP_MISSING_ATTRIBUTE'
  /** No section asks for a data channel over SCTP. */
  | 'SDP_NO_DATA_SECTION'
  /** The data section is there with port 0: the peer declines it. */
  | 'SDP_REJECTED';

/** Why a session description can't be used. Match on `code`. */
export class SdpError extends SyntaxError {
  override readonly name = 'SdpError';
  readonly code: SdpErrorCode;
  /** The line at fault, from 1 on; 0 where it is a line that is missing from the whole text. */
  readonly line: number;

  constructor(code: SdpErrorCode, line: number, message: string) {
    super(line === 0 ? message : `line ${line}: ${message}`);
    this.code = code;
    this.line = line;
  }
}
