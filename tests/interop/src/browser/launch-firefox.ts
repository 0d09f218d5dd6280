import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';
import type { NetworkNamespace } from '../net/network-namespace.ts';
import type { LaunchedBrowser, LaunchOptions } from './launched-browser.ts';

const preferences = {
  // With names instead of addresses Firefox does not connect where nobody answers multicast DNS.
  'media.peerconnection.ice.obfuscate_host_addresses': false,
  'media.peerconnection.ice.loopback': true,
  'app.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'toolkit.telemetry.enabled': false,
};

/** Starts Firefox in the namespace and drives it over WebDriver BiDi. */
export async function launchFirefox(namespace: NetworkNamespace, options: LaunchOptions): Promise<LaunchedBrowser> {
  const lines = Object.entries({ ...preferences, 'dom.securecontext.allowlist': new URL(options.origin).hostname }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  await writeFile(join(options.profileFolder, 'user.js'), lines.join('\n'));

  const host = fileURLToPath(new URL('firefox-host.mjs', import.meta.url));
  const { executable, args } = namespace.command(process.execPath, [
    host,
    options.executable,
    options.profileFolder,
    namespace.guestAddress,
  ]);
  const child = spawn(executable, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data', { signal: AbortSignal.timeout(30_000) })) as [Buffer];
  const { endpoint, hostHeader } = JSON.parse(String(line)) as { endpoint: string; hostHeader: string };
  const browser = await puppeteer.connect({
    browserWSEndpoint: endpoint,
    protocol: 'webDriverBiDi',
    headers: { Host: hostHeader },
  });
  return {
    load: async (url) => (await browser.newPage()).goto(url),
    process: child,
    async close() {
      await browser.disconnect();
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
