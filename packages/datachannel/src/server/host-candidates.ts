import type { Address, Candidate } from '@millrace/ice';
import { interfaceAddresses, isWildcard, literalFamily } from './addresses.ts';

interface BoundSocket {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * The host candidates of a peer. The agent needs one per socket, since what it sends through a
 * socket takes the same path whichever of the machine's addresses the other side knows; the others
 * are for signaling alone, each with its own foundation and priority.
 */
export function hostCandidates(
  sockets: readonly BoundSocket[],
  port: number,
  announced: readonly string[] | undefined,
  add: (local: number, address: Address) => Candidate,
): Candidate[] {
  const candidates: Candidate[] = [];
  for (const [local, { address, family }] of sockets.entries()) {
    const ofFamily = announced?.filter((text) => literalFamily('announcedAddresses', text) === family);
    const known = isWildcard(address) ? interfaceAddresses(family) : [address];
    const [first, ...others] = ofFamily !== undefined && ofFamily.length > 0 ? ofFamily : known;
    if (first === undefined) continue;
    const candidate = add(local, { family, address: first, port });
    candidates.push(candidate);
    for (const [index, other] of others.entries()) {
      candidates.push({
        ...candidate,
        address: other,
        foundation: `${candidate.foundation}${index + 1}`,
        // The local preference is the middle 16 bits (RFC 8445 section 5.1.2.1).
        priority: candidate.priority - (index + 1) * 256,
      });
    }
  }
  return candidates;
}
