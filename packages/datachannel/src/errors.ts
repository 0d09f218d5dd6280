export type ChannelErrorCode =
  /** The channel is closing or closed. */
  | 'CHANNEL_CLOSED'
  /** The peer reset the stream in answer to DATA_CHANNEL_OPEN. */
  | 'OPEN_REFUSED'
  /** The association has fewer streams than the channel's id needs, or no id is left. */
  | 'NO_STREAM'
  | 'ID_IN_USE'
  | 'TOO_MANY_CHANNELS'
  /** A message that was queued before the peer's limit was known is larger than that limit. */
  | 'MESSAGE_TOO_LARGE'
  /** The peer opened a channel on a stream that was in use. */
  | 'PROTOCOL_VIOLATION'
  /** The peer did not agree to reset the channel's stream. */
  | 'RESET_FAILED'
  /** This side closed the peer, or the server. */
  | 'PEER_CLOSED'
  /**
   * The other side ended the connection at once, as a browser's `close()` does, or while something
   * was left to deliver to it.
   */
  | 'REMOTE_CLOSED'
  /** The other side stopped answering consent checks (RFC 7675). */
  | 'CONSENT_LOST'
  /** A newer connection between the same two addresses and ports took the place of this one. */
  | 'REPLACED'
  /** No connection came about in time. */
  | 'CONNECT_FAILED'
  /** The DTLS handshake or connection failed; `cause` says how. */
  | 'DTLS_FAILED'
  /** The SCTP association failed; `cause` says how. */
  | 'SCTP_FAILED'
  /** `accept` or `addRemoteCandidate` came where it does not fit. */
  | 'WRONG_STATE'
  /** The offer or answer can't be used. */
  | 'INVALID_SDP'
  | 'TOO_MANY_PEERS'
  | 'SERVER_CLOSED'
  /** A bug of this library ended this peer; `cause` is the InternalError. */
  | 'INTERNAL';

/** The one error class of this package. Match on `code`. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError';
  readonly code: ChannelErrorCode;

  constructor(code: ChannelErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
