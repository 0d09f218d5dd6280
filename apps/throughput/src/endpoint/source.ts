/** Where the sender's bytes come from. */
export interface Source {
  /** Fills `target` with what comes next and resolves with the count; less than its length at the end. */
  fill(target: Uint8Array): Promise<number>;
  close(): Promise<void>;
}
