import type { ChildProcess } from 'node:child_process';

export interface LaunchOptions {
  /** Path of the browser. */
  readonly executable: string;
  /** The origin of the test's page, to be treated as secure. */
  readonly origin: string;
  /** An empty folder of its own; the caller's to remove. */
  readonly profileFolder: string;
}

export interface LaunchedBrowser {
  /** Opens `url` in a new page. */
  load(url: string): Promise<unknown>;
  readonly process: ChildProcess;
  close(): Promise<void>;
}
