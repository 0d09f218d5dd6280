import { copyOf } from '@millrace/core';
import { handleCookieAck, handleCookieEcho, handleInit, handleInitAck, handleStaleCookie } from './connect.ts';
import { close, type Core, trace } from './core.ts';
import { handleData, handleForwardTsn, handleSack } from './data-handler.ts';
import { SctpError } from './errors.ts';
import {
  chunkHeaderBytes,
  chunkLength,
  encodeChunk,
  encodeParameter,
  nextChunk,
  reportsUnknown,
  skipsUnknown,
} from './packet/chunk.ts';
import { chunkType } from './packet/chunk-type.ts';
import { decodeFirstCause, encodeError, errorCause, hasCause, tagReflected } from './packet/error-cause.ts';
import { checkPacket, packetHeaderBytes, verificationTag } from './packet/packet-header.ts';
import { handleShutdown, handleShutdownAck, handleShutdownComplete, repeatShutdown } from './shutdown.ts';
import { type State, stateTcb } from './state.ts';
import { countDrop } from './stats.ts';
import type { Tcb } from './tcb.ts';

/** Takes a packet. Whatever is in it, nothing is thrown: what can't be used is dropped and counted. */
export function handlePacket(core: Core, now: number, data: Uint8Array, start: number, end: number): void {
  const { counters, config } = core;
  const fault =
    checkPacket(data, start, end, config.localPort, config.remotePort, config.zeroChecksum) ?? checkLayout(data, start, end);
  if (fault !== undefined) return countDrop(counters, fault);
  const tag = verificationTag(data, start);
  const first = start + packetHeaderBytes;
  if (!isTagValid(core.state, data, first, tag)) return countDrop(counters, 'wrong-tag');
  counters.packetsReceived++;
  counters.bytesReceived += end - start;
  let dataChunks = 0;
  for (let at = first; at < end; ) {
    const length = chunkLength(data, at, end);
    const type = data[at]!;
    if (type === chunkType.data) dataChunks++;
    if (!handleChunk(core, now, tag, type, data, at, length, at === first)) break;
    at = nextChunk(at, length, end);
  }
  const tcb = dataChunks > 0 ? stateTcb(core.state) : undefined;
  if (tcb === undefined) return;
  tcb.tracker.policy.handlePacket(now, tcb.tracker.highestTsn, tcb.tracker.ranges.length > 0);
  repeatShutdown(core, now);
}

/** Every chunk has to be whole, or none is looked at (RFC 9260 section 3.2); some travel alone (section 6.10). */
function checkLayout(data: Uint8Array, start: number, end: number): string | undefined {
  const first = start + packetHeaderBytes;
  let alone = false;
  for (let at = first; at < end; ) {
    const length = chunkLength(data, at, end);
    if (length < 0) return 'bad-chunk-length';
    const type = data[at]!;
    if (type === chunkType.init || type === chunkType.initAck || type === chunkType.shutdownComplete) alone = true;
    at = nextChunk(at, length, end);
    if (alone && (at < end || type !== data[first])) return 'bundled';
  }
  return undefined;
}

/** RFC 9260 sections 8.5 and 8.5.1. */
function isTagValid(state: State, data: Uint8Array, first: number, tag: number): boolean {
  const type = data[first]!;
  if (type === chunkType.init) return tag === 0;
  // The cookie says what the tag has to be.
  if (type === chunkType.cookieEcho) return true;
  const tcb = stateTcb(state);
  const localTag = state.kind === 'cookie-wait' ? state.local.tag : tcb?.localTag;
  if (type === chunkType.abort || type === chunkType.shutdownComplete) {
    // With the T bit the sender had no state and gave our packet's tag back.
    if ((data[first + 1]! & tagReflected) !== 0) return tcb !== undefined && tag === tcb.peerTag;
    return tag === localTag;
  }
  if (
    type === chunkType.shutdownAck &&
    (state.kind === 'closed' || state.kind === 'cookie-wait' || state.kind === 'cookie-echoed')
  ) {
    return true;
  }
  return tag === localTag;
}

/** False where the rest of the packet is not to be looked at. */
function handleChunk(
  core: Core,
  now: number,
  tag: number,
  type: number,
  data: Uint8Array,
  at: number,
  length: number,
  isFirst: boolean,
): boolean {
  const tcb = stateTcb(core.state);
  switch (type) {
    case chunkType.data:
      return tcb === undefined ? drop(core, 'unexpected-chunk') : handleData(core, tcb, now, data, at, length);
    case chunkType.sack:
      if (tcb === undefined) return drop(core, 'unexpected-chunk');
      handleSack(core, tcb, now, data, at, length);
      break;
    case chunkType.init:
      handleInit(core, now, data, at, length);
      break;
    case chunkType.initAck:
      handleInitAck(core, now, data, at, length);
      break;
    case chunkType.cookieEcho:
      // RFC 9260 section 6.10: it comes first, because the tag was checked as its own.
      if (!isFirst) return drop(core, 'bundled');
      handleCookieEcho(core, now, data, at, length, tag);
      // What follows belongs to the association that the cookie makes, if it did.
      return stateTcb(core.state)?.localTag === tag;
    case chunkType.cookieAck:
      handleCookieAck(core, now);
      break;
    case chunkType.abort: {
      const cause = decodeFirstCause(data, at, length);
      const reason = cause?.text === undefined || cause.text === '' ? '' : `: ${cause.text}`;
      close(core, now, new SctpError('ABORTED', `the peer aborted the association${reason}`, cause?.code));
      return false;
    }
    case chunkType.shutdown:
      handleShutdown(core, now, data, at, length);
      break;
    case chunkType.shutdownAck:
      handleShutdownAck(core, now, tag);
      break;
    case chunkType.shutdownComplete:
      handleShutdownComplete(core, now);
      break;
    case chunkType.error:
      if (hasCause(data, at, length, errorCause.staleCookie)) handleStaleCookie(core, now);
      trace(core, now, 'error-received', { cause: decodeFirstCause(data, at, length)?.code });
      break;
    case chunkType.heartbeat:
    case chunkType.heartbeatAck:
      if (tcb === undefined || core.state.kind === 'cookie-echoed') return drop(core, 'unexpected-chunk');
      if (type === chunkType.heartbeat) answerHeartbeat(core, tcb, data, at, length);
      else if (tcb.heartbeat.handleAck(now, data, at, length)) tcb.errorCounter.clear();
      break;
    case chunkType.forwardTsn:
      if (tcb === undefined) return drop(core, 'unexpected-chunk');
      if (!tcb.forwardTsn) return handleUnknown(core, tcb, data, at, length);
      return handleForwardTsn(core, tcb, now, data, at, length);
    case chunkType.reConfig:
      if (tcb === undefined || core.state.kind === 'cookie-echoed') return drop(core, 'unexpected-chunk');
      if (!tcb.streamReset.handleReConfig(data, at, length)) countDrop(core.counters, 'bad-chunk');
      else tcb.errorCounter.clear();
      break;
    default:
      return handleUnknown(core, tcb, data, at, length);
  }
  return core.state.kind !== 'closed' || core.state.fresh;
}

function drop(core: Core, reason: string): true {
  countDrop(core.counters, reason);
  return true;
}

/** RFC 9260 section 8.3: the information goes back as it came. */
function answerHeartbeat(core: Core, tcb: Tcb, data: Uint8Array, at: number, length: number): void {
  const value = copyOf(data, at + chunkHeaderBytes, at + length);
  core.control.push(tcb.peerTag, encodeChunk(chunkType.heartbeatAck, 0, value));
}

/** RFC 9260 section 3.2: the two high bits of the type say what becomes of the packet. */
function handleUnknown(core: Core, tcb: Tcb | undefined, data: Uint8Array, at: number, length: number): boolean {
  countDrop(core.counters, 'unknown-chunk');
  const highBits = data[at]! >>> 6;
  if (reportsUnknown(highBits) && tcb !== undefined && core.state.kind !== 'cookie-echoed') {
    // As much of it as a packet takes.
    const copy = copyOf(data, at, at + Math.min(length, core.config.maxPacketBytes - 64));
    core.control.push(tcb.peerTag, encodeError([encodeParameter(errorCause.unrecognizedChunkType, copy)]));
  }
  return skipsUnknown(highBits);
}
