import { type CongestionControlName, congestionControlNames, type SctpLimits } from 'sctp-js';
import { checkInteger, checkWord } from '../check-options.ts';
import type { PeerMachineOptions } from './peer-machine-types.ts';

/** The numbers among the options of a peer, checked and with their defaults. */
export interface PeerConfig {
  readonly maxDatagramBytes: number;
  readonly maxMessageSize: number;
  readonly highWaterBytes: number;
  readonly maxChannels: number;
  readonly connectTimeoutMs: number;
  readonly consentIntervalMs: number;
  readonly consentTimeoutMs: number;
  readonly closeTimeoutMs: number;
  readonly congestionControl: CongestionControlName;
  readonly sctpLimits: SctpLimits;
}

export type PeerConfigOptions = Pick<
  PeerMachineOptions,
  | 'maxDatagramBytes'
  | 'maxMessageSize'
  | 'congestionControl'
  | 'highWaterBytes'
  | 'lowWaterBytes'
  | 'receiveBufferBytes'
  | 'maxChannels'
  | 'connectTimeoutMs'
  | 'consentIntervalMs'
  | 'consentTimeoutMs'
  | 'closeTimeoutMs'
>;

/** DATA_CHANNEL_OPEN with the longest label and protocol (RFC 8832 section 5.1), which no limit may forbid. */
const maxOpenBytes = 12 + 2 * 65_535;
/** What one record holds (RFC 6347 section 4.1) and what protects it. */
const maxDatagramBytes = 16_384 + 13 + 8 + 16;
const maxTimeMs = 2 ** 31 - 1;
const maxSizeBytes = 2 ** 30;

/** Throws TypeError or RangeError, naming the option and what is allowed. */
export function resolvePeerConfig(options: PeerConfigOptions): PeerConfig {
  const maxMessageSize = checkInteger('maxMessageSize', options.maxMessageSize ?? 262_144, 1, maxSizeBytes);
  const highWaterBytes = checkInteger('highWaterBytes', options.highWaterBytes ?? 1 << 20, 1, maxSizeBytes);
  const receiveBufferBytes = options.receiveBufferBytes ?? Math.max(5 << 20, 2 * maxMessageSize);
  return {
    maxDatagramBytes: checkInteger('maxDatagramBytes', options.maxDatagramBytes ?? 1200, 512, maxDatagramBytes),
    maxMessageSize,
    highWaterBytes,
    maxChannels: checkInteger('maxChannels', options.maxChannels ?? 65_535, 1, 65_535),
    connectTimeoutMs: checkInteger('connectTimeoutMs', options.connectTimeoutMs ?? 30_000, 100, maxTimeMs),
    consentIntervalMs: checkInteger('consentIntervalMs', options.consentIntervalMs ?? 5000, 100, maxTimeMs),
    consentTimeoutMs: checkInteger('consentTimeoutMs', options.consentTimeoutMs ?? 30_000, 100, maxTimeMs),
    closeTimeoutMs: checkInteger('closeTimeoutMs', options.closeTimeoutMs ?? 5000, 0, maxTimeMs),
    congestionControl: checkWord('congestionControl', options.congestionControl ?? 'cubic', congestionControlNames),
    sctpLimits: {
      // A message that can't fit would close the window for ever.
      receiveBufferBytes: checkInteger(
        'receiveBufferBytes',
        receiveBufferBytes,
        Math.max(maxMessageSize, maxOpenBytes),
        maxSizeBytes * 2,
      ),
      maxIncomingMessageBytes: Math.max(maxMessageSize, maxOpenBytes),
      highWaterBytes,
      lowWaterBytes: checkInteger('lowWaterBytes', options.lowWaterBytes ?? highWaterBytes >> 1, 0, highWaterBytes - 1),
    },
  };
}
