import { BackoffTimer, randomUint32, copyOf } from '@millrace/core';
import { close, type Core, trace } from './core.ts';
import { SctpError } from './errors.ts';
import { encodeChunk, encodeParameter, joinParameters } from './packet/chunk.ts';
import { chunkType } from './packet/chunk-type.ts';
import { encodeAbort, encodeError, errorCause } from './packet/error-cause.ts';
import { type DecodedInit, decodeInit, encodeInit, type InitParameters, parameterType } from './packet/init-chunk.ts';
import { beginShutdown, sendShutdownAck } from './shutdown.ts';
import { type LocalHandshake, type State, stateTcb } from './state.ts';
import { countDrop } from './stats.ts';
import { cookieStalenessMs, decodeStateCookie, encodeStateCookie, type StateCookie } from './state-cookie.ts';
import { createTcb, type Tcb, type TcbParameters } from './tcb.ts';

/*
 * Association set-up (RFC 9260 section 5):
 *
 *   1. INIT ->            cookie-wait, T1-init
 *   2. <- INIT ACK        no state is kept: all of it is in the cookie
 *   3. COOKIE ECHO ->     cookie-echoed, T1-cookie; DATA may follow in the packet
 *   4. <- COOKIE ACK      both established
 *
 * In WebRTC both sides send INIT (RFC 8841), so they meet halfway as section 5.2.1 describes.
 */

/** Max.Init.Retransmits (RFC 9260 section 16). */
const maxInitRetransmits = 8;

/** RFC 9260 section 3.3.2: a smaller window is not to be accepted. */
const minARwnd = 1500;

/** RFC 9260 section 3.3.10.2, for the one parameter that is mandatory beyond the fixed ones. */
const missingCookie: Uint8Array = encodeParameter(
  errorCause.missingMandatoryParameter,
  Uint8Array.of(0, 0, 0, 1, parameterType.stateCookie >> 8, parameterType.stateCookie),
);

export function startConnect(core: Core, now: number): void {
  const { state } = core;
  if (state.kind !== 'closed') return;
  if (!state.fresh) throw new SctpError('CLOSED', 'the association has ended; create another');
  const local = drawHandshake(core);
  sendInit(core, now, local, new BackoffTimer());
}

function sendInit(core: Core, now: number, local: LocalHandshake, t1Init: BackoffTimer, earlier?: Tcb): void {
  const init = encodeInit(initParameters(core, local));
  core.state = { kind: 'cookie-wait', local, init, t1Init, earlier };
  core.control.push(0, init, true);
  t1Init.start(now, core.config.rto.initialMs, core.config.rto.maxMs);
}

/** T1-init or T1-cookie (RFC 9260 sections 5.1 and 4): the same chunk again. */
export function handleConnectTimeout(core: Core, now: number, state: State): void {
  if (state.kind !== 'cookie-wait' && state.kind !== 'cookie-echoed') return;
  const timer = state.kind === 'cookie-wait' ? state.t1Init : state.t1Cookie;
  if (!timer.expired(now)) return;
  core.counters.timeouts++;
  if (timer.expirations > maxInitRetransmits) {
    close(core, now, new SctpError('TIMEOUT', 'the peer did not answer the handshake'));
    return;
  }
  // A packet that the carrier has not taken yet would only be doubled.
  core.control.clear();
  if (state.kind === 'cookie-wait') core.control.push(0, state.init, true);
  else core.control.push(state.tcb.peerTag, state.cookieEcho);
  timer.start(now, core.config.rto.initialMs, core.config.rto.maxMs);
}

export function handleInit(core: Core, now: number, data: Uint8Array, at: number, length: number): void {
  const { state } = core;
  if (state.kind === 'closed' && !state.fresh) return countDrop(core.counters, 'closed');
  const init = decodeInit(data, at, length);
  // RFC 9260 section 3.3.2: an Initiate Tag of 0 is discarded in silence.
  if (init === undefined || init.initiateTag === 0) return countDrop(core.counters, 'bad-init');
  if (!isAcceptable(init)) {
    countDrop(core.counters, 'bad-init');
    // Only to somebody who has no association with us: else anybody could end one.
    const cause = encodeParameter(errorCause.invalidMandatoryParameter);
    if (state.kind === 'closed') core.control.push(init.initiateTag, encodeAbort([cause]), true);
    return;
  }
  if (state.kind === 'shutdown-ack-sent') {
    // RFC 9260 section 9.2: the answer to an INIT is the SHUTDOWN ACK again.
    sendShutdownAck(core, now, state);
    return;
  }
  const tcb = stateTcb(state);
  // RFC 9260 section 5.2.1: while both call, the answer says the same of us as our own INIT.
  // Section 5.2.2: in other states a new tag, and the tags of the old association beside it.
  const calling = state.kind === 'cookie-wait' || state.kind === 'cookie-echoed';
  const local = calling ? state.local : drawHandshake(core);
  const cookie = encodeStateCookie(core.cookieSecret, {
    parameters: negotiate(core, local, init),
    localTieTag: tcb?.localTag ?? 0,
    peerTieTag: tcb?.peerTag ?? 0,
    createdAt: now,
  });
  core.control.push(init.initiateTag, encodeInit(initParameters(core, local), cookie, init.unrecognized), true);
}

export function handleInitAck(core: Core, now: number, data: Uint8Array, at: number, length: number): void {
  const { state } = core;
  // RFC 9260 section 5.2.3: in any other state it is discarded.
  if (state.kind !== 'cookie-wait') return countDrop(core.counters, 'unexpected-chunk');
  const init = decodeInit(data, at, length);
  if (init === undefined) return countDrop(core.counters, 'bad-init');
  if (init.initiateTag === 0 || !isAcceptable(init) || init.cookie === undefined) {
    // RFC 9260 section 3.3.3. Without a tag there is nothing that an ABORT could carry.
    if (init.initiateTag !== 0) {
      const cause = isAcceptable(init) ? missingCookie : encodeParameter(errorCause.invalidMandatoryParameter);
      core.control.push(init.initiateTag, encodeAbort([cause]), true);
    }
    close(core, now, new SctpError('PROTOCOL_VIOLATION', 'the INIT ACK of the peer is not acceptable'));
    return;
  }
  const { local } = state;
  const tcb = createTcb(core, now, negotiate(core, local, init), state.earlier);
  const t1Cookie = new BackoffTimer();
  const cookieEcho = encodeChunk(chunkType.cookieEcho, 0, init.cookie);
  core.state = { kind: 'cookie-echoed', local, tcb, cookieEcho, t1Cookie };
  core.events.held = true;
  dropForeignStreams(core, tcb);
  core.control.push(tcb.peerTag, cookieEcho);
  if (init.unrecognized.length > 0) {
    // RFC 9260 section 3.2.2: reported behind the COOKIE ECHO.
    const cause = encodeParameter(errorCause.unrecognizedParameters, joinParameters(init.unrecognized));
    core.control.push(tcb.peerTag, encodeError([cause]));
  }
  t1Cookie.start(now, core.config.rto.initialMs, core.config.rto.maxMs);
}

/** `packetTag` is the verification tag of the packet, which has to be the one in the cookie (RFC 9260 section 5.1.5). */
export function handleCookieEcho(core: Core, now: number, data: Uint8Array, at: number, length: number, packetTag: number): void {
  const { state } = core;
  const cookie = decodeStateCookie(core.cookieSecret, copyOf(data, at + 4, at + length));
  if (cookie === undefined || cookie.parameters.localTag !== packetTag || (state.kind === 'closed' && !state.fresh)) {
    return countDrop(core.counters, 'bad-cookie');
  }
  if (state.kind === 'closed') {
    if (!isStale(core, now, cookie)) establish(core, now, cookie.parameters);
    return;
  }
  const tcb = stateTcb(state);
  const localTag = state.kind === 'cookie-wait' ? state.local.tag : state.tcb.localTag;
  const sameLocal = cookie.parameters.localTag === localTag;
  const samePeer = cookie.parameters.peerTag === tcb?.peerTag;
  // RFC 9260 section 5.2.4, the table's rows.
  if (sameLocal && samePeer) {
    // D: the tags match, so it is a repetition, or both sides called.
    if (state.kind === 'cookie-echoed') establish(core, now, cookie.parameters);
    else core.control.push(cookie.parameters.peerTag, encodeChunk(chunkType.cookieAck, 0));
  } else if (sameLocal) {
    // B: the peer began its own INIT after it had answered ours, with another tag.
    const untouched = tcb === undefined || (tcb.tracker.highestTsn < 0 && state.kind !== 'shutdown-ack-sent');
    if (!untouched || isStale(core, now, cookie)) return countDrop(core.counters, 'bad-cookie');
    establish(core, now, cookie.parameters);
  } else if (tcb !== undefined && !samePeer && cookie.localTieTag === tcb.localTag && cookie.peerTieTag === tcb.peerTag) {
    // A: the peer has restarted.
    if (state.kind === 'shutdown-ack-sent') {
      sendShutdownAck(core, now, state);
      return;
    }
    if (!isStale(core, now, cookie)) restart(core, now, cookie.parameters);
  } else {
    // C, or nothing we know.
    countDrop(core.counters, 'bad-cookie');
  }
}

export function handleCookieAck(core: Core, now: number): void {
  const { state } = core;
  // RFC 9260 section 5.2.5.
  if (state.kind !== 'cookie-echoed') return countDrop(core.counters, 'unexpected-chunk');
  core.control.clear();
  enterEstablished(core, now, state.tcb);
}

/** RFC 9260 section 5.2.6: our cookie was too old for the peer, so another is asked for. */
export function handleStaleCookie(core: Core, now: number): void {
  const { state } = core;
  if (state.kind !== 'cookie-echoed') return;
  const t1Init = new BackoffTimer();
  t1Init.expirations = state.t1Cookie.expirations + 1;
  if (t1Init.expirations > maxInitRetransmits) {
    close(core, now, new SctpError('TIMEOUT', 'the peer finds every cookie stale'));
    return;
  }
  core.control.clear();
  core.events.held = false;
  // DATA may have gone out behind the cookie; its TSNs stay ours.
  sendInit(core, now, state.local, t1Init, state.tcb);
}

function establish(core: Core, now: number, parameters: TcbParameters): void {
  const { state } = core;
  const old = state.kind === 'cookie-wait' ? state.earlier : stateTcb(state);
  core.control.clear();
  core.control.push(parameters.peerTag, encodeChunk(chunkType.cookieAck, 0));
  if (state.kind === 'cookie-echoed' && old !== undefined && old.peerTag === parameters.peerTag) {
    enterEstablished(core, now, old);
    return;
  }
  // What was sent under our tag and TSNs stays valid: the peer's side alone is new.
  const tcb = createTcb(core, now, parameters, old);
  // DATA behind a cookie that the peer could not take never arrived.
  tcb.retransmission.resend();
  if (state.kind === 'closed' || state.kind === 'cookie-wait' || state.kind === 'cookie-echoed') enterEstablished(core, now, tcb);
  else core.state = { ...state, tcb };
}

function enterEstablished(core: Core, now: number, tcb: Tcb): void {
  core.state = { kind: 'established', tcb };
  trace(core, now, 'established', { outgoingStreams: tcb.outgoingStreams, incomingStreams: tcb.incomingStreams });
  const { outgoingStreams, incomingStreams } = tcb;
  core.events.release({ type: 'connected', outgoingStreams, incomingStreams });
  dropForeignStreams(core, tcb);
  tcb.retransmission.handleEstablished(now);
  if (core.shutdownWanted) beginShutdown(core, now);
}

/** What was queued for streams that the peer does not take can't be sent: the application is told. */
function dropForeignStreams(core: Core, tcb: Tcb): void {
  const streamIds = core.sendQueue.dropStreamsFrom(tcb.outgoingStreams);
  if (streamIds.length === 0) return;
  const error = new SctpError('RESET_FAILED', `the peer takes streams below ${tcb.outgoingStreams} only`);
  core.events.push({ type: 'outgoing-reset', streamIds, error });
}

function restart(core: Core, now: number, parameters: TcbParameters): void {
  const { state } = core;
  const old = stateTcb(state);
  if (old === undefined) return;
  old.retransmission.discard();
  core.sendQueue.handleRestart();
  core.control.clear();
  core.control.push(parameters.peerTag, encodeChunk(chunkType.cookieAck, 0));
  const tcb = createTcb(core, now, parameters);
  core.state = { kind: 'established', tcb };
  trace(core, now, 'restarted');
  core.events.held = false;
  core.events.push({ type: 'restarted' });
  old.streamReset.abandon();
  dropForeignStreams(core, tcb);
  if (core.shutdownWanted) beginShutdown(core, now);
}

function isStale(core: Core, now: number, cookie: StateCookie): boolean {
  const stalenessMs = cookieStalenessMs(cookie, now);
  if (stalenessMs === 0) return false;
  countDrop(core.counters, 'stale-cookie');
  const microseconds = Math.min(0xffff_ffff, Math.floor(1000 * stalenessMs));
  const value = Uint8Array.of(microseconds >>> 24, microseconds >>> 16, microseconds >>> 8, microseconds);
  core.control.push(cookie.parameters.peerTag, encodeError([encodeParameter(errorCause.staleCookie, value)]));
  return true;
}

function isAcceptable(init: DecodedInit): boolean {
  return init.outboundStreams > 0 && init.inboundStreams > 0 && init.aRwnd >= minARwnd;
}

function drawHandshake(core: Core): LocalHandshake {
  let tag = 0;
  while (tag === 0) tag = randomUint32(core.config.random);
  return { tag, initialTsn: randomUint32(core.config.random) };
}

function initParameters(core: Core, local: LocalHandshake): InitParameters {
  const { receiveBufferBytes, streams } = core.config;
  return {
    initiateTag: local.tag,
    aRwnd: receiveBufferBytes,
    outboundStreams: streams,
    inboundStreams: streams,
    initialTsn: local.initialTsn,
    forwardTsn: true,
    reConfig: true,
    zeroChecksum: core.config.zeroChecksum,
  };
}

function negotiate(core: Core, local: LocalHandshake, init: DecodedInit): TcbParameters {
  return {
    localTag: local.tag,
    localInitialTsn: local.initialTsn,
    peerTag: init.initiateTag,
    peerInitialTsn: init.initialTsn,
    peerARwnd: init.aRwnd,
    // RFC 9260 section 5.1.1: what one side offers and the other takes.
    outgoingStreams: Math.min(core.config.streams, init.inboundStreams),
    incomingStreams: Math.min(core.config.streams, init.outboundStreams),
    forwardTsn: init.forwardTsn,
    reConfig: init.reConfig,
    zeroChecksum: core.config.zeroChecksum && init.zeroChecksum,
  };
}
