import { IceError } from '../errors.ts';
import { parseIpAddress } from '../ip-address.ts';
import { decodeStun, type StunMessage } from '../stun/decode-stun.ts';
import { maxStunBytes, type StunFields } from '../stun/encode-stun.ts';
import { bindingType, errorCode } from '../stun/stun-constants.ts';
import type { Address, Candidate, IceAgent, IceEvent, IceState, IceStats, Path } from '../types.ts';
import { AgentCounters } from './agent-counters.ts';
import { AgentLife } from './agent-life.ts';
import type { AgentSettings } from './agent-settings.ts';
import type { CandidatePair } from './candidate-pair.ts';
import { CheckList } from './check-list.ts';
import { Checks } from './checks.ts';
import { Consent } from './consent.ts';
import { createIceText } from './credentials.ts';
import { EarlyChecks } from './early-checks.ts';
import { Nomination, supersedes } from './nomination.ts';
import { Responses } from './responses.ts';
import { Role } from './role.ts';
import { StunSession } from './stun-session.ts';
import type { Transaction } from './transactions.ts';

/** One component's agent: candidates, checks, nomination and consent (RFC 8445, RFC 7675). */
export class Agent implements IceAgent {
  readonly localPwd: string;
  readonly #settings: AgentSettings;
  readonly #session: StunSession;
  readonly #role: Role;
  readonly #life: AgentLife;
  readonly #list: CheckList;
  readonly #checks: Checks;
  readonly #consent: Consent;
  readonly #nomination = new Nomination();
  readonly #earlyChecks = new EarlyChecks();
  readonly #counters = new AgentCounters();
  readonly #responses = new Responses();

  /** The pair that carries data: the nominated one, or the best valid one before that. */
  #active: CandidatePair | undefined;
  #selected: CandidatePair | undefined;
  #connectBy = Number.POSITIVE_INFINITY;
  #transmitPath: Path | undefined;
  /** The cached answer of `pollTimeout`; NaN where something has changed since. */
  #deadline = Number.NaN;

  constructor(settings: AgentSettings) {
    const { options, random, crypto } = settings;
    this.#settings = settings;
    this.#life = new AgentLife(options.trace);
    this.localPwd = options.pwd ?? createIceText(random, 24);
    this.#session = new StunSession(options.ufrag ?? createIceText(random, 8), this.localPwd, crypto);
    this.#role = new Role(options.role === 'controlling', random);
    this.#list = new CheckList((local, remote) => options.path(local, remote), this.#role);
    this.#checks = new Checks(this.#list, random, settings.paceMs);
    this.#consent = new Consent(settings.consentIntervalMs, settings.consentTimeoutMs, random);
  }

  get state(): IceState {
    return this.#life.state;
  }

  get role(): 'controlling' | 'controlled' {
    return this.#role.isControlling ? 'controlling' : 'controlled';
  }

  get localUfrag(): string {
    return this.#session.localUfrag;
  }

  get remoteUfrag(): string | undefined {
    return this.#session.remoteUfrag;
  }

  get selectedPath(): Path | undefined {
    return this.#active?.path;
  }

  get transmitPath(): Path | undefined {
    return this.#transmitPath;
  }

  get stats(): IceStats {
    return this.#counters.snapshot(this.#active?.rttMs);
  }

  addLocalCandidate(_now: number, local: number, address: Address): Candidate {
    if (!Number.isInteger(local) || local < 0) throw new RangeError('local must be an integer from 0 on');
    this.#changed();
    const { description } = this.#list.addLocal(local, address);
    return { ...description, ufrag: this.localUfrag };
  }

  setRemoteParameters(now: number, parameters: { ufrag: string; pwd: string; lite?: boolean }): void {
    const { ufrag, pwd, lite = false } = parameters;
    if (this.#life.isOver || !this.#session.setRemote(ufrag, pwd)) return;
    // RFC 8445 section 6.1.1: against a lite agent the full one is controlling.
    if (lite) this.#role.isControlling = true;
    this.#connectBy = now + this.#settings.connectTimeoutMs;
    this.#changed();
    this.#life.enter(now, 'checking');
    for (const { path, remoteUfrag, priority, isPlain, isNominating } of this.#earlyChecks.take()) {
      if (remoteUfrag !== ufrag) continue;
      if (isPlain) this.#acceptCheck(now, path, priority, false);
      if (isNominating) this.#acceptCheck(now, path, priority, true);
    }
  }

  addRemoteCandidate(_now: number, candidate: Candidate | undefined): boolean {
    // More pairs may come from the peer's own checks, so the end of candidates ends nothing before its time.
    if (candidate === undefined) return true;
    if (this.#life.isOver) return false;
    // A candidate of another generation (RFC 8838 section 11).
    const remoteUfrag = this.#session.remoteUfrag;
    if (candidate.ufrag !== undefined && remoteUfrag !== undefined && candidate.ufrag !== remoteUfrag) return false;
    this.#changed();
    return this.#list.addRemote(candidate);
  }

  handleDatagram(now: number, path: Path, data: Uint8Array, start: number, end: number): boolean {
    if (this.#life.isOver) return this.#counters.drop('closed');
    const message = decodeStun(data, start, end);
    if (message === undefined) return this.#counters.drop('malformed');
    if (message.fingerprint !== 'valid') return this.#counters.drop('fingerprint');
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
        return this.#counters.drop('unknown-method');
    }
  }

  handleTimeout(now: number): void {
    if (this.#life.isOver || now < this.pollTimeout()) return;
    this.#changed();
    for (;;) {
      const expired = this.#checks.transactions.takeExpired(now);
      if (expired === undefined) break;
      if (!expired.isCanceled) this.#handleUnanswered(now, expired);
    }
    const { consentTimeoutMs, connectTimeoutMs } = this.#settings;
    if (now >= this.#consent.expiresAt) {
      this.#end(now, 'failed', new IceError('CONSENT_LOST', `no answer from the peer for ${consentTimeoutMs} ms`));
    } else if (now >= this.#connectBy) {
      this.#end(now, 'failed', new IceError('CONNECT_FAILED', `no candidate pair worked within ${connectTimeoutMs} ms`));
    }
    if (now >= this.#nomination.at) this.#nomination.choose(this.#list);
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
      this.#counters.responsesSent++;
      this.#transmitPath = response.path;
      return this.#session.encodeResponse(out, start, response.fields);
    }
    const transaction = this.#checks.transactions.takeRetransmission(now) ?? this.#nextCheck(now);
    if (transaction === undefined) return 0;
    this.#transmitPath = transaction.pair.path;
    return this.#session.encodeRequest(out, start, transaction);
  }

  pollEvent(): IceEvent | undefined {
    return this.#life.shift();
  }

  close(now: number): void {
    if (!this.#life.isOver) this.#end(now, 'closed');
  }

  /** The new request that is due, started. */
  #nextCheck(now: number): Transaction | undefined {
    if (!this.#session.isReady) return undefined;
    let check = this.#checks.startTriggered(now);
    if (check === undefined && this.#checks.isFree(this.#nomination.nominee))
      check = this.#checks.start(now, this.#nomination.nominee!, true);
    if (check === undefined && now >= this.#consent.nextAt) return this.#startConsent(now);
    if (check === undefined && this.#wantsChecks()) check = this.#checks.startOrdinary(now);
    if (check !== undefined) this.#counters.checksSent++;
    return check;
  }

  /** Ordinary checks stop with the nomination (RFC 8445 section 8.1.2), and resume where its path is in doubt. */
  #wantsChecks(): boolean {
    return this.#session.isReady && (this.#selected === undefined || this.#life.state === 'disconnected');
  }

  #startConsent(now: number): Transaction {
    const pair = this.#active!;
    if (this.#consent.isDisturbed && this.#life.state !== 'disconnected') {
      this.#life.enter(now, 'disconnected');
      this.#checks.resumeOthers(pair);
    }
    this.#consent.sent(now);
    this.#counters.consentRequestsSent++;
    return this.#checks.startConsent(now, pair, this.#consent.timeoutMs);
  }

  #handleRequest(now: number, path: Path, message: StunMessage, data: Uint8Array): boolean {
    // RFC 8489 section 9.1.3 would answer 400 and 401; strangers get no answer from us.
    const sender = this.#session.senderOf(message);
    if (sender === undefined) return this.#counters.drop('wrong-ufrag');
    if (!this.#session.verifyRequest(data, message)) return this.#counters.drop('integrity');
    if (!this.#list.hasLocal(path.local)) return this.#counters.drop('unknown-local');
    if (parseIpAddress(path.remote.address) === undefined) return this.#counters.drop('unknown-address');
    this.#counters.checksReceived++;
    this.#changed();
    const refusal = this.#refusalOf(now, message);
    const isQueued = this.#responses.push(path, message, refusal ?? { mappedAddress: path.remote });
    if (!isQueued) this.#counters.drop('response-queue');
    if (refusal !== undefined) return true;
    // RFC 8445 section 7.3: the answer does not wait for the remote parameters, the rest does.
    const { priority = 0, useCandidate } = message;
    if (this.#session.isReady) this.#acceptCheck(now, path, priority, useCandidate);
    else if (!this.#earlyChecks.keep(path, sender, priority, useCandidate)) this.#counters.drop('early-check-limit');
    return true;
  }

  #refusalOf(now: number, message: StunMessage): Pick<StunFields, 'errorCode' | 'unknownAttributes'> | undefined {
    const { unknownRequired, priority } = message;
    if (unknownRequired.length > 0) return { errorCode: errorCode.unknownAttribute, unknownAttributes: unknownRequired };
    if (priority === undefined) return { errorCode: errorCode.badRequest };
    const role = this.#role.settle(message);
    if (role === 'switched') this.#handleRoleSwitch(now);
    return role === 'conflict' ? { errorCode: errorCode.roleConflict } : undefined;
  }

  #handleRoleSwitch(now: number): void {
    this.#life.trace(now, 'role-switched', { role: this.role });
    this.#changed();
    this.#nomination.stop();
    this.#planNomination(now);
  }

  /** An authentic check that was answered with success (RFC 8445 sections 7.3.1.3 to 7.3.1.5). */
  #acceptCheck(now: number, path: Path, priority: number, useCandidate: boolean): void {
    const pair = this.#list.pairAt(path) ?? this.#list.learnPair(path, priority);
    if (pair === undefined) {
      this.#counters.drop('pair-limit');
      return;
    }
    this.#changed();
    if (useCandidate && !this.#role.isControlling) pair.nominated = true;
    else pair.checkedPlainly = true;
    // A success of long ago says nothing about now, except where consent keeps it fresh.
    const isFresh = pair === this.#active || now - pair.lastSuccessAt < this.#settings.consentIntervalMs;
    if (pair.state !== 'succeeded' || !isFresh) this.#checks.trigger(now, pair);
    else if (pair.nominated) this.#followNomination(now, pair);
  }

  #handleResponse(now: number, path: Path, message: StunMessage, data: Uint8Array): boolean {
    const { transactions } = this.#checks;
    const transaction = transactions.find(message.transactionId);
    if (transaction === undefined) return this.#counters.drop('unknown-transaction');
    if (!this.#session.verifyResponse(data, message)) return this.#counters.drop('integrity');
    const isSuccess = message.type === bindingType.success;
    if (isSuccess ? message.mappedAddress === undefined : message.errorCode === undefined)
      return this.#counters.drop('malformed');
    if (message.unknownRequired.length > 0) return this.#counters.drop('unknown-attribute');
    const { pair } = transaction;
    // RFC 8445 section 7.2.5.2.1: an answer comes the way that the request went.
    if (path !== pair.path) return this.#counters.drop('wrong-path');
    this.#changed();
    this.#counters.responsesReceived++;
    transactions.remove(transaction);
    if (isSuccess) this.#handleSuccess(now, transaction, message.mappedAddress!);
    else this.#handleError(now, transaction, message.errorCode!);
    return true;
  }

  #handleSuccess(now: number, transaction: Transaction, mappedAddress: Address): void {
    const { pair } = transaction;
    // Which transmission was answered shows only where there was one (Karn).
    if (transaction.sends === 1) pair.rttMs = now - transaction.lastSentAt;
    pair.lastSuccessAt = now;
    // RFC 8445 section 7.2.5.3.1: seen from an address that is none of ours, it is peer-reflexive.
    if (!this.#list.isLocalAddress(mappedAddress)) pair.localPriority = pair.local.checkPriority;
    this.#checks.handleSuccess(pair);
    if (pair === this.#active) {
      this.#consent.answered(now);
      if (this.#life.state === 'disconnected') this.#life.enter(now, this.#selected === undefined ? 'connected' : 'completed');
    }
    const { isControlling } = this.#role;
    if (isControlling && transaction.isControlling && transaction.useCandidate) {
      this.#nomination.stop();
      this.#select(now, pair);
    } else if (!isControlling && pair.nominated) this.#followNomination(now, pair);
    else if (this.#selected === undefined) {
      this.#adoptBest(now);
      this.#planNomination(now);
    } else if (this.#life.state === 'disconnected' && pair !== this.#selected) {
      if (isControlling) this.#nomination.replace(pair);
      else this.#select(now, pair);
    }
  }

  #handleError(now: number, transaction: Transaction, code: number): void {
    const { pair } = transaction;
    this.#life.trace(now, 'check-refused', { code });
    if (code === errorCode.roleConflict) {
      if (this.#role.yieldRole(transaction.isControlling)) this.#handleRoleSwitch(now);
      if (pair.state !== 'succeeded' && this.#role.mayYield) {
        this.#checks.repeat(pair);
        return;
      }
    }
    if (transaction.kind === 'check') this.#handleUnanswered(now, transaction);
  }

  /** A check without success. What has been valid stays so until its consent expires. */
  #handleUnanswered(now: number, { pair, useCandidate }: Transaction): void {
    if (pair.state === 'in-progress') pair.state = 'failed';
    if (useCandidate) this.#nomination.handleFailure(now, pair);
  }

  /** Before the nomination the best valid pair carries data (RFC 8445 section 12.1). */
  #adoptBest(now: number): void {
    const best = this.#list.best(({ state }) => state === 'succeeded');
    if (best === undefined || best === this.#active) return;
    this.#activate(now, best);
    this.#life.enter(now, 'connected');
  }

  #activate(now: number, pair: CandidatePair): void {
    this.#active = pair;
    this.#connectBy = Number.POSITIVE_INFINITY;
    this.#consent.start(now, pair.lastSuccessAt);
  }

  #planNomination(now: number): void {
    if (this.#role.isControlling && this.#selected === undefined) this.#nomination.plan(now, this.#list);
  }

  /** Controlled side: the peer has nominated a valid pair. */
  #followNomination(now: number, pair: CandidatePair): void {
    const selected = this.#selected;
    if (pair === selected) return;
    if (selected !== undefined) {
      if (this.#life.state !== 'disconnected' && !supersedes(pair, selected)) return;
      selected.nominated = false;
    }
    this.#select(now, pair);
  }

  #select(now: number, pair: CandidatePair): void {
    if (pair !== this.#selected) {
      this.#selected = pair;
      this.#life.push({ type: 'selected', path: pair.path, rttMs: pair.rttMs });
    }
    this.#nomination.stop();
    this.#activate(now, pair);
    this.#checks.stopOthers(pair);
    this.#life.enter(now, 'completed');
  }

  #nextDeadline(): number {
    if (this.#life.isOver) return Number.POSITIVE_INFINITY;
    if (!this.#responses.isEmpty || this.#checks.hasTriggered || this.#checks.isFree(this.#nomination.nominee))
      return Number.NEGATIVE_INFINITY;
    return Math.min(
      this.#wantsChecks() ? this.#checks.ordinaryAt : Number.POSITIVE_INFINITY,
      this.#checks.transactions.nextAt,
      this.#consent.nextAt,
      this.#consent.expiresAt,
      this.#nomination.at,
      this.#connectBy,
    );
  }

  #end(now: number, state: 'failed' | 'closed', error?: IceError): void {
    this.#life.enter(now, state);
    this.#life.push(error === undefined ? { type: 'closed' } : { type: 'closed', error });
    this.#session.destroy();
    this.#nomination.stop();
    this.#consent.stop();
    this.#checks.clear();
    this.#list.clear();
    this.#responses.clear();
    this.#earlyChecks.take();
    this.#active = undefined;
    this.#selected = undefined;
    this.#changed();
  }

  #changed(): void {
    this.#deadline = Number.NaN;
  }
}
