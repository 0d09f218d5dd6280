export type { Aead, Engine } from './aead.ts';
export type { Certificate, CryptoProvider, Fingerprint, GroupName, Hash, HashName, KeyShare, VerifyKey } from './provider.ts';
export type { RecordAlgorithm, RecordCipher, RecordQueue, RecordQueueStats, RecordSink } from './record.ts';
