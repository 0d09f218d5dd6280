import { bytesEqual, type Random, randomBytes, Ring } from '@millrace/core';
import type { CryptoProvider } from '@millrace/crypto';
import { IceError, type IceErrorCode } from '../errors.ts';
import { parseIpAddress } from '../ip-address.ts';
import { decodeStun, type StunMessage } from '../stun/decode-stun.ts';
import { encodeStun, maxStunBytes, type StunFields } from '../stun/encode-stun.ts';
import { bindingType, errorCode, stun } from '../stun/stun-constants.ts';
import { verifyIntegrity } from '../stun/verify-integrity.ts';
import type { Address, Candidate, IceAgent, IceEvent, IceOptions, IceState, IceStats, Path } from '../types.ts';
import { type CandidatePair, comparePairs } from './candidate-pair.ts';
import { CheckList } from './check-list.ts';
import { Consent } from './consent.ts';
import { asciiBytes, checkIceText, createIceText } from './credentials.ts';
import { Pacing } from './pacing.ts';
import { type Transaction, Transactions } from './transactions.ts';

/** RFC 8445 section 14.3. */
const minInitialRtoMs = 500;
/** Once a round trip is known: twice that, within these bounds. */
const minKnownRtoMs = 100;
const maxKnownRtoMs = 500;
/** How long better pairs get after the first valid one, in round trips of it and in ms. */
const graceRoundTrips = 2;
const minGraceMs = 10;
const maxGraceMs = 100;
/** Answers that wait for the driver, and early checks that wait for the remote parameters. */
const maxResponses = 32;
const maxEarlyChecks = 16;
/** A peer that answers 487 more often than this is not settling anything. */
const maxRoleConflicts = 8;

interface Response {
  readonly path: Path;
  readonly fields: StunFields;
}

interface EarlyCheck {
  readonly path: Path;
  readonly remoteUfrag: string;
  readonly priority: number;
  checkedPlainly: boolean;
  useCandidate: boolean;
}

/** What `createIceAgent` makes of its options. */
export interface AgentSettings
  extends Required<Pick<IceOptions, 'paceMs' | 'consentIntervalMs' | 'consentTimeoutMs' | 'connectTimeoutMs'>> {
  readonly options: IceOptions;
  readonly random: Random;
  readonly crypto: CryptoProvider;
}

/** One component's agent: candidates, checks, nomination and consent (RFC 8445, RFC 7675). */
export class Agent implements IceAgent {
  readonly localUfrag: string;
  readonly localPwd: string;
  readonly #settings: AgentSettings;
  readonly #random: Random;
  readonly #crypto: CryptoProvider;
  readonly #localKey: Uint8Array;
  #remoteKey: Uint8Array | undefined;
  #remoteUfrag: string | undefined;
  /** USERNAME of our checks: theirs, a colon, ours (RFC 8445 section 7.2.2). */
  #username: Uint8Array = new Uint8Array(0);

  #state: IceState = 'new';
  #tieBreaker: Uint8Array;
  readonly #list: CheckList;
  readonly #transactions = new Transactions();
  readonly #pacing: Pacing;
  readonly #consent: Consent;
  readonly #events = new Ring<IceEvent>();
  readonly #responses = new Ring<Response>();
  readonly #triggered = new Set<CandidatePair>();
  #earlyChecks: EarlyCheck[] = [];

  /** The pair that carries data: the nominated one, or the best valid one before that. */
  #active: CandidatePair | undefined;
  #selected: CandidatePair | undefined;
  /** Controlling side: the pair to be nominated, or under nomination. */
  #nominee: CandidatePair | undefined;
  #nominateAt = Number.POSITIVE_INFINITY;
  #roleConflicts = 0;
  #connectBy = Number.POSITIVE_INFINITY;
  #transmitPath: Path | undefined;
  /** The cached answer of `pollTimeout`; NaN where something has changed since. */
  #deadline = Number.NaN;

  #checksSent = 0;
  #checksReceived = 0;
  #responsesSent = 0;
  #responsesReceived = 0;
  #consentRequestsSent = 0;
  readonly #dropped: Record<string, number> = {};

  constructor(settings: AgentSettings) {
    const { options, random, crypto } = settings;
    this.#settings = settings;
    this.#random = random;
    this.#crypto = crypto;
    this.localUfrag = options.ufrag ?? createIceText(random, 8);
    this.localPwd = options.pwd ?? createIceText(random, 24);
    this.#localKey = asciiBytes(this.localPwd);
    this.#tieBreaker = randomBytes(random, 8);
    this.#list = new CheckList((local, remote) => options.path(local, remote), options.role === 'controlling');
    this.#pacing = new Pacing(settings.paceMs);
    this.#consent = new Consent(settings.consentIntervalMs, settings.consentTimeoutMs, random);
  }

  get state(): IceState {
    return this.#state;
  }

  get role(): 'controlling' | 'controlled' {
    return this.#list.isControlling ? 'controlling' : 'controlled';
  }

  get remoteUfrag(): string | undefined {
    return this.#remoteUfrag;
  }

  get selectedPath(): Path | undefined {
    return this.#active?.path;
  }

  get transmitPath(): Path | undefined {
    return this.#transmitPath;
  }

  get stats(): IceStats {
    return {
      checksSent: this.#checksSent,
      checksReceived: this.#checksReceived,
      responsesSent: this.#responsesSent,
      responsesReceived: this.#responsesReceived,
      consentRequestsSent: this.#consentRequestsSent,
      rttMs: this.#active?.rttMs,
      dropped: { ...this.#dropped },
    };
  }

  addLocalCandidate(_now: number, local: number, address: Address): Candidate {
    if (!Number.isInteger(local) || local < 0) throw new RangeError('local must be an integer from 0 on');
    this.#changed();
    const { description } = this.#list.addLocal(local, address);
    return { ...description, ufrag: this.localUfrag };
  }

  setRemoteParameters(now: number, parameters: { ufrag: string; pwd: string; lite?: boolean }): void {
    const { ufrag, pwd, lite = false } = parameters;
    checkIceText('ufrag', ufrag, 4);
    checkIceText('pwd', pwd, 22);
    if (this.#isDead()) return;
    const key = asciiBytes(pwd);
    if (this.#remoteKey !== undefined) {
      if (ufrag === this.#remoteUfrag && bytesEqual(key, this.#remoteKey)) return;
      throw new TypeError('ufrag and pwd are set already and can not be changed');
    }
    this.#remoteUfrag = ufrag;
    this.#remoteKey = key;
    this.#username = asciiBytes(`${ufrag}:${this.localUfrag}`);
    // RFC 8445 section 6.1.1: against a lite agent the full one is controlling.
    if (lite) this.#list.isControlling = true;
    this.#connectBy = now + this.#settings.connectTimeoutMs;
    this.#changed();
    this.#setState(now, 'checking');
    const early = this.#earlyChecks;
    this.#earlyChecks = [];
    for (const { path, remoteUfrag, priority, checkedPlainly, useCandidate } of early) {
      if (remoteUfrag !== ufrag) continue;
      if (checkedPlainly) this.#acceptCheck(now, path, priority, false);
      if (useCandidate) this.#acceptCheck(now, path, priority, true);
    }
  }

  addRemoteCandidate(_now: number, candidate: Candidate | undefined): boolean {
    // More pairs may come from the peer's own checks, so the end of candidates ends nothing before its time.
    if (candidate === undefined) return true;
    if (this.#isDead()) return false;
    // A candidate of another generation (RFC 8838 section 11).
    if (candidate.ufrag !== undefined && this.#remoteUfrag !== undefined && candidate.ufrag !== this.#remoteUfrag) return false;
    this.#changed();
    return this.#list.addRemote(candidate);
  }

  handleDatagram(now: number, path: Path, data: Uint8Array, start: number, end: number): boolean {
    if (this.#isDead()) return this.#drop('closed');
    const message = decodeStun(data, start, end);
    if (message === undefined) return this.#drop('malformed');
    if (message.fingerprint !== 'valid') return this.#drop('fingerprint');
    switch (message.type) {
      case bindingType.request:
        return this.#handleRequest(now, path, message, data);
      case bindingType.success:
      case bindingType.error:
        return this.#handleResponse(now, path, message, data);
      case bindingType.indication:
        // A keep-alive of an older peer (RFC 8445 section 11): nothing to do, nothing to trust.
        return false;
      default:
        return this.#drop('unknown-method');
    }
  }

  handleTimeout(now: number): void {
    if (this.#isDead() || now < this.pollTimeout()) return;
    this.#changed();
    for (;;) {
      const expired = this.#transactions.takeExpired(now);
      if (expired === undefined) break;
      if (!expired.isCanceled) this.#handleUnanswered(now, expired);
    }
    if (now >= this.#consent.expiresAt) {
      this.#fail(now, 'CONSENT_LOST', `no answer from the peer for ${this.#settings.consentTimeoutMs} ms`);
    } else if (now >= this.#connectBy) {
      this.#fail(now, 'CONNECT_FAILED', `no candidate pair worked within ${this.#settings.connectTimeoutMs} ms`);
    }
    if (now >= this.#nominateAt) this.#nominateBest(now);
  }

  pollTimeout(): number {
    if (Number.isNaN(this.#deadline)) this.#deadline = this.#nextDeadline();
    return this.#deadline;
  }

  pollTransmit(now: number, out: Uint8Array, start: number, end: number): number {
    if (now < this.pollTimeout()) return 0;
    if (end - start < maxStunBytes) throw new RangeError(`out must have room for ${maxStunBytes} bytes`);
    this.#changed();
    const response = this.#responses.shift();
    if (response !== undefined) {
      this.#responsesSent++;
      this.#transmitPath = response.path;
      return encodeStun(out, start, response.fields, this.#localKey, this.#crypto);
    }
    const transaction = this.#transactions.takeRetransmission(now) ?? this.#nextCheck(now);
    return transaction === undefined ? 0 : this.#encodeRequest(out, start, transaction);
  }

  pollEvent(): IceEvent | undefined {
    return this.#events.shift();
  }

  close(now: number): void {
    if (this.#isDead()) return;
    this.#end(now, 'closed');
    this.#events.push({ type: 'closed' });
  }

  /** The new request that is due, started. */
  #nextCheck(now: number): Transaction | undefined {
    if (this.#remoteKey === undefined) return undefined;
    for (const pair of this.#triggered) {
      this.#triggered.delete(pair);
      if (pair.state === 'waiting') return this.#startCheck(now, pair, false);
    }
    if (this.#nominee !== undefined && this.#transactions.findActive(this.#nominee) === undefined) {
      return this.#startCheck(now, this.#nominee, true);
    }
    if (now >= this.#consent.nextAt) return this.#startConsent(now);
    const pair = now >= this.#pacing.nextAt && this.#wantsChecks() ? this.#list.nextPair() : undefined;
    return pair === undefined ? undefined : this.#startCheck(now, pair, false);
  }

  /** Ordinary checks stop with the nomination (RFC 8445 section 8.1.2), and resume where its path is in doubt. */
  #wantsChecks(): boolean {
    return this.#remoteKey !== undefined && (this.#selected === undefined || this.#state === 'disconnected');
  }

  #startCheck(now: number, pair: CandidatePair, useCandidate: boolean): Transaction {
    if (!useCandidate) pair.state = 'in-progress';
    this.#pacing.sent(now);
    this.#checksSent++;
    return this.#startTransaction(now, pair, 'check', useCandidate, this.#rtoMs(pair));
  }

  #startConsent(now: number): Transaction {
    const pair = this.#active!;
    if (this.#consent.isDisturbed && this.#state !== 'disconnected') {
      this.#setState(now, 'disconnected');
      // Another way may have come up in the meantime: a changed NAT binding, another interface.
      for (const other of this.#list.pairs) if (other !== pair && other.state !== 'in-progress') other.state = 'waiting';
    }
    this.#consent.sent(now);
    this.#consentRequestsSent++;
    return this.#startTransaction(now, pair, 'consent', false, this.#rtoMs(pair), this.#consent.timeoutMs);
  }

  #startTransaction(
    now: number,
    pair: CandidatePair,
    kind: Transaction['kind'],
    useCandidate: boolean,
    rtoMs: number,
    giveUpMs?: number,
  ): Transaction {
    const id = randomBytes(this.#random, stun.transactionIdBytes);
    const isControlling = this.#list.isControlling;
    const fields = { id, pair, kind, isControlling, tieBreaker: this.#tieBreaker, useCandidate, rtoMs };
    return this.#transactions.start(now, fields, giveUpMs);
  }

  #rtoMs(pair: CandidatePair): number {
    if (pair.rttMs !== undefined) return Math.min(maxKnownRtoMs, Math.max(minKnownRtoMs, 2 * pair.rttMs));
    const active = this.#list.count(({ state }) => state === 'waiting' || state === 'in-progress');
    return Math.max(minInitialRtoMs, this.#settings.paceMs * active);
  }

  #encodeRequest(out: Uint8Array, start: number, transaction: Transaction): number {
    const { id, pair, isControlling, tieBreaker, useCandidate } = transaction;
    this.#transmitPath = pair.path;
    const fields: StunFields = {
      type: bindingType.request,
      transactionId: id,
      username: this.#username,
      priority: pair.local.checkPriority,
      ...(isControlling ? { iceControlling: tieBreaker } : { iceControlled: tieBreaker }),
      useCandidate,
    };
    return encodeStun(out, start, fields, this.#remoteKey!, this.#crypto);
  }

  #handleRequest(now: number, path: Path, message: StunMessage, data: Uint8Array): boolean {
    // RFC 8489 section 9.1.3 would answer 400 and 401; strangers get no answer from us.
    const colon = message.username?.indexOf(':') ?? -1;
    if (colon < 0 || message.integrityAt < 0) return this.#drop('no-credentials');
    const remoteUfrag = message.username!.slice(colon + 1);
    const isOurs = message.username!.slice(0, colon) === this.localUfrag;
    if (!isOurs || remoteUfrag !== (this.#remoteUfrag ?? remoteUfrag)) return this.#drop('wrong-ufrag');
    if (!verifyIntegrity(data, message, this.#localKey, this.#crypto)) return this.#drop('integrity');
    if (!this.#list.hasLocal(path.local)) return this.#drop('unknown-local');
    if (parseIpAddress(path.remote.address) === undefined) return this.#drop('unknown-address');
    this.#checksReceived++;
    const { priority, useCandidate, unknownRequired } = message;
    if (unknownRequired.length > 0) {
      this.#respond(path, message, { errorCode: errorCode.unknownAttribute, unknownAttributes: unknownRequired });
    } else if (priority === undefined) {
      this.#respond(path, message, { errorCode: errorCode.badRequest });
    } else if (!this.#settleRole(now, message)) {
      this.#respond(path, message, { errorCode: errorCode.roleConflict });
    } else {
      // RFC 8445 section 7.3: the answer does not wait for the remote parameters.
      this.#respond(path, message, { mappedAddress: path.remote });
      if (this.#remoteKey !== undefined) this.#acceptCheck(now, path, priority, useCandidate);
      else this.#keepEarlyCheck({ path, remoteUfrag, priority, useCandidate, checkedPlainly: !useCandidate });
    }
    return true;
  }

  #respond(
    path: Path,
    request: StunMessage,
    fields: Pick<StunFields, 'errorCode' | 'unknownAttributes' | 'mappedAddress'>,
  ): void {
    if (this.#responses.length === maxResponses) {
      this.#drop('response-queue');
      return;
    }
    this.#changed();
    const type = fields.errorCode === undefined ? bindingType.success : bindingType.error;
    this.#responses.push({ path, fields: { type, transactionId: request.transactionId, ...fields } });
  }

  /** RFC 8445 section 7.3.1.1. False: the peer is the one to switch. */
  #settleRole(now: number, { iceControlling, iceControlled }: StunMessage): boolean {
    const isControlling = this.#list.isControlling;
    const theirs = isControlling ? iceControlling : iceControlled;
    if (theirs === undefined) return true;
    // The larger tie-breaker is controlling.
    const isLarger = compareBytes(this.#tieBreaker, theirs) >= 0;
    if (isControlling === isLarger) return false;
    this.#switchRole(now);
    return true;
  }

  #switchRole(now: number): void {
    this.#list.isControlling = !this.#list.isControlling;
    this.#nominee = undefined;
    this.#nominateAt = Number.POSITIVE_INFINITY;
    this.#trace(now, 'role-switched', { role: this.role });
    this.#changed();
    if (this.#list.isControlling) this.#planNomination(now);
  }

  #keepEarlyCheck(check: EarlyCheck): void {
    const known = this.#earlyChecks.find(({ path, remoteUfrag }) => path === check.path && remoteUfrag === check.remoteUfrag);
    if (known !== undefined) {
      known.checkedPlainly ||= check.checkedPlainly;
      known.useCandidate ||= check.useCandidate;
    } else if (this.#earlyChecks.length < maxEarlyChecks) this.#earlyChecks.push(check);
    else this.#drop('early-check-limit');
  }

  /** An authentic check that was answered with success (RFC 8445 sections 7.3.1.3 to 7.3.1.5). */
  #acceptCheck(now: number, path: Path, priority: number, useCandidate: boolean): void {
    const pair = this.#list.pairAt(path) ?? this.#list.learnPair(path, priority);
    if (pair === undefined) {
      this.#drop('pair-limit');
      return;
    }
    this.#changed();
    if (useCandidate && !this.#list.isControlling) pair.nominated = true;
    else pair.checkedPlainly = true;
    // A success of long ago says nothing about now, except where consent keeps it fresh.
    const isFresh = pair === this.#active || now - pair.lastSuccessAt < this.#settings.consentIntervalMs;
    if (pair.state === 'succeeded' && isFresh) {
      if (pair.nominated) this.#followNomination(now, pair);
      return;
    }
    const underWay = this.#transactions.findActive(pair);
    if (pair.state === 'in-progress' && underWay !== undefined) {
      // The way is open now; ours may have been lost before it was. Not more often than the pace.
      underWay.nextAt = Math.min(underWay.nextAt, Math.max(now, underWay.lastSentAt + this.#settings.paceMs));
      return;
    }
    pair.state = 'waiting';
    this.#triggered.add(pair);
  }

  #handleResponse(now: number, path: Path, message: StunMessage, data: Uint8Array): boolean {
    const transaction = this.#transactions.find(message.transactionId);
    if (transaction === undefined || this.#remoteKey === undefined) return this.#drop('unknown-transaction');
    if (!verifyIntegrity(data, message, this.#remoteKey, this.#crypto)) return this.#drop('integrity');
    const isSuccess = message.type === bindingType.success;
    if (isSuccess ? message.mappedAddress === undefined : message.errorCode === undefined) return this.#drop('malformed');
    if (message.unknownRequired.length > 0) return this.#drop('unknown-attribute');
    const { pair } = transaction;
    // RFC 8445 section 7.2.5.2.1: an answer comes the way that the request went.
    if (path !== pair.path) return this.#drop('wrong-path');
    this.#changed();
    this.#responsesReceived++;
    this.#transactions.remove(transaction);
    if (isSuccess) this.#handleSuccess(now, transaction, message.mappedAddress!);
    else this.#handleError(now, transaction, message.errorCode!);
    return true;
  }

  #handleSuccess(now: number, transaction: Transaction, mappedAddress: Address): void {
    const { pair } = transaction;
    // Which transmission was answered shows only where there was one (Karn).
    if (transaction.sends === 1) pair.rttMs = now - transaction.lastSentAt;
    pair.lastSuccessAt = now;
    this.#transactions.cancel((other) => other.pair === pair && !other.useCandidate);
    if (pair.state !== 'succeeded') {
      pair.state = 'succeeded';
      this.#triggered.delete(pair);
      this.#list.unfreezeLike(pair);
      // RFC 8445 section 7.2.5.3.1: seen from an address that is none of ours, it is peer-reflexive.
      if (!this.#list.isLocalAddress(mappedAddress)) pair.localPriority = pair.local.checkPriority;
    }
    if (pair === this.#active) this.#renewConsent(now);
    const isControlling = this.#list.isControlling;
    if (isControlling && transaction.isControlling && transaction.useCandidate) {
      this.#nominee = undefined;
      this.#select(now, pair);
    } else if (!isControlling && pair.nominated) this.#followNomination(now, pair);
    else if (this.#selected === undefined) {
      this.#adoptBest(now);
      if (isControlling) this.#planNomination(now);
    } else if (this.#state === 'disconnected' && pair !== this.#selected) {
      if (isControlling) this.#nominee ??= pair;
      else this.#select(now, pair);
    }
  }

  #renewConsent(now: number): void {
    this.#consent.answered(now);
    if (this.#state === 'disconnected') this.#setState(now, this.#selected === undefined ? 'connected' : 'completed');
  }

  #handleError(now: number, transaction: Transaction, code: number): void {
    const { pair } = transaction;
    this.#trace(now, 'check-refused', { code });
    if (code === errorCode.roleConflict) {
      // RFC 8445 section 7.2.5.1. The role may have changed since the request went out.
      if (transaction.isControlling === this.#list.isControlling && this.#roleConflicts++ < maxRoleConflicts) {
        this.#tieBreaker = randomBytes(this.#random, 8);
        this.#switchRole(now);
      }
      if (pair.state !== 'succeeded' && this.#roleConflicts < maxRoleConflicts) {
        pair.state = 'waiting';
        this.#triggered.add(pair);
        return;
      }
    }
    if (transaction.kind === 'check') this.#handleUnanswered(now, transaction);
  }

  /** A check without success. What has been valid stays so until its consent expires. */
  #handleUnanswered(now: number, { pair, useCandidate }: Transaction): void {
    if (pair.state === 'in-progress') pair.state = 'failed';
    if (!useCandidate || this.#nominee !== pair) return;
    this.#nominee = undefined;
    this.#nominateAt = now + minInitialRtoMs;
  }

  /** Before the nomination the best valid pair carries data (RFC 8445 section 12.1). */
  #adoptBest(now: number): void {
    const best = this.#list.best(({ state }) => state === 'succeeded');
    if (best === undefined || best === this.#active) return;
    this.#activate(now, best);
    this.#setState(now, 'connected');
  }

  #activate(now: number, pair: CandidatePair): void {
    this.#active = pair;
    this.#connectBy = Number.POSITIVE_INFINITY;
    this.#consent.start(now, pair.lastSuccessAt);
  }

  /** Regular nomination (RFC 8445 section 8.1.1) as soon as nothing better is likely to come. */
  #planNomination(now: number): void {
    if (this.#selected !== undefined || this.#nominee !== undefined) return;
    const best = this.#list.best(({ state }) => state === 'succeeded');
    if (best === undefined) return;
    const isControlling = this.#list.isControlling;
    const better = this.#list.count(
      (pair) => pair.state !== 'succeeded' && pair.state !== 'failed' && comparePairs(pair, best, isControlling) > 0,
    );
    if (better === 0) this.#nominateBest(now);
    else if (this.#nominateAt === Number.POSITIVE_INFINITY) {
      const graceMs = graceRoundTrips * (best.rttMs ?? maxGraceMs);
      this.#nominateAt = now + Math.min(maxGraceMs, Math.max(minGraceMs, graceMs));
    }
  }

  #nominateBest(now: number): void {
    this.#nominateAt = Number.POSITIVE_INFINITY;
    if (this.#isDead()) return;
    this.#nominee = this.#list.best(({ state }) => state === 'succeeded');
    this.#trace(now, 'nominating', {});
  }

  /**
   * Controlled side: the peer has nominated a valid pair. The newest nomination counts; but where a
   * peer nominates with its first check already, as RFC 5245 allowed, the highest priority does
   * (RFC 8445 section 8.1.1).
   */
  #followNomination(now: number, pair: CandidatePair): void {
    const selected = this.#selected;
    if (pair === selected) return;
    const isAggressive = !pair.checkedPlainly && this.#state !== 'disconnected';
    if (selected !== undefined && isAggressive && comparePairs(pair, selected, false) < 0) return;
    if (selected !== undefined) selected.nominated = false;
    this.#select(now, pair);
  }

  #select(now: number, pair: CandidatePair): void {
    if (pair !== this.#selected) {
      this.#selected = pair;
      this.#events.push({ type: 'selected', path: pair.path, rttMs: pair.rttMs });
    }
    this.#nominateAt = Number.POSITIVE_INFINITY;
    this.#activate(now, pair);
    // RFC 8445 section 8.1.2: the others need no more attempts.
    this.#transactions.cancel((other) => other.pair !== pair);
    for (const other of this.#list.pairs) if (other.state === 'in-progress' || other.state === 'waiting') other.state = 'frozen';
    this.#triggered.clear();
    this.#setState(now, 'completed');
  }

  #nextDeadline(): number {
    if (this.#isDead()) return Number.POSITIVE_INFINITY;
    if (this.#responses.length > 0 || this.#triggered.size > 0) return Number.NEGATIVE_INFINITY;
    const isNominating = this.#nominee !== undefined && this.#transactions.findActive(this.#nominee) === undefined;
    if (isNominating) return Number.NEGATIVE_INFINITY;
    const hasCheck = this.#wantsChecks() && this.#list.nextPair() !== undefined;
    return Math.min(
      hasCheck ? this.#pacing.nextAt : Number.POSITIVE_INFINITY,
      this.#transactions.nextAt,
      this.#consent.nextAt,
      this.#consent.expiresAt,
      this.#nominateAt,
      this.#connectBy,
    );
  }

  #fail(now: number, code: IceErrorCode, message: string): void {
    this.#end(now, 'failed');
    this.#events.push({ type: 'closed', error: new IceError(code, message) });
  }

  #end(now: number, state: 'failed' | 'closed'): void {
    this.#setState(now, state);
    this.#localKey.fill(0);
    this.#remoteKey?.fill(0);
    this.#tieBreaker.fill(0);
    this.#consent.stop();
    this.#transactions.clear();
    this.#list.clear();
    this.#responses.clear();
    this.#triggered.clear();
    this.#earlyChecks = [];
    this.#active = undefined;
    this.#selected = undefined;
    this.#nominee = undefined;
    this.#changed();
  }

  #isDead(): boolean {
    return this.#state === 'failed' || this.#state === 'closed';
  }

  #setState(now: number, state: IceState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#events.push({ type: 'state', state });
    this.#trace(now, 'state', { state });
  }

  #changed(): void {
    this.#deadline = Number.NaN;
  }

  #drop(reason: string): false {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + 1;
    return false;
  }

  #trace(now: number, name: string, detail: Readonly<Record<string, unknown>>): void {
    this.#settings.options.trace?.({ now, layer: 'ice', name, detail });
  }
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}
