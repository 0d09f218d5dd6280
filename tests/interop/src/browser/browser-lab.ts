import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { canCreateNetworkNamespace, createNetworkNamespace, type NetworkNamespace } from '../net/network-namespace.ts';
import { findPeer, requirePeer, requirePeerThat } from '../require-peer.ts';
import { launchChromium } from './launch-chromium.ts';
import { launchFirefox } from './launch-firefox.ts';
import type { LaunchedBrowser } from './launched-browser.ts';
import { createPageServer, type PageServer } from './page-server.ts';
import type { RemotePage } from './remote-page.ts';

export type BrowserName = 'chromium' | 'firefox';

const launchers = { chromium: launchChromium, firefox: launchFirefox };

interface Running {
  readonly namespace: NetworkNamespace;
  readonly pages: PageServer;
  readonly browser: LaunchedBrowser;
}

/** A browser in a network namespace of its own, for the tests of one file. */
export class BrowserLab {
  readonly #name: BrowserName;
  readonly #cleanups: (() => Promise<unknown>)[] = [];
  #running: Running | undefined;

  constructor(name: BrowserName) {
    this.#name = name;
  }

  /** For `beforeAll`. Does nothing where something is missing; the tests then say what. */
  async start(): Promise<void> {
    const executable = findPeer(this.#name);
    if (executable === undefined || !canCreateNetworkNamespace()) return;
    const namespace = await createNetworkNamespace();
    this.#cleanups.push(() => namespace.close());
    const pages = await createPageServer(namespace.hostAddress);
    this.#cleanups.push(() => pages.close());
    const profileFolder = await mkdtemp(join(tmpdir(), `millrace-${this.#name}-`));
    this.#cleanups.push(() => rm(profileFolder, { recursive: true, force: true, maxRetries: 5 }));
    const browser = await launchers[this.#name](namespace, { executable, origin: pages.origin, profileFolder });
    this.#cleanups.push(() => browser.close());
    this.#running = { namespace, pages, browser };
  }

  /** For `afterAll`. */
  async stop(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).toReversed()) await cleanup();
  }

  /** A new page; skips the test where the browser or the namespace is missing. */
  async openPage(context: TestContext): Promise<RemotePage> {
    requirePeer(context, this.#name);
    requirePeerThat(context, 'network namespace', canCreateNetworkNamespace());
    const { pages, browser } = this.running;
    return pages.open((url) => browser.load(url));
  }

  get running(): Running {
    if (this.#running === undefined) throw new Error(`${this.#name} was not started`);
    return this.#running;
  }
}
