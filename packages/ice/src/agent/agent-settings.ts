import type { Random } from '@millrace/core';
import type { CryptoProvider } from '@millrace/crypto';
import type { IceOptions } from '../types.ts';

type Durations = 'paceMs' | 'consentIntervalMs' | 'consentTimeoutMs' | 'connectTimeoutMs';

/** What `createIceAgent` makes of its options: checked, with every default filled in. */
export interface AgentSettings extends Required<Pick<IceOptions, Durations>> {
  readonly options: IceOptions;
  readonly random: Random;
  readonly crypto: CryptoProvider;
}
