import type { Fingerprint } from '@millrace/crypto';
import type { Candidate } from '@millrace/ice';

/** RFC 4145 section 4. What an offer says; an answer says active or passive (RFC 5763 section 5). */
export type Setup = 'actpass' | 'active' | 'passive';

/** An `m=` section as an answer has to mirror it. */
export interface MediaSection {
  readonly kind: string;
  readonly port: number;
  readonly protocol: string;
  readonly formats: readonly string[];
  /** RFC 5888; `undefined` where the peer wrote none. */
  readonly mid: string | undefined;
  /** RFC 9143 section 6: its port 0 doesn't mean that it is rejected. */
  readonly isBundleOnly: boolean;
}

/** What an offer or answer says about its data section, session-level defaults applied. */
export interface SessionDescription {
  /** All sections in their order. */
  readonly sections: readonly MediaSection[];
  /** Which of them is the data section. */
  readonly dataIndex: number;
  readonly mid: string | undefined;
  /** The mids of the BUNDLE group that the data section is in; empty where it is in none. */
  readonly bundle: readonly string[];
  readonly iceUfrag: string;
  readonly icePwd: string;
  readonly iceLite: boolean;
  readonly iceOptions: readonly string[];
  /** Whether candidates may follow (RFC 8840). */
  readonly trickle: boolean;
  /** One at least. */
  readonly fingerprints: readonly Fingerprint[];
  readonly setup: Setup;
  readonly tlsId: string | undefined;
  readonly sctpPort: number;
  /** The largest message the peer takes, in bytes; 0 means any (RFC 8841 section 6.1). */
  readonly maxMessageSize: number;
  readonly candidates: readonly Candidate[];
  readonly endOfCandidates: boolean;
}

/** What this side says of itself in an offer or answer. */
export interface LocalDescription {
  /** Digits, below 2^63 (RFC 8829 section 5.2.1); the same in all descriptions of a session. */
  readonly sessionId: string;
  /** Counts the descriptions of a session up. Default 1. */
  readonly sessionVersion?: number;
  readonly iceUfrag: string;
  readonly icePwd: string;
  readonly iceLite?: boolean;
  /** Whether candidates may follow. Default true. */
  readonly trickle?: boolean;
  /** One at least. */
  readonly fingerprints: readonly Fingerprint[];
  /**
   * Default: `actpass` in an offer, in an answer what the offer leaves; where it leaves both,
   * `active` (RFC 5763 section 5).
   */
  readonly setup?: Setup;
  /** Default 5000. */
  readonly sctpPort?: number;
  /** Bytes; 0 means any size. Default 262144. */
  readonly maxMessageSize?: number;
  /** Default none. */
  readonly candidates?: readonly Candidate[];
  readonly endOfCandidates?: boolean;
}
