import type { LinkOptions } from './link.ts';

export type NetworkProfile =
  | 'max-burst'
  | 'unordered'
  | 'long-path'
  | 'wide-jitter'
  | 'congestion'
  | 'retransmission'
  | 'reorder-low'
  | 'reorder-high'
  | 'burst-loss';

/** Network conditions by name, each for one direction. */
export const networkProfiles: Readonly<Record<NetworkProfile, LinkOptions>> = {
  'max-burst': {},
  unordered: { delayMs: 10, jitterMs: 10 },
  'long-path': { delayMs: 180, jitterMs: 60 },
  'wide-jitter': { delayMs: 40, jitterMs: 180 },
  congestion: { delayMs: 60, jitterMs: 40, loss: 0.02 },
  retransmission: { delayMs: 40, jitterMs: 20, loss: 0.05 },
  'reorder-low': { delayMs: 15, jitterMs: 25, loss: 0.015 },
  'reorder-high': { delayMs: 140, jitterMs: 120, loss: 0.025 },
  'burst-loss': { delayMs: 50, jitterMs: 50, loss: 0.04 },
};
