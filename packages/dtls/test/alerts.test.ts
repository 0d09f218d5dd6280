import { describe, expect, test } from 'vitest';
import { contentType } from '../src/record/record-header.ts';
import { forgingPair } from './forge.ts';
import { connectedPair, createEnd, createPair, drain, exchange, receive, send, transmit } from './pair.ts';
import { record } from './wire.ts';

const plainAlert = (level: number, description: number): Uint8Array => record(contentType.alert, 0, 40, [level, description]);

describe('TLS-15: alerts', () => {
  test('an authentic fatal alert ends the connection and names itself', () => {
    const { server, forge } = forgingPair();
    receive(server, 0, [forge('client', contentType.alert, [2, 80])]);
    expect(server.events.at(-1)).toMatchObject({ type: 'closed', error: { code: 'ALERT_RECEIVED', alert: 'internal_error' } });
    expect(transmit(server, 0)).toEqual([]);
  });

  test('a fatal alert without a name is told by its number', () => {
    const { server, forge } = forgingPair();
    receive(server, 0, [forge('client', contentType.alert, [2, 200])]);
    expect(server.events.at(-1)).toMatchObject({ error: { alert: 'alert_200' } });
  });

  test('warnings and malformed alerts are passed over', () => {
    const { client, server, forge } = forgingPair();
    const alerts = [[1, 90], [3, 40], [2], [2, 40, 0], []].map((body) => forge('client', contentType.alert, body));
    receive(server, 0, alerts);
    expect(server.dtls.stats.dropped).toEqual({ 'malformed-alert': 4 });
    send(client, server, 'on');
    expect(server.received).toEqual(['on']);
  });

  test('an alert in the clear is obeyed during the handshake, when a peer has no other', () => {
    const { client } = createPair();
    transmit(client, 0);
    receive(client, 0, [plainAlert(1, 90), plainAlert(2, 40)]);
    expect(client.events).toMatchObject([{ type: 'closed', error: { code: 'ALERT_RECEIVED', alert: 'handshake_failure' } }]);
  });

  test('a close_notify during the handshake is a failure, as nothing was ever connected', () => {
    const { client } = createPair();
    transmit(client, 0);
    receive(client, 0, [plainAlert(1, 0)]);
    expect(client.events).toMatchObject([{ type: 'closed', error: { code: 'ALERT_RECEIVED', alert: 'close_notify' } }]);
  });

  test('an alert in the clear is ignored once the keys are proven, and by a server that saw no hello', () => {
    const { client, server } = connectedPair();
    for (const end of [client, server]) {
      receive(end, 0, [plainAlert(2, 40), plainAlert(1, 0)]);
      expect(end.dtls.stats.dropped['unauthenticated-alert']).toBe(2);
      expect(end.dtls.state).toBe('connected');
    }
    const fresh = createEnd('server');
    receive(fresh, 0, [plainAlert(2, 40)]);
    expect(fresh.dtls.state).toBe('new');
  });

  test('TLS-3: a record that is not authentic is never answered', () => {
    const { server } = connectedPair();
    for (const type of [20, 21, 22, 23]) receive(server, 0, [record(type, 1, 99, new Uint8Array(60))]);
    expect(server.dtls.stats.dropped).toEqual({ 'bad-mac': 4 });
    expect(transmit(server, 0)).toEqual([]);
    expect(server.events.length).toBe(1);
  });
});

describe('TLS-10: renegotiation', () => {
  test('is refused with a warning in either direction, and the connection goes on', () => {
    const { client, server, forge } = forgingPair();
    const header = (type: number): number[] => [type, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    receive(client, 0, [forge('server', contentType.handshake, header(0))]);
    receive(server, 0, [forge('client', contentType.handshake, header(1))]);
    for (const end of [client, server]) {
      expect(end.dtls.stats.dropped).toEqual({ renegotiation: 1 });
      expect(transmit(end, 0).map((datagram) => datagram[0])).toEqual([contentType.alert]);
      expect(end.dtls.state).toBe('connected');
    }
    exchange(client, server);
    send(client, server, 'on');
    expect(server.received).toEqual(['on']);
  });

  test('protected records that fit nowhere are dropped', () => {
    const { client, server, forge } = forgingPair();
    receive(server, 0, [
      forge('client', contentType.changeCipherSpec, [1]),
      forge('client', contentType.handshake, [16, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0]),
      forge('client', contentType.handshake, [20, 0, 0, 12]),
      record(contentType.changeCipherSpec, 0, 99, [1]),
      record(contentType.changeCipherSpec, 0, 99, [1, 1]),
    ]);
    expect(server.dtls.stats.dropped).toEqual({
      'wrong-epoch': 2,
      'malformed-handshake': 1,
      'handshake-repeated': 1,
      'malformed-change-cipher-spec': 1,
    });
    send(client, server, 'on');
    expect(server.received).toEqual(['on']);
  });
});

describe('close', () => {
  test('before the handshake ends it without a datagram', () => {
    for (const role of ['client', 'server'] as const) {
      const end = createEnd(role);
      end.dtls.close(0);
      end.dtls.close(0);
      drain(end);
      expect(end.events).toEqual([{ type: 'closed' }]);
      expect(transmit(end, 0)).toEqual([]);
    }
  });

  test('during the handshake tells the peer', () => {
    const { client, server } = createPair();
    receive(server, 0, transmit(client, 0));
    client.dtls.close(0);
    receive(server, 0, transmit(client, 0));
    expect(server.events).toMatchObject([{ type: 'closed', error: { code: 'ALERT_RECEIVED', alert: 'close_notify' } }]);
  });

  test('right after the handshake still sends the last flight, so that the peer learns of both', () => {
    const { client, server } = createPair();
    receive(server, 0, transmit(client, 0));
    receive(client, 0, transmit(server, 0));
    receive(server, 0, transmit(client, 0));
    server.dtls.close(0);
    receive(client, 0, transmit(server, 0));
    expect(client.events).toMatchObject([{ type: 'connected' }, { type: 'closed' }]);
  });

  test('what comes afterwards is dropped, and nothing is sent again', () => {
    const { client, server } = connectedPair();
    server.dtls.close(0);
    transmit(server, 0);
    send(client, server, 'late');
    expect(server.received).toEqual([]);
    expect(server.dtls.stats.dropped).toEqual({ closed: 1 });
    expect(transmit(server, 0)).toEqual([]);
    server.dtls.setRemoteFingerprints([{ algorithm: 'sha-256', value: 'AB' }]);
    server.dtls.setRoundTripTime(10);
  });
});
