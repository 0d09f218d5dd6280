/** Numbers of STUN (RFC 8489 section 18) and of its ICE usage (RFC 8445 section 16). */
export const stun = {
  headerBytes: 20,
  transactionIdBytes: 12,
  integrityBytes: 20,
  magicCookie: 0x2112_a442,
  fingerprintXor: 0x5354_554e,
} as const;

/** The first 16 bits of a Binding message, by class (RFC 8489 section 5). */
export const bindingType = {
  request: 0x0001,
  indication: 0x0011,
  success: 0x0101,
  error: 0x0111,
} as const;

export const attributeType = {
  mappedAddress: 0x0001,
  username: 0x0006,
  messageIntegrity: 0x0008,
  errorCode: 0x0009,
  unknownAttributes: 0x000a,
  realm: 0x0014,
  nonce: 0x0015,
  messageIntegritySha256: 0x001c,
  passwordAlgorithm: 0x001d,
  userhash: 0x001e,
  xorMappedAddress: 0x0020,
  priority: 0x0024,
  useCandidate: 0x0025,
  fingerprint: 0x8028,
  iceControlled: 0x8029,
  iceControlling: 0x802a,
} as const;

export const errorCode = {
  badRequest: 400,
  unknownAttribute: 420,
  roleConflict: 487,
} as const;
