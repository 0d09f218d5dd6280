import { Ring } from '@millrace/core';
import type { Association, AssociationEvent } from 'sctp-js';
import type { Channel, ChannelOptions } from '../channel-types.ts';
import { type DataChannelOpen, decodeDcep, encodeDataChannelAck, encodeDataChannelOpen } from '../dcep/dcep.ts';
import { type PayloadKind, payloadKind, ppids } from '../dcep/ppids.ts';
import { ChannelError } from '../errors.ts';
import { type ChannelOwner, DataChannel } from './channel.ts';
import type { ChannelEvent } from './channel-event.ts';
import { checkChannelOptions, utf8Bytes } from './channel-parameters.ts';
import { type ChannelRecord, createChannelRecord } from './channel-record.ts';
import type { DtlsRole } from './dtls-role.ts';
import { EarlyMessages, resetMark } from './early-messages.ts';
import { readPayload } from './message-payload.ts';
import { Outbox, type OutboxOptions } from './outbox.ts';
import { StreamIds } from './stream-ids.ts';

export interface ChannelManagerOptions extends OutboxOptions {
  readonly maxChannels: number;
  /** Largest incoming message in bytes. */
  readonly maxMessageSize: number;
}

/** Bytes held for streams without a channel. */
const maxEarlyBytes = 1 << 20;
/** Bytes of messages that come in pieces, over all channels. */
const maxPieceBytes = 4 << 20;
/** Bytes of labels and protocols that the peer may make us hold. */
const maxRemoteTextBytes = 4 << 20;

/**
 * The channels of one association (RFC 8831): identifiers, DCEP (RFC 8832) and closing by stream
 * reset. It is told what the association reports, and answers through it.
 */
export class ChannelManager {
  messagesReceived = 0;
  messageBytesReceived = 0;
  readonly dropped: Record<string, number> = {};
  readonly outbox: Outbox;
  readonly #options: ChannelManagerOptions;
  readonly #records = new Set<ChannelRecord>();
  readonly #byId = new Map<number, ChannelRecord>();
  readonly #events = new Ring<ChannelEvent>();
  readonly #early = new EarlyMessages(maxEarlyBytes);
  /** Streams on which the peer wanted more channels than we take, until it has reset them. */
  readonly #refused = new Set<number>();
  readonly #owner: ChannelOwner;
  #ids: StreamIds | undefined;
  #association: Association | undefined;
  #connected = false;
  #closed = false;
  #remoteTextBytes = 0;
  #pieceBytes = 0;

  constructor(options: ChannelManagerOptions) {
    this.#options = options;
    this.outbox = new Outbox(options, this.#events);
    this.#owner = {
      state: (record) => this.outbox.state(record),
      send: (record, data, isText) => this.outbox.send(record, data, isText),
      writable: (record) => this.outbox.writable(record),
      bufferedBytes: (record) => this.outbox.bufferedBytes(record),
      close: (record) => this.#close(record),
    };
  }

  get count(): number {
    return this.#records.size;
  }

  /** Payload given to `send` and not yet acknowledged or abandoned, over all channels. */
  get bufferedBytes(): number {
    let bytes = 0;
    for (const record of this.#records) bytes += this.outbox.bufferedBytes(record);
    return bytes;
  }

  pollEvent(): ChannelEvent | undefined {
    return this.#events.shift();
  }

  /** Throws TypeError or RangeError for a bad option, ChannelError where the channel can't be had. */
  createChannel(label: string, options: ChannelOptions = {}): Channel {
    const { id: wanted, ...parameters } = checkChannelOptions(label, options);
    if (this.#closed) throw new ChannelError('PEER_CLOSED', 'the peer is closed');
    if (this.#records.size >= this.#options.maxChannels) {
      throw new ChannelError('TOO_MANY_CHANNELS', `maxChannels is ${this.#options.maxChannels}`);
    }
    if (wanted !== undefined) {
      if (this.#byId.has(wanted)) throw new ChannelError('ID_IN_USE', `id ${wanted} is in use`);
      if (this.#ids !== undefined && wanted >= this.#ids.limit) throw noStream(wanted, this.#ids.limit);
    }
    const id = wanted ?? this.#ids?.take((taken) => this.#byId.has(taken)) ?? -1;
    if (this.#ids !== undefined && id === -1) throw new ChannelError('NO_STREAM', 'all stream identifiers are in use');
    const record = this.#add(createChannelRecord(parameters, id));
    if (this.#association !== undefined) {
      this.#attachRecord(record);
      this.outbox.handleAttached();
    }
    this.#options.wake();
    return record.face;
  }

  /** The DTLS role is known, and with it which identifiers are ours (RFC 8832 section 6). */
  setRole(role: DtlsRole): void {
    this.#ids = new StreamIds(role);
    for (const record of this.#records) {
      if (record.id !== -1) continue;
      record.id = this.#ids.take((taken) => this.#byId.has(taken));
      if (record.id === -1) this.#finish(record, new ChannelError('NO_STREAM', 'all stream identifiers are in use'));
      else this.#byId.set(record.id, record);
    }
  }

  /** There is an association to queue on; `setRole` has been called. */
  attach(association: Association): void {
    this.#association = association;
    this.outbox.attach(association);
    for (const record of this.#records) this.#attachRecord(record);
    this.outbox.handleAttached();
  }

  /** Messages come after `connected` alone. */
  handleAssociationEvent(event: AssociationEvent): void {
    switch (event.type) {
      case 'connected':
        this.#handleConnected(Math.min(event.outgoingStreams, event.incomingStreams));
        break;
      case 'message':
        this.#handleMessage(event.streamId, event.ppid, event.data);
        break;
      case 'incoming-reset':
        for (const id of event.streamIds) this.#handleIncomingReset(id);
        break;
      case 'outgoing-reset':
        for (const id of event.streamIds) this.#handleOutgoingReset(id, event.error);
        break;
      case 'drain':
        this.outbox.handleDrain();
        break;
      default:
        break;
    }
  }

  /** The end of the connection, for all channels. @param cut where no error, for those with something left to deliver */
  closeAll(error: ChannelError | undefined, cut: ChannelError | undefined): void {
    this.#closed = true;
    for (const record of this.#records) {
      const cutOff = this.outbox.bufferedBytes(record) > 0 ? cut : undefined;
      this.#finish(record, record.error ?? error ?? cutOff);
    }
    this.#early.clear();
  }

  #handleConnected(limit: number): void {
    this.#connected = true;
    this.#ids!.limit = limit;
    for (const record of this.#records) {
      if (record.id >= limit) this.#finish(record, noStream(record.id, limit));
      else if (record.state === 'closing') this.#requestReset(record);
      else this.#open(record);
    }
  }

  #handleMessage(id: number, ppid: number, data: Uint8Array): void {
    if (this.#refused.has(id)) return this.#drop('refused-stream');
    const record = this.#byId.get(id);
    if (record === undefined || record.incomingReset) {
      // Of a negotiated channel that is not created here yet, or of the next user of the stream.
      const open = record === undefined && ppid === ppids.dcep ? decodeDcep(data) : undefined;
      if (open?.type === 'open') this.#accept(id, open);
      else if (record === undefined && ppid === ppids.dcep) this.#drop('malformed-dcep');
      else if (!this.#early.hold(id, { ppid, data })) this.#drop('early-message');
      return;
    }
    if (ppid === ppids.dcep) return this.#handleDcep(record, data);
    // An answer of any kind shows that the peer knows the channel (RFC 8832 section 6).
    record.confirmed = true;
    if (record.state !== 'open') return this.#drop('after-close');
    const kind = payloadKind(ppid);
    if (kind === undefined) return this.#drop('unknown-ppid');
    this.#handlePayload(record, kind, data);
  }

  #handlePayload(record: ChannelRecord, kind: PayloadKind, data: Uint8Array): void {
    let whole: Uint8Array | undefined = data;
    if (kind.isPartial || record.pieces.isOpen) {
      this.#addPiece(record, data);
      if (kind.isPartial) return;
      this.#pieceBytes -= record.pieces.length;
      whole = record.pieces.take();
      if (whole === undefined) return;
    }
    this.messagesReceived++;
    this.messageBytesReceived += kind.isEmpty ? 0 : whole.length;
    this.#events.push({ type: 'channel-message', channel: record.face, data: readPayload(kind, whole) });
  }

  #addPiece(record: ChannelRecord, data: Uint8Array): void {
    const { pieces } = record;
    const { maxMessageSize } = this.#options;
    const held = pieces.length;
    if (held + data.length > maxMessageSize || this.#pieceBytes + data.length > Math.max(maxPieceBytes, maxMessageSize)) {
      if (!pieces.isGivenUp) this.#drop('message-too-large');
      pieces.giveUp();
    }
    pieces.add(data);
    this.#pieceBytes += pieces.length - held;
  }

  #handleDcep(record: ChannelRecord, data: Uint8Array): void {
    const message = decodeDcep(data);
    if (message === undefined) return this.#drop('malformed-dcep');
    record.confirmed = true;
    if (message.type === 'open') {
      const text = `the peer opened a channel on stream ${record.id}, which is in use`;
      this.#fail(record, new ChannelError('PROTOCOL_VIOLATION', text));
    }
  }

  /** The peer opens a channel (RFC 8832 section 6). */
  #accept(id: number, open: Required<DataChannelOpen>): void {
    if (id >= this.#ids!.limit) return this.#drop('stream-out-of-range');
    const { label, protocol, ordered, maxRetransmits, maxPacketLifeTime } = open;
    const textBytes = utf8Bytes(label) + utf8Bytes(protocol);
    if (this.#records.size >= this.#options.maxChannels || this.#remoteTextBytes + textBytes > maxRemoteTextBytes) {
      this.#refused.add(id);
      this.#resetStream(id);
      return this.#drop('channel-refused');
    }
    const record = this.#add(
      createChannelRecord({ label, protocol, ordered, maxRetransmits, maxPacketLifeTime, negotiated: false }, id),
    );
    record.remoteTextBytes = textBytes;
    this.#remoteTextBytes += textBytes;
    record.confirmed = true;
    record.attached = true;
    this.outbox.sendDcep(record, encodeDataChannelAck());
    this.#events.push({ type: 'channel', channel: record.face });
    this.#open(record);
  }

  #add(record: ChannelRecord): ChannelRecord {
    record.face = new DataChannel(record, this.#owner);
    this.#records.add(record);
    if (record.id !== -1) this.#byId.set(record.id, record);
    return record;
  }

  /** Sends DATA_CHANNEL_OPEN and what waited, ahead of the association's set-up where that is not done. */
  #attachRecord(record: ChannelRecord): void {
    record.attached = true;
    if (!record.parameters.negotiated) this.outbox.sendDcep(record, encodeDataChannelOpen(record.parameters));
    const error = this.outbox.sendPending(record);
    if (error !== undefined) this.#fail(record, error);
    else if (this.#connected && record.state === 'connecting') this.#open(record);
  }

  #open(record: ChannelRecord): void {
    record.state = 'open';
    this.#events.push({ type: 'channel-open', channel: record.face });
    this.#replay(record.id);
  }

  /** Handles what came for the stream before it had its channel. */
  #replay(id: number): void {
    for (const { ppid, data } of this.#early.take(id)) {
      if (ppid === resetMark) this.#handleIncomingReset(id);
      else this.#handleMessage(id, ppid, data);
    }
  }

  #close(record: ChannelRecord): void {
    if (record.state === 'closing' || record.state === 'closed') return;
    if (!record.attached && record.pending.length === 0) this.#finish(record, undefined);
    else this.#startClosing(record);
    this.#options.wake();
  }

  #fail(record: ChannelRecord, error: ChannelError): void {
    record.error ??= error;
    this.#startClosing(record);
  }

  #startClosing(record: ChannelRecord): void {
    record.state = 'closing';
    record.waiters.reject(record.error ?? new ChannelError('CHANNEL_CLOSED', `channel '${record.parameters.label}' is closing`));
    if (this.#connected) this.#requestReset(record);
  }

  /** The association resets the stream after what is queued on it (RFC 8831 section 6.7). */
  #requestReset(record: ChannelRecord): void {
    if (record.resetRequested) return;
    record.resetRequested = true;
    this.#resetStream(record.id);
  }

  /** An association that is ending closes all streams anyway. */
  #resetStream(id: number): void {
    if (this.outbox.canSend) this.#association!.resetStreams(this.#options.now(), [id]);
  }

  #handleIncomingReset(id: number): void {
    if (this.#refused.delete(id)) return;
    const record = this.#byId.get(id);
    if (record === undefined || record.incomingReset) {
      // Without messages there is nothing that the mark would end.
      if (this.#early.has(id)) this.#early.hold(id, { ppid: resetMark, data: zeroBytes });
      return;
    }
    record.incomingReset = true;
    // The peer had refused to reset its side, and the channel ended over that.
    if (record.state === 'closed') return;
    if (!record.confirmed) {
      record.error ??= new ChannelError('OPEN_REFUSED', `the peer refused channel '${record.parameters.label}'`);
    }
    if (record.state !== 'closing') this.#startClosing(record);
    if (record.outgoingReset) this.#finish(record, record.error);
  }

  #handleOutgoingReset(id: number, error: Error | undefined): void {
    const record = this.#byId.get(id);
    // One that is open was reset at the wish of the peer, who means to keep it.
    if (record === undefined || (record.state !== 'closing' && error === undefined)) return;
    record.outgoingReset = true;
    if (error !== undefined) {
      record.error ??= new ChannelError('RESET_FAILED', `stream ${id} could not be reset: ${error.message}`, error);
      // The peer goes on with the stream: nobody else may have it.
      this.#finish(record, record.error, false);
    } else if (record.incomingReset) {
      this.#finish(record, record.error);
    }
  }

  /** The last event of a channel. The identifier is free once both directions are reset. */
  #finish(record: ChannelRecord, error: ChannelError | undefined, isIdFree = true): void {
    record.finalBufferedBytes = this.outbox.bufferedBytes(record);
    this.outbox.forget(record);
    record.state = 'closed';
    this.#pieceBytes -= record.pieces.length;
    record.pieces.giveUp();
    this.#records.delete(record);
    this.#remoteTextBytes -= record.remoteTextBytes;
    record.waiters.reject(error ?? new ChannelError('CHANNEL_CLOSED', `channel '${record.parameters.label}' is closed`));
    this.#events.push({ type: 'channel-closed', channel: record.face, ...(error === undefined ? {} : { error }) });
    if (record.id === -1 || !isIdFree) return;
    this.#byId.delete(record.id);
    this.#ids?.give(record.id);
    if (!this.#closed) this.#replay(record.id);
  }

  #drop(reason: string): void {
    this.dropped[reason] = (this.dropped[reason] ?? 0) + 1;
  }
}

const zeroBytes = new Uint8Array(0);

function noStream(id: number, limit: number): ChannelError {
  return new ChannelError('NO_STREAM', `id ${id} needs more streams than the association has: ${limit}`);
}
