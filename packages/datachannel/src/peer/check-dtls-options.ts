import { createDtls } from '@millrace/dtls';
import type { PeerMachineOptions } from './peer-machine-types.ts';

export type DtlsPeerOptions = Pick<
  PeerMachineOptions,
  'certificate' | 'cipherSuites' | 'engine' | 'enforceKeyLimits' | 'keyLog' | 'trace'
>;

/**
 * DTLS begins when signaling has described the other side, which is too late to refuse an option.
 * DTLS knows what it allows, so an end is made and forgotten. As a client it takes every certificate.
 *
 * Throws TypeError or RangeError, naming the option and what is allowed.
 */
export function checkDtlsOptions({ certificate, cipherSuites, engine, enforceKeyLimits, keyLog, trace }: DtlsPeerOptions): void {
  createDtls({
    role: 'client',
    certificate,
    onData: () => {},
    ...(cipherSuites === undefined ? {} : { cipherSuites }),
    ...(engine === undefined ? {} : { engine }),
    ...(enforceKeyLimits === undefined ? {} : { enforceKeyLimits }),
    ...(keyLog === undefined ? {} : { keyLog }),
    ...(trace === undefined ? {} : { trace }),
  });
}
