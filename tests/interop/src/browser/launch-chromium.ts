import puppeteer from 'puppeteer-core';
import type { NetworkNamespace } from '../net/network-namespace.ts';
import type { LaunchedBrowser, LaunchOptions } from './launched-browser.ts';

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Chromium in the namespace, as it comes: host candidates are hidden behind `.local` names. */
export async function launchChromium(namespace: NetworkNamespace, options: LaunchOptions): Promise<LaunchedBrowser> {
  const { executable, args } = namespace.command(options.executable, [
    ...flags,
    // Chromium ends by itself when the pipe does, even if this process is killed.
    '--remote-debugging-pipe',
    `--unsafely-treat-insecure-origin-as-secure=${options.origin}`,
    `--user-data-dir=${options.profileFolder}`,
    'about:blank',
  ]);
  const browser = await puppeteer.launch({ executablePath: executable, args, ignoreDefaultArgs: true, pipe: true });
  return {
    load: async (url) => (await browser.newPage()).goto(url),
    process: browser.process()!,
    close: () => browser.close(),
  };
}
