import type { GroupName } from '@millrace/crypto';

/** Code points of RFC 8422 section 5.1.1. */
const codes: Readonly<Record<GroupName, number>> = { X25519: 29, 'P-256': 23, 'P-384': 24 };

/** Offered and accepted by default, in order of preference. */
export const defaultGroups: readonly GroupName[] = ['X25519', 'P-256', 'P-384'];

export function groupCode(group: GroupName): number {
  return codes[group];
}

export function groupByCode(code: number): GroupName | undefined {
  return (Object.keys(codes) as GroupName[]).find((group) => codes[group] === code);
}
