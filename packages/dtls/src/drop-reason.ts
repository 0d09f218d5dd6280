/** Why a record, a fragment or a whole datagram was dropped; the keys of `DtlsStats.dropped`. */
export type DropReason =
  /** The first byte of the datagram is outside 20 to 63 (RFC 7983 section 7). */
  | 'not-dtls'
  | 'truncated-record'
  | 'oversized-record'
  | 'unknown-content-type'
  | 'wrong-version'
  | 'wrong-epoch'
  | 'bad-mac'
  /** Seen before, or older than the replay window. */
  | 'replayed'
  | 'malformed-handshake'
  | 'malformed-alert'
  | 'malformed-change-cipher-spec'
  /** A handshake message that was taken before. */
  | 'handshake-repeated'
  | 'handshake-too-far'
  | 'handshake-too-large'
  | 'handshake-conflict'
  /** Came to a server that has not seen a ClientHello. */
  | 'before-hello'
  /** A hello that does not belong to the present handshake. */
  | 'foreign-hello'
  /** Came ahead of its keys while the buffer for such records was full. */
  | 'too-early'
  /** An alert that anyone could have sent, after the keys are there. */
  | 'unauthenticated-alert'
  | 'renegotiation'
  | 'closed';
