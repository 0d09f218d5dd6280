/** Where the receiver's bytes go, besides into the hash. */
export interface Sink {
  /** Writes `data` behind what came before; it may be reused when the promise resolves. */
  write(data: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

export const nullSink: Sink = { write: () => Promise.resolve(), close: () => Promise.resolve() };
