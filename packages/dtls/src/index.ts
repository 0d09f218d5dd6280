export { defaultCipherSuites } from './cipher-suites.ts';
export { createDtls } from './create-dtls.ts';
export { DtlsError, type DtlsErrorCode } from './errors.ts';
export { defaultGroups } from './named-groups.ts';
export type { CipherSuite, Dtls, DtlsEvent, DtlsLimits, DtlsOptions, DtlsStats, KeyUsage } from './types.ts';
