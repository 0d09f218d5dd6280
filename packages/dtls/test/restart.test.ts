import { describe, expect, test } from 'vitest';
import { connectedPair, createEnd, exchange, receive, send, transmit } from './pair.ts';

describe('D22: a client that lost its state begins anew from the same address', () => {
  test('the old association is kept until the new client is verified, then replaced', () => {
    const { client, server } = connectedPair({}, { cookieExchange: true });
    const again = createEnd('client', {}, 99);
    again.dtls.connect(0);
    receive(server, 0, transmit(again, 0));
    send(client, server, 'with a cookie pending');
    receive(again, 0, transmit(server, 0));
    receive(server, 0, transmit(again, 0));
    send(client, server, 'with a new handshake under way');
    send(server, client, 'down');
    receive(again, 0, transmit(server, 0));
    receive(server, 0, transmit(again, 0));
    expect(server.events).toMatchObject([{ type: 'connected' }, { type: 'restarted' }]);
    exchange(again, server);
    send(again, server, 'new');
    send(server, again, 'new down');
    send(client, server, 'old');
    expect(server.received).toEqual(['with a cookie pending', 'with a new handshake under way', 'new']);
    expect(client.received).toEqual(['down']);
    expect(again.received).toEqual(['new down']);
    expect(server.dtls.stats.dropped['bad-mac']).toBe(1);
  });

  test('a new handshake that fails leaves the old association alone', () => {
    const { client, server } = connectedPair({}, { cookieExchange: true });
    const certificateOfAnother = createEnd('client', { certificate: undefined }, 99);
    certificateOfAnother.dtls.connect(0);
    exchange(certificateOfAnother, server);
    expect(certificateOfAnother.events).toMatchObject([{ type: 'closed', error: { alert: 'handshake_failure' } }]);
    send(client, server, 'still here');
    send(server, client, 'me too');
    expect(server.events.length).toBe(1);
    expect([server.received, client.received]).toEqual([['still here'], ['me too']]);
  });

  test('without the cookie exchange nobody can have proven the address, and the hello is dropped', () => {
    const { client, server } = connectedPair();
    const again = createEnd('client', {}, 99);
    again.dtls.connect(0);
    receive(server, 0, [transmit(again, 0)[0]!]);
    expect(transmit(server, 0)).toEqual([]);
    expect(server.dtls.stats.dropped['foreign-hello']).toBe(1);
    send(client, server, 'still here');
    expect(server.received).toEqual(['still here']);
  });
});
