/*
 * The candidate attribute (RFC 8839 section 5.1), with the TCP type of RFC 6544 section 4.5:
 *
 *   candidate:FOUNDATION COMPONENT TRANSPORT PRIORITY ADDRESS PORT typ TYPE
 *             [raddr ADDRESS] [rport PORT] [tcptype TYPE] {NAME VALUE}
 */
import type { Candidate, CandidateType } from '@millrace/ice';
import { SdpError } from './sdp-error.ts';

const types: readonly string[] = ['host', 'srflx', 'prflx', 'relay'] satisfies CandidateType[];
const tcpTypes: readonly string[] = ['active', 'passive', 'so'];
const maxExtensionTokens = 64;

/**
 * Reads a candidate with or without `a=` and `candidate:` before it. Throws SdpError where it breaks
 * the grammar. `undefined` where it is well-formed but of a kind that RFC 8839 section 5.1 tells us
 * to pass over: another component, an unknown transport or type. TCP candidates and `.local` names
 * are read; what becomes of them is the agent's decision. Unknown extensions are skipped.
 *
 * @param line number for the error, where the text is a line of a description.
 */
export function parseCandidate(text: string, line = 0): Candidate | undefined {
  const tokens = text
    .trim()
    .replace(/^a=/, '')
    .replace(/^candidate:/, '')
    .split(' ');
  const [foundation, component, transport, priority, address, port, typ, type] = tokens as [string, ...(string | undefined)[]];
  if (!/^[A-Za-z0-9+/]{1,32}$/.test(foundation)) fail(line, 'the foundation has 1 to 32 characters of A-Z a-z 0-9 + /');
  const componentId = parseInteger(line, 'component', component, 256);
  if (transport === undefined || transport === '') fail(line, 'a candidate needs a transport');
  const priorityValue = parseInteger(line, 'priority', priority, 0xffff_ffff);
  checkAddress(line, address);
  const portValue = parseInteger(line, 'port', port, 65535);
  if (typ !== 'typ' || type === undefined) fail(line, "a candidate's port is followed by 'typ' and its type");
  const extensions = parseExtensions(line, tokens.slice(8));

  const isTcp = transport.toLowerCase() === 'tcp';
  if (componentId !== 1 || (!isTcp && transport.toLowerCase() !== 'udp') || !types.includes(type)) return undefined;
  const tcpType = extensions.get('tcptype')?.toLowerCase();
  if (isTcp && (tcpType === undefined || !tcpTypes.includes(tcpType))) return undefined;
  const relatedAddress = extensions.get('raddr');
  const relatedPort = extensions.get('rport');
  const ufrag = extensions.get('ufrag');
  if (relatedAddress !== undefined) checkAddress(line, relatedAddress);
  return {
    foundation,
    priority: priorityValue,
    address: address!,
    port: portValue,
    type: type as CandidateType,
    ...(relatedAddress === undefined ? {} : { relatedAddress }),
    ...(relatedPort === undefined ? {} : { relatedPort: parseInteger(line, 'rport', relatedPort, 65535) }),
    ...(isTcp ? { tcpType: tcpType! } : {}),
    ...(ufrag === undefined ? {} : { ufrag }),
  };
}

/** The text of a candidate as `RTCIceCandidate.candidate` has it: without `a=`, with `candidate:`. */
export function formatCandidate(candidate: Candidate): string {
  const { foundation, priority, address, port, type, relatedAddress, relatedPort, tcpType, ufrag } = candidate;
  let text = `candidate:${foundation} 1 ${tcpType === undefined ? 'udp' : 'tcp'} ${priority} ${address} ${port} typ ${type}`;
  if (relatedAddress !== undefined) text += ` raddr ${relatedAddress} rport ${relatedPort ?? 0}`;
  if (tcpType !== undefined) text += ` tcptype ${tcpType}`;
  if (ufrag !== undefined) text += ` ufrag ${ufrag}`;
  return text;
}

/** The first value of each name; a name at the end without a value is skipped. */
function parseExtensions(line: number, tokens: readonly string[]): Map<string, string> {
  if (tokens.length > maxExtensionTokens) fail(line, 'a candidate has too many extensions');
  const extensions = new Map<string, string>();
  for (let i = 0; i + 1 < tokens.length; i += 2) {
    const name = tokens[i]!;
    if (!extensions.has(name)) extensions.set(name, tokens[i + 1]!);
  }
  return extensions;
}

function parseInteger(line: number, name: string, text: string | undefined, max: number): number {
  const value = text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : -1;
  if (value < 0 || value > max) fail(line, `a candidate's ${name} is a number from 0 to ${max}`);
  return value;
}

function checkAddress(line: number, text: string | undefined): void {
  // Literals of both families, zones, and names: what each is shows later.
  if (text === undefined || !/^[A-Za-z0-9.:%_-]{1,255}$/.test(text)) fail(line, 'a candidate needs an address');
}

function fail(line: number, message: string): never {
  throw new SdpError('SDP_SYNTAX', line, message);
}
