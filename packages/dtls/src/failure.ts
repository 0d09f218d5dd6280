import type { AlertName } from './alerts.ts';
import type { DtlsErrorCode } from './errors.ts';

/** Why a handshake ends: the alert that the peer is told, and the error that the caller gets. */
export interface Failure {
  readonly alert: AlertName;
  readonly message: string;
  readonly code: DtlsErrorCode;
}

export function failure(alert: AlertName, message: string, code: DtlsErrorCode = 'HANDSHAKE_FAILED'): Failure {
  return { alert, message, code };
}

export function isFailure(value: object): value is Failure {
  return 'alert' in value;
}
