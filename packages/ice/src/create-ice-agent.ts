import { checkNames } from '@millrace/core';
import { defaultProvider } from '@millrace/crypto';
import { Agent } from './agent/ice-agent.ts';
import { checkIceText } from './agent/credentials.ts';
import type { IceAgent, IceOptions } from './types.ts';

const optionNames: Readonly<Record<keyof IceOptions, true>> = {
  role: true,
  ufrag: true,
  pwd: true,
  path: true,
  paceMs: true,
  consentIntervalMs: true,
  consentTimeoutMs: true,
  connectTimeoutMs: true,
  trace: true,
  crypto: true,
  random: true,
};

/**
 * Creates an ICE agent for one component (RFC 8445): full, with host and peer-reflexive candidates,
 * trickling, consent (RFC 7675). It does nothing before `setRemoteParameters` but answer checks.
 * Throws TypeError or RangeError, naming the option.
 */
export function createIceAgent(options: IceOptions): IceAgent {
  checkNames('options', options, optionNames);
  const { role, ufrag, pwd, path, crypto = defaultProvider } = options;
  if (role !== 'controlling' && role !== 'controlled') throw new TypeError("role must be 'controlling' or 'controlled'");
  if (typeof path !== 'function') throw new TypeError('path must be a function');
  if (ufrag !== undefined) checkIceText('ufrag', ufrag, 4);
  if (pwd !== undefined) checkIceText('pwd', pwd, 22);
  return new Agent({
    options,
    crypto,
    random: options.random ?? crypto.random,
    paceMs: duration('paceMs', options.paceMs, 50, 5),
    consentIntervalMs: duration('consentIntervalMs', options.consentIntervalMs, 5000, 100),
    consentTimeoutMs: duration('consentTimeoutMs', options.consentTimeoutMs, 30_000, 100),
    connectTimeoutMs: duration('connectTimeoutMs', options.connectTimeoutMs, 30_000, 100),
  });
}

function duration(name: string, value: number | undefined, byDefault: number, min: number): number {
  const ms = value ?? byDefault;
  if (typeof ms !== 'number' || !(ms >= min) || ms === Number.POSITIVE_INFINITY) {
    throw new RangeError(`${name} must be a number of ms from ${min} on`);
  }
  return ms;
}
