import type { IceAgent, Path } from '@millrace/ice';
import type { ChannelManager } from '../channel/channel-manager.ts';
import type { Transport } from '../transport/transport.ts';
import type { PeerState, PeerStats } from './peer-stats.ts';

/** What a peer counts itself, and its layers' counters beside that. */
export class PeerCounters {
  #datagramsSent = 0;
  #datagramsReceived = 0;
  #datagramBytesSent = 0;
  #datagramBytesReceived = 0;
  readonly #dropped: Record<string, number> = {};

  countSent(bytes: number): void {
    this.#datagramsSent++;
    this.#datagramBytesSent += bytes;
  }

  countReceived(bytes: number): void {
    this.#datagramsReceived++;
    this.#datagramBytesReceived += bytes;
  }

  drop(reason: string): void {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + 1;
  }

  stats(
    state: PeerState,
    path: Path | undefined,
    ice: IceAgent,
    transport: Transport | undefined,
    channels: ChannelManager,
  ): PeerStats {
    const sctp = transport?.association?.stats;
    const dtls = transport?.dtls;
    return {
      state,
      remote: path === undefined ? undefined : { address: path.remote.address, port: path.remote.port },
      cipherSuite: dtls?.cipherSuite,
      rttMs: ice.stats.rttMs,
      srttMs: sctp?.srttMs,
      rtoMs: sctp?.rtoMs,
      cwndBytes: sctp?.cwnd ?? 0,
      flightBytes: sctp?.flightSize ?? 0,
      remoteWindowBytes: sctp?.remoteWindowBytes ?? 0,
      channels: channels.count,
      messagesSent: channels.outbox.messagesSent,
      messagesReceived: channels.messagesReceived,
      messageBytesSent: channels.outbox.messageBytesSent,
      messageBytesReceived: channels.messageBytesReceived,
      bufferedBytes: channels.bufferedBytes,
      datagramsSent: this.#datagramsSent,
      datagramsReceived: this.#datagramsReceived,
      datagramBytesSent: this.#datagramBytesSent,
      datagramBytesReceived: this.#datagramBytesReceived,
      recordsSent: dtls?.stats.recordsSent ?? 0,
      recordsReceived: dtls?.stats.recordsReceived ?? 0,
      keyUsage: dtls?.stats.keyUsage === undefined ? undefined : { ...dtls.stats.keyUsage },
      retransmittedChunks: sctp?.retransmittedChunks ?? 0,
      fastRetransmits: sctp?.fastRetransmits ?? 0,
      timeouts: sctp?.timeouts ?? 0,
      abandonedMessages: sctp?.abandonedMessages ?? 0,
      dropped: {
        ...prefixed('peer', this.#dropped),
        ...prefixed('ice', ice.stats.dropped),
        ...prefixed('dtls', dtls?.stats.dropped),
        ...prefixed('sctp', sctp?.dropped),
        ...prefixed('channel', channels.dropped),
      },
    };
  }
}

function prefixed(layer: string, dropped: Readonly<Record<string, number>> = {}): Record<string, number> {
  return Object.fromEntries(
    Object.entries(dropped)
      .filter(([, count]) => count > 0)
      .map(([reason, count]) => [`${layer}.${reason}`, count]),
  );
}
