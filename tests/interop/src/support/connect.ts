import type { PeerOptions, Server } from '@millrace/datachannel/server';
import type { RemoteChannel, RemoteConnection, RemotePage } from '../browser/remote-page.ts';
import { NodePeer } from './node-peer.ts';

export interface ConnectOptions {
  readonly offer: 'browser' | 'node';
  /** Which side of DTLS Node takes. */
  readonly dtls: 'client' | 'server';
  readonly peer?: PeerOptions;
  /** Changes what the browser is told of us. */
  readonly rewrite?: (sdp: string) => string;
}

export interface Connected {
  readonly node: NodePeer;
  readonly remote: RemoteConnection;
  /** A browser's offer has no section for data without a channel. */
  readonly first: RemoteChannel | undefined;
}

/** Connects a page with the server: with all candidates of the browser in its description. */
export async function connect(page: RemotePage, server: Server, options: ConnectOptions): Promise<Connected> {
  const rewrite = options.rewrite ?? ((sdp) => sdp);
  const remote = await page.createConnection();
  if (options.offer === 'browser') {
    const first = await remote.createChannel('first');
    const setup = options.dtls === 'client' ? 'active' : 'passive';
    const { peer, sdp } = await server.answer(await remote.createOffer(), { ...options.peer, setup });
    const node = new NodePeer(peer);
    await remote.acceptAnswer(rewrite(sdp));
    await node.connected();
    return { node, remote, first };
  }
  const { peer, sdp, accept } = await server.offer(options.peer);
  const node = new NodePeer(peer);
  // An offer leaves the choice to the browser, which then becomes the client. To have it as the
  // server, it is told that we insist.
  const told = options.dtls === 'server' ? sdp : sdp.replace('a=setup:actpass', 'a=setup:active');
  await accept(await remote.createAnswer(rewrite(told)));
  await node.connected();
  return { node, remote, first: undefined };
}
