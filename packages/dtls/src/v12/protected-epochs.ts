import { createRecordCipher } from '@millrace/crypto';
import type { Config } from '../config.ts';
import { DtlsError } from '../errors.ts';
import { deriveKeyBlock } from '../key-schedule.ts';
import { KeyUsageCounter } from '../record/key-usage.ts';
import { ReadEpoch } from '../record/read-epoch.ts';
import { WriteEpoch } from '../record/write-epoch.ts';
import type { Secrets } from './handshake-context.ts';

/** Sequence numbers that application data leaves to alerts and to a repeated last flight. */
const reservedSequenceNumbers = 8;

/** Epoch 1 in both directions, and what its keys are used for. */
export interface ProtectedEpochs {
  readonly write: WriteEpoch;
  readonly read: ReadEpoch;
  readonly usage: KeyUsageCounter;
}

/** Derives the keys of epoch 1 (RFC 5246 section 6.3). */
export function createProtectedEpochs(config: Config, secrets: Secrets): ProtectedEpochs {
  const { engine, keyStart } = config;
  const { algorithm } = secrets.suite;
  const block = deriveKeyBlock(config.crypto, secrets.suite, secrets.masterSecret, secrets.randoms);
  const [ours, theirs] = config.role === 'client' ? [block.client, block.server] : [block.server, block.client];
  const usage = new KeyUsageCounter(algorithm, keyStart.sealedBlocks);
  const sealing = createRecordCipher({ algorithm, key: ours.key, iv: ours.salt, engine });
  const opening = createRecordCipher({ algorithm, key: theirs.key, iv: theirs.salt, engine });
  block.destroy();
  return {
    write: new WriteEpoch(1, sealing, keyStart.sequenceNumber, usage),
    read: new ReadEpoch(opening, usage),
    usage,
  };
}

/** Why no more application data may be sealed after a record that passed `level`, or `undefined`. */
export function whyEpochEnds(config: Config, epoch: WriteEpoch, level: 'near' | 'reached' | undefined): DtlsError | undefined {
  // RFC 6347 section 4.1: stop before the number comes again; there is no second epoch to go to.
  if (epoch.nextSequenceNumber >= config.maxRecordsPerEpoch - reservedSequenceNumbers) {
    return new DtlsError('SEQUENCE_EXHAUSTED', 'the sequence numbers of the epoch are used up');
  }
  if (level === 'reached' && config.enforceKeyLimits) {
    return new DtlsError('KEY_LIMIT_REACHED', 'the key has encrypted as much as RFC 9147 section 4.5.3 allows');
  }
  return undefined;
}
