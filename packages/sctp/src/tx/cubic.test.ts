import { describe, expect, test } from 'vitest';
import { Cubic } from './cubic.ts';
import { NewReno } from './new-reno.ts';

const mtu = 1000;

/** A window that was brought to so many packets, and is limited by nothing else. */
function grown(packets: number): Cubic {
  const control = new Cubic(mtu);
  while (control.cwnd < packets * mtu)
    control.handleAcked(0, Math.min(control.cwnd, packets * mtu - control.cwnd), control.cwnd, 0);
  return control;
}

/** A round trip in which the whole window is acknowledged, packet by packet. */
function roundTrip(control: Cubic | NewReno, now: number, rttMs: number): void {
  const packets = Math.floor(control.cwnd / mtu);
  for (let i = 0; i < packets; i++) control.handleAcked(now + (i * rttMs) / packets, mtu, control.cwnd, rttMs);
}

describe('CUBIC', () => {
  test('a loss leaves 0.7 of the window, never less than four packets', () => {
    const control = grown(100);
    control.handleFastRetransmit();
    expect(control.cwnd).toBeCloseTo(70 * mtu, 6);
    const small = grown(10);
    for (let i = 0; i < 5; i++) small.handleFastRetransmit();
    expect(small.cwnd).toBe(4 * mtu);
  });

  test('the window comes back to where it was after K seconds, whatever the round trip', () => {
    // RFC 9438 section 4.2: K = cbrt((W_max - cwnd) / C) = cbrt(3000 / 0.4) s, with windows far above Reno's.
    const flatMs = 1000 * Math.cbrt((10_000 - 7000) / 0.4);
    for (const rttMs of [50, 200]) {
      const control = grown(10_000);
      control.handleFastRetransmit();
      let now = 0;
      for (; now < flatMs / 2; now += rttMs) roundTrip(control, now, rttMs);
      // Halfway the function is an eighth of the way below W_max.
      expect(control.cwnd / mtu / (10_000 - 3000 / 8)).toBeCloseTo(1, 1);
      for (; now < flatMs; now += rttMs) roundTrip(control, now, rttMs);
      expect(control.cwnd / mtu / 10_000).toBeCloseTo(1, 2);
      for (; now < 2 * flatMs; now += rttMs) roundTrip(control, now, rttMs);
      expect(control.cwnd / mtu / 13_000).toBeCloseTo(1, 1);
    }
  });

  test('where the window is small and the round trip short it is not below that of Reno', () => {
    const control = grown(20);
    const reno = new NewReno(mtu);
    while (reno.cwnd < 20 * mtu) reno.handleAcked(0, mtu, reno.cwnd);
    control.handleFastRetransmit();
    reno.handleFastRetransmit();
    for (let now = 0; now < 2000; now += 5) {
      roundTrip(control, now, 5);
      roundTrip(reno, now, 5);
    }
    expect(control.cwnd).toBeGreaterThan(0.95 * reno.cwnd);
    expect(control.cwnd).toBeLessThan(1.1 * reno.cwnd);
  });

  test('a window that does not come back to where it was leaves room: the next one aims lower', () => {
    const control = grown(1000);
    control.handleFastRetransmit();
    control.handleFastRetransmit();
    expect(control.cwnd).toBeCloseTo(490 * mtu, 3);
    // RFC 9438 section 4.7: W_max is 700 * (1 + 0.7) / 2.
    const flatMs = 1000 * Math.cbrt((595 - 490) / 0.4);
    for (let now = 0; now < flatMs; now += 100) roundTrip(control, now, 100);
    expect(control.cwnd / mtu / 595).toBeCloseTo(1, 1);
  });

  test('in a round trip the window grows by half at most', () => {
    const control = grown(100);
    control.handleFastRetransmit();
    for (let now = 0, last = control.cwnd; now < 600_000; now += 20_000, last = control.cwnd) {
      roundTrip(control, now, 20_000);
      expect(control.cwnd).toBeLessThanOrEqual(1.5 ** 1.01 * last + mtu);
    }
  });

  test('time in which the application sends too little does not count', () => {
    const busy = grown(1000);
    const idle = grown(1000);
    for (const control of [busy, idle]) {
      control.handleFastRetransmit();
      for (let now = 0; now < 1000; now += 100) roundTrip(control, now, 100);
    }
    for (let now = 1000; now < 20_000; now += 100) idle.handleAcked(now, mtu, mtu, 100);
    expect(idle.cwnd).toBe(busy.cwnd);
    roundTrip(busy, 1000, 100);
    roundTrip(idle, 20_000, 100);
    expect(idle.cwnd / busy.cwnd).toBeCloseTo(1, 1);
  });

  test('after a time-out it begins with one packet, and from half the way on where the function is flat', () => {
    const control = grown(100);
    control.handleTimeout(false);
    control.handleTimeout(true);
    expect(control.cwnd).toBe(mtu);
    let now = 0;
    for (; control.cwnd < 70 * mtu; now += 100) roundTrip(control, now, 100);
    expect(now).toBeLessThan(1000);
    const begun = control.cwnd;
    for (const until = now + 1000; now < until; now += 100) roundTrip(control, now, 100);
    // Flat: Reno's additive increase is all that moves it.
    expect(control.cwnd).toBeLessThan(begun + 10 * mtu);
    expect(control.cwnd).toBeGreaterThan(begun);
  });

  test('the average window at a rate of losses is that of the published model', () => {
    // RFC 9438 section 5.1: (C (3 + beta) / (4 (1 - beta)))^(1/4) (RTT / p)^(3/4).
    const rttMs = 100;
    const lossRate = 1e-5;
    const control = grown(1000);
    control.handleFastRetransmit();
    let sum = 0;
    let rounds = 0;
    let untilLoss = 1 / lossRate;
    for (let now = 0; now < 4_000_000; now += rttMs) {
      untilLoss -= control.cwnd / mtu;
      roundTrip(control, now, rttMs);
      if (untilLoss <= 0) {
        control.handleFastRetransmit();
        untilLoss = 1 / lossRate;
      }
      if (now < 400_000) continue;
      sum += control.cwnd / mtu;
      rounds++;
    }
    const model = ((0.4 * 3.7) / (4 * 0.3)) ** 0.25 * (rttMs / 1000 / lossRate) ** 0.75;
    expect(sum / rounds / model).toBeGreaterThan(0.9);
    expect(sum / rounds / model).toBeLessThan(1.1);
  });
});
