/** Which end of the DTLS handshake this one is: decided by `a=setup` (RFC 8842 section 5). */
export type DtlsRole = 'client' | 'server';
