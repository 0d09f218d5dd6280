import type { Address, Candidate } from '@millrace/ice';
import { interfaceAddresses, isWildcard, literalFamily } from './addresses.ts';

interface BoundSocket {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * The host candidates of a peer. The agent needs one per socket, since what it sends through a
 * socket takes the same path whichever of the machine's addresses the other side knows; the others
 * are for signaling alone, each with its own foundation and a priority below all that have a socket.
 */
export function hostCandidates(
  sockets: readonly BoundSocket[],
  port: number,
  announced: readonly string[] | undefined,
  add: (local: number, address: Address) => Candidate,
): Candidate[] {
  const candidates: Candidate[] = [];
  let preferred = 0;
  let extras = 0;
  for (const [local, { address, family }] of sockets.entries()) {
    const ofFamily = announced?.filter((text) => literalFamily('announcedAddresses', text) === family);
    const known = isWildcard(address) ? interfaceAddresses(family) : [address];
    const [first, ...others] = ofFamily !== undefined && ofFamily.length > 0 ? ofFamily : known;
    if (first === undefined) continue;
    const candidate = add(local, { family, address: first, port });
    preferred ||= candidate.priority;
    candidates.push(candidate);
    for (const [index, other] of others.entries()) {
      candidates.push({
        ...candidate,
        address: other,
        foundation: `${candidate.foundation}${index + 1}`,
        // The local preference, the middle 16 bits, is to be unique (RFC 8445 section 5.1.2.1).
        priority: preferred - (sockets.length + extras++) * 256,
      });
    }
  }
  return candidates;
}
