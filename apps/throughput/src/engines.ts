/** The engines that the demo compares, slowest first by expectation. */
export type DemoEngine = 'reference' | 'single-buffer' | 'auto';

export const engines: readonly DemoEngine[] = ['reference', 'single-buffer', 'auto'];

/** What each does, for those who read the table. */
export const engineLabels: Readonly<Record<DemoEngine, string>> = {
  reference: 'straightforward: a cipher object and fresh buffers per record, as most JavaScript stacks do',
  'single-buffer': 'exact size once, sealed into the final buffer, nonce used again; a cipher object per record',
  auto: 'optimized: what Millrace uses by default',
};
