import type { Fingerprint, VerifyKey } from '@millrace/crypto';
import type { CipherSuiteParameters } from '../cipher-suites.ts';
import type { Config } from '../config.ts';
import type { Failure } from '../failure.ts';
import type { FlightMessage } from '../handshake/flight.ts';
import type { HandshakeMessage } from '../handshake/handshake-message.ts';
import type { Transcript } from '../handshake/transcript.ts';
import type { Randoms } from '../key-schedule.ts';

/** What both hellos settled. */
export interface Negotiated {
  readonly suite: CipherSuiteParameters;
  readonly randoms: Randoms;
  readonly extendedMasterSecret: boolean;
}

/** What protects epoch 1 and feeds exporters. */
export interface Secrets {
  readonly suite: CipherSuiteParameters;
  readonly randoms: Randoms;
  readonly masterSecret: Uint8Array;
  readonly extendedMasterSecret: boolean;
}

/** What the state machine of a role asks of the session around it. */
export interface HandshakeContext {
  readonly config: Config;
  readonly transcript: Transcript;
  readonly remoteFingerprints: readonly Fingerprint[] | undefined;
  /** Replaces the flight; `awaitsAnswer` arms the retransmission timer. */
  sendFlight(messages: readonly FlightMessage[], awaitsAnswer: boolean): void;
  /** Makes the keys of epoch 1 ready: for our flight to come, and for what follows the peer's ChangeCipherSpec. */
  installKeys(secrets: Secrets): void;
  /** Checks the peer's chain against the fingerprints; gives the key to verify its signatures with. */
  acceptCertificate(chain: readonly Uint8Array[]): VerifyKey | Failure;
  /** The peer's Finished was verified. */
  complete(now: number): void;
}

/** The state machine of one role. */
export interface Handshake {
  /** True while a hello may come under any `messageSeq`. */
  readonly awaitsHello: boolean;
  /** Takes the next message in order. A failure ends the session. */
  handleMessage(now: number, message: HandshakeMessage): Failure | undefined;
  /** Zeroes secrets that are still held. */
  destroy(): void;
}
