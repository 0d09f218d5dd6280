export type DtlsErrorCode =
  | 'NOT_CONNECTED'
  /** The peer ended the handshake or the connection with a fatal alert; `alert` names it. */
  | 'ALERT_RECEIVED'
  /** The peer broke the protocol, or nothing was found in common; `alert` is what we sent. */
  | 'HANDSHAKE_FAILED'
  | 'FINGERPRINT_MISMATCH'
  | 'TIMEOUT'
  /** The peer does not know the extended master secret, so nothing may be exported (RFC 7627 section 5.4). */
  | 'EXPORT_REFUSED'
  /** The sequence numbers of the epoch are used up. */
  | 'SEQUENCE_EXHAUSTED'
  /** The sealing key has encrypted as much as it may, and `enforceKeyLimits` is set. */
  | 'KEY_LIMIT_REACHED';

/** The one error class of this package. Match on `code`. */
export class DtlsError extends Error {
  override readonly name = 'DtlsError';
  readonly code: DtlsErrorCode;
  /** The alert sent or received, by its RFC name, where there was one. */
  readonly alert: string | undefined;

  constructor(code: DtlsErrorCode, message: string, alert?: string) {
    super(message);
    this.code = code;
    this.alert = alert;
  }
}
