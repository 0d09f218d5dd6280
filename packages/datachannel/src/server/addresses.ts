import { isIP, SocketAddress } from 'node:net';
import { networkInterfaces } from 'node:os';

/** 4 or 6 for an IP literal without a zone. Throws TypeError, naming the option, for anything else. */
export function literalFamily(option: string, address: unknown): 4 | 6 {
  const family = typeof address === 'string' ? isIP(address) : 0;
  if (family === 0 || (address as string).includes('%')) throw new TypeError(`${option} must be IP addresses without a zone`);
  return family as 4 | 6;
}

/** An address as the socket reports it, so that one address is one text. */
export function canonicalAddress(remote: { readonly family: 4 | 6; readonly address: string }): string {
  if (remote.family === 4) return remote.address;
  return new SocketAddress({ family: 'ipv6', address: remote.address }).address;
}

/**
 * What stands for "all interfaces" in signaling: their addresses of a family, without those that only
 * this link knows. A machine without any has the loopback address.
 */
export function interfaceAddresses(family: 4 | 6): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const ofFamily = all.filter((entry) => entry.family === `IPv${family}` && !isLinkLocal(entry.address));
  const external = ofFamily.filter((entry) => !entry.internal);
  return [...new Set((external.length > 0 ? external : ofFamily).map((entry) => entry.address))];
}

function isLinkLocal(address: string): boolean {
  return /^fe[89ab]/i.test(address) || address.startsWith('169.254.');
}

export function isWildcard(address: string): boolean {
  return address === '0.0.0.0' || canonicalIsZero(address);
}

function canonicalIsZero(address: string): boolean {
  return address.includes(':') && canonicalAddress({ family: 6, address }) === '::';
}
