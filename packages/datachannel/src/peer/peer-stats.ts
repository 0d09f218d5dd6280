import type { CipherSuite, KeyUsage } from '@millrace/dtls';

export type PeerState = 'connecting' | 'connected' | 'closing' | 'closed';

export interface PeerStats {
  readonly state: PeerState;
  /** Where datagrams go, once ICE has found a path. */
  readonly remote: { readonly address: string; readonly port: number } | undefined;
  readonly cipherSuite: CipherSuite | undefined;
  /** Round trip of the last ICE check, in ms. */
  readonly rttMs: number | undefined;
  /** SCTP's smoothed round trip and retransmission time-out, in ms. */
  readonly srttMs: number | undefined;
  readonly rtoMs: number | undefined;
  readonly cwndBytes: number;
  readonly flightBytes: number;
  readonly remoteWindowBytes: number;
  readonly channels: number;
  /** Messages and their bytes of payload, DCEP not counted. */
  readonly messagesSent: number;
  readonly messagesReceived: number;
  readonly messageBytesSent: number;
  readonly messageBytesReceived: number;
  /** Payload given to `send` and not yet acknowledged or abandoned. */
  readonly bufferedBytes: number;
  /** Datagrams of all kinds and their bytes of UDP payload. */
  readonly datagramsSent: number;
  readonly datagramsReceived: number;
  readonly datagramBytesSent: number;
  readonly datagramBytesReceived: number;
  readonly recordsSent: number;
  readonly recordsReceived: number;
  /** What the keys have been used for, once DTLS is up. */
  readonly keyUsage: KeyUsage | undefined;
  readonly retransmittedChunks: number;
  readonly fastRetransmits: number;
  readonly timeouts: number;
  readonly abandonedMessages: number;
  /** What was dropped, by reason; the layer stands before it: 'ice.', 'dtls.', 'sctp.', 'channel.', 'peer.'. */
  readonly dropped: Readonly<Record<string, number>>;
}
