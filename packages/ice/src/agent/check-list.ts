import { formatIpAddress, parseIpAddress } from '../ip-address.ts';
import type { Address, Candidate, Path } from '../types.ts';
import {
  type CandidatePair,
  candidatePriority,
  comparePairs,
  type LocalCandidate,
  pairFoundation,
  type RemoteCandidate,
} from './candidate-pair.ts';
import type { Role } from './role.ts';

const maxLocalCandidates = 32;
/** RFC 8445 section 6.1.2.5. */
const maxPairs = 100;
const maxRemoteCandidates = 100;
/** Priorities are positive and below 2^31 (RFC 8445 section 5.1.2). */
const maxPriority = 2 ** 31 - 1;

/**
 * Candidates of both sides and their pairs (RFC 8445 section 6.1.2). A pair is what one path carries:
 * host candidates that share a socket share its pairs, which is the pruning of section 6.1.2.4.
 */
export class CheckList {
  readonly #path: (local: number, remote: Address) => Path;
  readonly #locals: LocalCandidate[] = [];
  readonly #remotes = new Map<string, RemoteCandidate>();
  readonly #pairs = new Map<Path, CandidatePair>();
  #peerReflexiveCount = 0;
  readonly role: Role;

  constructor(path: (local: number, remote: Address) => Path, role: Role) {
    this.#path = path;
    this.role = role;
  }

  get pairs(): Iterable<CandidatePair> {
    return this.#pairs.values();
  }

  pairAt(path: Path): CandidatePair | undefined {
    return this.#pairs.get(path);
  }

  hasLocal(local: number): boolean {
    return this.#locals.some((candidate) => candidate.local === local);
  }

  isLocalAddress(address: Address): boolean {
    return this.#locals.some(({ address: own }) => own.address === address.address && own.port === address.port);
  }

  addLocal(local: number, address: Address): LocalCandidate {
    const own = checkAddress(address);
    const known = this.#locals.find(
      (other) => other.local === local && other.address.address === own.address && other.address.port === own.port,
    );
    if (known !== undefined) return known;
    if (this.#locals.length === maxLocalCandidates)
      throw new RangeError(`an agent has at most ${maxLocalCandidates} local candidates`);
    // RFC 8445 section 5.1.2.1: what was made known first is preferred.
    const localPreference = 65535 - this.#locals.length;
    const priority = candidatePriority('host', localPreference);
    // RFC 8445 section 5.1.1.3: host candidates of one address have one foundation.
    const sameBase = this.#locals.find((other) => other.address.address === own.address);
    const foundation = sameBase?.foundation ?? String(this.#locals.length + 1);
    const candidate: LocalCandidate = {
      local,
      address: own,
      foundation,
      priority,
      checkPriority: candidatePriority('prflx', localPreference),
      description: { foundation, priority, address: own.address, port: own.port, type: 'host' },
    };
    this.#locals.push(candidate);
    for (const remote of this.#remotes.values()) this.#addPair(candidate, remote);
    return candidate;
  }

  /** Takes a signaled candidate. False where it can't be used. */
  addRemote(candidate: Candidate): boolean {
    const bytes = candidate.tcpType === undefined ? parseIpAddress(candidate.address) : undefined;
    if (bytes === undefined || !isPort(candidate.port) || bytes.every((byte) => byte === 0)) return false;
    const address: Address = { family: bytes.length === 4 ? 4 : 6, address: formatIpAddress(bytes), port: candidate.port };
    const key = addressKey(address);
    const known = this.#remotes.get(key);
    if (known !== undefined) {
      // Its own checks may have been faster than the signaling; priority and pairs stay.
      if (known.type === 'prflx') {
        known.type = candidate.type;
        known.foundation = candidate.foundation;
      }
      return true;
    }
    if (this.#remotes.size === maxRemoteCandidates) return false;
    const { foundation, type } = candidate;
    const remote: RemoteCandidate = { address, foundation, type, priority: clampPriority(candidate.priority) };
    this.#remotes.set(key, remote);
    for (const local of this.#locals) this.#addPair(local, remote);
    return true;
  }

  /** The pair of a path that an authentic check came on (RFC 8445 section 7.3.1.3); `undefined` at the limit. */
  learnPair(path: Path, priority: number): CandidatePair | undefined {
    const sharing = this.#locals.filter((candidate) => candidate.local === path.local);
    const local = sharing.find((candidate) => candidate.address.family === path.remote.family) ?? sharing[0];
    if (local === undefined || (this.#pairs.size >= maxPairs && !this.#dropWorst())) return undefined;
    const key = addressKey(path.remote);
    let remote = this.#remotes.get(key);
    if (remote === undefined) {
      // Its foundation is like no other.
      const foundation = `prflx${++this.#peerReflexiveCount}`;
      remote = { address: path.remote, foundation, type: 'prflx', priority: clampPriority(priority) };
      if (this.#remotes.size < maxRemoteCandidates) this.#remotes.set(key, remote);
    }
    const pair = createPair(path, local, remote);
    this.#pairs.set(path, pair);
    return pair;
  }

  /** The pair to check next in the ordinary way (RFC 8445 section 6.1.4.2). */
  nextPair(): CandidatePair | undefined {
    const active = new Set<string>();
    for (const pair of this.#pairs.values()) {
      if (pair.state === 'waiting' || pair.state === 'in-progress') active.add(pairFoundation(pair));
    }
    const waiting = this.best((pair) => pair.state === 'waiting');
    return waiting ?? this.best((pair) => pair.state === 'frozen' && !active.has(pairFoundation(pair)));
  }

  /** RFC 8445 section 7.2.5.3.3: what shares the foundation of a success is worth a check now. */
  unfreezeLike(succeeded: CandidatePair): void {
    const foundation = pairFoundation(succeeded);
    for (const pair of this.#pairs.values()) {
      if (pair.state === 'frozen' && pairFoundation(pair) === foundation) pair.state = 'waiting';
    }
  }

  /** The pair of the highest priority among those that `admits` lets through. */
  best(admits: (pair: CandidatePair) => boolean): CandidatePair | undefined {
    let best: CandidatePair | undefined;
    for (const pair of this.#pairs.values()) {
      if (admits(pair) && (best === undefined || comparePairs(pair, best, this.role.isControlling) > 0)) best = pair;
    }
    return best;
  }

  count(admits: (pair: CandidatePair) => boolean): number {
    let count = 0;
    for (const pair of this.#pairs.values()) if (admits(pair)) count++;
    return count;
  }

  clear(): void {
    this.#locals.length = 0;
    this.#remotes.clear();
    this.#pairs.clear();
  }

  #addPair(local: LocalCandidate, remote: RemoteCandidate): void {
    const { address } = remote;
    if (local.address.family !== address.family) return;
    // RFC 8445 section 6.1.2.2: a link-local IPv6 address reaches its like alone.
    if (isLinkLocal(local.address) !== isLinkLocal(address)) return;
    const path = this.#path(local.local, address);
    if (this.#pairs.has(path) || (this.#pairs.size >= maxPairs && !this.#dropWorst())) return;
    this.#pairs.set(path, createPair(path, local, remote));
  }

  /** Makes room by the pair of least promise that nothing hangs on. */
  #dropWorst(): boolean {
    let worst: CandidatePair | undefined;
    for (const pair of this.#pairs.values()) {
      const isIdle = pair.state === 'failed' || pair.state === 'frozen';
      if (isIdle && (worst === undefined || comparePairs(pair, worst, this.role.isControlling) < 0)) worst = pair;
    }
    return worst !== undefined && this.#pairs.delete(worst.path);
  }
}

function createPair(path: Path, local: LocalCandidate, remote: RemoteCandidate): CandidatePair {
  return {
    path,
    local,
    remote,
    localPriority: local.priority,
    state: 'frozen',
    nominated: false,
    checkedPlainly: false,
    rttMs: undefined,
    lastSuccessAt: Number.NEGATIVE_INFINITY,
  };
}

function checkAddress({ family, address, port }: Address): Address {
  const bytes = typeof address === 'string' ? parseIpAddress(address) : undefined;
  if (bytes === undefined || bytes.length !== (family === 4 ? 4 : 16)) {
    throw new TypeError('address must be an IP literal of its family, without brackets or zone');
  }
  if (bytes.every((byte) => byte === 0))
    throw new TypeError('address must not be the unspecified address: name one address per candidate');
  if (!isPort(port)) throw new RangeError('port must be an integer from 1 to 65535');
  return { family, address: formatIpAddress(bytes), port };
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65535;
}

function isLinkLocal({ family, address }: Address): boolean {
  return family === 6 && /^fe[89ab]/.test(address);
}

function addressKey({ address, port }: Address): string {
  return `${address} ${port}`;
}

function clampPriority(priority: number): number {
  return Number.isInteger(priority) ? Math.min(maxPriority, Math.max(1, priority)) : 1;
}
