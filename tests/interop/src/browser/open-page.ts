import { createServer, type Server } from '@millrace/datachannel/server';
import { expect, onTestFinished, type TestContext } from 'vitest';
import type { BrowserLab } from './browser-lab.ts';
import type { RemotePage } from './remote-page.ts';

/** A page of the browser, and a server of ours that it reaches. The test fails where the server has an error. */
export async function openPage(lab: BrowserLab, context: TestContext): Promise<{ page: RemotePage; server: Server }> {
  const page = await lab.openPage(context);
  const server = await createServer({ addresses: [lab.running.namespace.hostAddress] });
  const errors: Error[] = [];
  server.on('error', (error) => errors.push(error));
  onTestFinished(async () => {
    await server.close();
    expect(errors).toEqual([]);
  });
  return { page, server };
}
