// The package has no types of its own.
// @ts-expect-error untyped
import { parse } from 'sdp-transform';

interface OracleFingerprint {
  readonly type: string;
  readonly hash: string;
}

/** What the tests look at of sdp-transform's result. */
export interface OracleDescription {
  readonly icelite?: string;
  readonly fingerprint?: OracleFingerprint;
  readonly media: readonly {
    readonly type: string;
    readonly port: number;
    readonly protocol: string;
    readonly payloads: string | number;
    readonly mid?: string | number;
    readonly iceUfrag?: string | number;
    readonly icePwd?: string;
    readonly setup?: string;
    readonly sctpPort?: number;
    readonly maxMessageSize?: number;
    readonly fingerprint?: OracleFingerprint;
    readonly candidates?: readonly { readonly port: number }[];
  }[];
}

/** Reads a description with sdp-transform. */
export function parseWithOracle(text: string): OracleDescription {
  return (parse as (text: string) => OracleDescription)(text);
}
