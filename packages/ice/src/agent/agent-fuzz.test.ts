import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bindingType } from '../stun/stun-constants.ts';
import { RawPeer, type Sent } from '../testing/raw-peer.ts';

const bytes = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length });
const host = fc.integer({ min: 1, max: 6 });
const tieBreaker = fc.option(bytes(8), { nil: undefined });

const operation = fc.oneof(
  fc.record({ kind: fc.constant('know' as const) }),
  fc.record({ kind: fc.constant('candidate' as const), host, priority: fc.integer(), port: fc.integer({ min: -1, max: 65536 }) }),
  fc.record({
    kind: fc.constant('check' as const),
    host,
    useCandidate: fc.boolean(),
    priority: fc.option(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { nil: undefined }),
    iceControlling: tieBreaker,
    iceControlled: tieBreaker,
  }),
  fc.record({
    kind: fc.constant('answer' as const),
    pick: fc.nat(),
    errorCode: fc.constantFrom(undefined, undefined, undefined, 400, 487, 500),
  }),
  fc.record({ kind: fc.constant('noise' as const), host, data: fc.uint8Array({ maxLength: 100 }) }),
  fc.record({ kind: fc.constant('mutated' as const), host, at: fc.nat(), value: fc.nat(255) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 10, 50, 500, 6000) }),
  fc.record({ kind: fc.constant('close' as const) }),
);

test('whatever a peer that knows the passwords does, the agent stays sane', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('controlling' as const, 'controlled' as const),
      fc.array(operation, { maxLength: 40 }),
      (role, operations) => {
        const peer = new RawPeer({ role });
        const sent: Sent[] = [];
        let drained = 0;
        for (const o of operations) {
          if (o.kind === 'know') peer.know();
          else if (o.kind === 'candidate')
            peer.agent.addRemoteCandidate(peer.now, peer.candidate(o.host, { priority: o.priority, port: o.port }));
          else if (o.kind === 'check') {
            const { useCandidate, priority, iceControlling, iceControlled } = o;
            peer.check(peer.from(o.host), { useCandidate, priority, iceControlling, iceControlled } as object);
          } else if (o.kind === 'answer') {
            const request = sent[o.pick % Math.max(1, sent.length)];
            if (request !== undefined) peer.answer(request, o.errorCode === undefined ? {} : { errorCode: o.errorCode });
          } else if (o.kind === 'noise') peer.send(peer.from(o.host), o.data);
          else if (o.kind === 'mutated') {
            const request = peer.request();
            request[o.at % request.length] = o.value;
            peer.send(peer.from(o.host), request);
          } else if (o.kind === 'wait') peer.wait(o.ms);
          else if (o.kind === 'close' && drained > 20) peer.agent.close(peer.now);

          // Timers first, as a driver runs them; then nothing may be left to do at this time.
          peer.agent.handleTimeout(peer.now);
          const all = peer.drain();
          drained += all.length;
          sent.push(...all.filter(({ message }) => message.type === bindingType.request));
          expect(all.every(({ isAuthentic }) => isAuthentic)).toBe(true);
          expect(all.length).toBeLessThan(40);
          expect(peer.agent.pollTimeout()).toBeGreaterThan(peer.now);
          const { state, selectedPath } = peer.agent;
          const isUp = state === 'connected' || state === 'completed' || state === 'disconnected';
          expect(selectedPath !== undefined).toBe(isUp);
        }
      },
    ),
    { numRuns: 600 },
  );
});

test('noise from the network is dropped and changes nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), fc.nat(3), (datagrams, first) => {
      const peer = new RawPeer().know();
      for (const data of datagrams) {
        if (data.length > 0) data[0] = first;
        expect(peer.send(peer.from(1), data)).toBe(false);
      }
      expect(peer.drain()).toEqual([]);
      const dropped = Object.values(peer.agent.stats.dropped).reduce((sum, count) => sum + count, 0);
      expect(dropped).toBe(datagrams.length);
    }),
  );
});
