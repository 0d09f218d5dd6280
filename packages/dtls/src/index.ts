export type { CipherSuite, Dtls, DtlsEvent, DtlsOptions, DtlsStats } from './types.ts';
export { DtlsError, type DtlsErrorCode } from './errors.ts';
