/*
 * Alerts (RFC 5246 section 7.2):
 *
 *     0               1
 *    +---------------+---------------+
 *    |     level     |  description  |
 *    +---------------+---------------+
 */

export const alertLevel: { readonly warning: 1; readonly fatal: 2 } = { warning: 1, fatal: 2 };

/** Bytes of an alert's body. */
export const alertBytes = 2;

const descriptions = {
  close_notify: 0,
  unexpected_message: 10,
  bad_record_mac: 20,
  record_overflow: 22,
  handshake_failure: 40,
  bad_certificate: 42,
  unsupported_certificate: 43,
  certificate_revoked: 44,
  certificate_expired: 45,
  certificate_unknown: 46,
  illegal_parameter: 47,
  unknown_ca: 48,
  access_denied: 49,
  decode_error: 50,
  decrypt_error: 51,
  protocol_version: 70,
  insufficient_security: 71,
  internal_error: 80,
  inappropriate_fallback: 86,
  user_canceled: 90,
  no_renegotiation: 100,
  unsupported_extension: 110,
  unrecognized_name: 112,
  bad_certificate_status_response: 113,
  unknown_psk_identity: 115,
  certificate_required: 116,
  no_application_protocol: 120,
} as const;

/** An alert by its name in the RFC. */
export type AlertName = keyof typeof descriptions;

export interface Alert {
  readonly fatal: boolean;
  /** The RFC's name, or `alert_N` for a number without one. */
  readonly name: string;
}

const names: ReadonlyMap<number, string> = new Map(Object.entries(descriptions).map(([name, code]) => [code, name]));

/** Writes level and description at `at`. */
export function encodeAlert(out: Uint8Array, at: number, fatal: boolean, name: AlertName): void {
  out[at] = fatal ? alertLevel.fatal : alertLevel.warning;
  out[at + 1] = descriptions[name];
}

/** Reads an alert; `undefined` where it is not two bytes or its level is unknown. */
export function decodeAlert(data: Uint8Array, start: number, end: number): Alert | undefined {
  if (end - start !== alertBytes) return undefined;
  const level = data[start]!;
  if (level !== alertLevel.warning && level !== alertLevel.fatal) return undefined;
  const code = data[start + 1]!;
  return { fatal: level === alertLevel.fatal, name: names.get(code) ?? `alert_${code}` };
}
