import type { Core } from './core.ts';
import { packetHeaderBytes } from './packet/packet-header.ts';
import type { PacketWriter } from './packet/packet-writer.ts';
import { sackHeaderBytes } from './packet/sack-chunk.ts';
import { writeSack } from './rx/sack-writer.ts';
import { stateTcb } from './state.ts';
import { receiveWindow, type Tcb } from './tcb.ts';

/** Less room than this holds no packet worth sending. */
const minPacketBytes = packetHeaderBytes + 2 * sackHeaderBytes;

/**
 * Writes the next packet, bundling in the order control, SACK, FORWARD-TSN, RE-CONFIG, lost DATA,
 * new DATA (RFC 9260 section 6.10: control chunks come first) until it is full.
 */
export function writePacket(core: Core, writer: PacketWriter, now: number, out: Uint8Array, start: number, end: number): number {
  const limit = Math.min(end, start + core.config.maxPacketBytes);
  const { state, control } = core;
  const tcb = stateTcb(state);
  const controlTag = control.nextTag;
  if (limit - start < minPacketBytes || (controlTag < 0 && tcb === undefined)) return 0;
  const tag = controlTag >= 0 ? controlTag : tcb!.peerTag;
  writer.begin(out, start, limit, core.config.localPort, core.config.remotePort, tag);
  const complete = controlTag >= 0 && control.write(writer);
  if (!complete && tcb !== undefined && tag === tcb.peerTag) {
    if (state.kind === 'cookie-echoed') {
      // RFC 9260 section 5.1 C: until the COOKIE ACK is here, DATA goes behind a COOKIE ECHO only.
      if (!writer.isEmpty) tcb.retransmission.writeData(now, writer);
    } else {
      writeChunks(core, tcb, writer, now);
    }
  }
  // To a peer that has agreed; others with the same carrier have not (RFC 9653 section 5.2).
  const length = writer.finish(tcb !== undefined && tcb.zeroChecksum && tag === tcb.peerTag);
  if (length > 0) {
    core.counters.packetsSent++;
    core.counters.bytesSent += length;
  }
  return length;
}

function writeChunks(core: Core, tcb: Tcb, writer: PacketWriter, now: number): void {
  const { tracker, retransmission } = tcb;
  const { policy } = tracker;
  const aRwnd = receiveWindow(core, tcb);
  if (hasOpened(core, tcb, aRwnd)) policy.request();
  // A SACK that is being delayed rides along with DATA.
  if ((policy.due || (policy.pending && retransmission.wantsToSend())) && writer.remaining >= sackHeaderBytes) {
    writeSack(writer, tracker, aRwnd);
    tcb.advertisedBytes = aRwnd;
  }
  retransmission.writeForwardTsn(now, writer);
  const reConfig = tcb.streamReset.poll(now, writer.remaining);
  if (reConfig !== undefined) writer.put(reConfig);
  // RFC 9260 section 9.2: after SHUTDOWN there is nothing left to send.
  retransmission.writeData(now, writer);
}

/** A window that was nearly shut has opened: the peer has to hear of it, or it would wait for its probe (RFC 9260 section 6.2). */
function hasOpened(core: Core, tcb: Tcb, aRwnd: number): boolean {
  const { receiveBufferBytes, maxPacketBytes } = core.config;
  const advertised = tcb.advertisedBytes;
  return (
    (advertised < receiveBufferBytes / 4 && aRwnd >= receiveBufferBytes / 2) ||
    (advertised < maxPacketBytes && aRwnd >= 2 * maxPacketBytes)
  );
}
