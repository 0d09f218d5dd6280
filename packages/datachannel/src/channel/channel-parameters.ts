import { checkNames } from '@millrace/core';
import type { ChannelOptions } from '../channel-types.ts';
import { checkInteger } from '../check-options.ts';
import { maxStreamId } from './stream-ids.ts';

/** What both ends of a channel agree on, with every default filled in. */
export interface ChannelParameters {
  readonly label: string;
  readonly protocol: string;
  readonly ordered: boolean;
  readonly maxRetransmits: number | undefined;
  readonly maxPacketLifeTime: number | undefined;
  readonly negotiated: boolean;
}

const optionNames: Readonly<Record<keyof ChannelOptions, true>> = {
  ordered: true,
  maxRetransmits: true,
  maxPacketLifeTime: true,
  protocol: true,
  negotiated: true,
  id: true,
};

/** RFC 8832 section 5.1: both lengths are 16-bit counts of UTF-8 bytes. */
const maxTextBytes = 65535;

/** Checks what an application asks for. Throws TypeError or RangeError, naming the option. */
export function checkChannelOptions(
  label: string,
  options: ChannelOptions,
): ChannelParameters & { readonly id: number | undefined } {
  checkNames('options', options, optionNames);
  const { ordered = true, maxRetransmits, maxPacketLifeTime, protocol = '', negotiated = false, id } = options;
  checkText('label', label);
  checkText('protocol', protocol);
  if (typeof ordered !== 'boolean') throw new TypeError('ordered must be true or false');
  if (typeof negotiated !== 'boolean') throw new TypeError('negotiated must be true or false');
  if (maxRetransmits !== undefined) checkInteger('maxRetransmits', maxRetransmits, 0, 65535);
  if (maxPacketLifeTime !== undefined) checkInteger('maxPacketLifeTime', maxPacketLifeTime, 0, 65535);
  if (maxRetransmits !== undefined && maxPacketLifeTime !== undefined) {
    throw new TypeError('maxRetransmits and maxPacketLifeTime exclude each other');
  }
  if (id !== undefined) checkInteger('id', id, 0, maxStreamId);
  if (negotiated !== (id !== undefined)) throw new TypeError('id goes with negotiated channels, and they need one');
  return { label, protocol, ordered, maxRetransmits, maxPacketLifeTime, negotiated, id };
}

function checkText(name: string, text: unknown): void {
  if (typeof text !== 'string') throw new TypeError(`${name} must be a string`);
  const length = utf8Bytes(text);
  if (length > maxTextBytes) throw new TypeError(`${name} has ${length} bytes of UTF-8; at most ${maxTextBytes} are allowed`);
}

/** The length of a string in UTF-8; a lone surrogate counts as the replacement character. */
export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
