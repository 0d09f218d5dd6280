/** Chunk types (RFC 9260 section 3.2, RFC 3758, RFC 6525). */
export const chunkType = {
  data: 0,
  init: 1,
  initAck: 2,
  sack: 3,
  heartbeat: 4,
  heartbeatAck: 5,
  abort: 6,
  shutdown: 7,
  shutdownAck: 8,
  error: 9,
  cookieEcho: 10,
  cookieAck: 11,
  shutdownComplete: 14,
  reConfig: 130,
  forwardTsn: 192,
} as const;
