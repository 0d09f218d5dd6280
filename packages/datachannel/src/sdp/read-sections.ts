import { SdpError } from './sdp-error.ts';

/** An attribute: `a=name` or `a=name:value`. */
export interface SdpAttribute {
  readonly name: string;
  /** Empty where there is none. */
  readonly value: string;
  readonly line: number;
}

/** The session part, or one `m=` section. */
export interface SdpSection {
  /** The value of `m=`; empty for the session part. */
  readonly media: string;
  readonly line: number;
  readonly attributes: readonly SdpAttribute[];
}

/** Far above what any browser writes; it bounds what a peer can make us look at. */
const maxTextLength = 262_144;
const maxSections = 256;

/** RFC 8866 section 5: the session part's types in the order that they must have. */
const sessionOrder = 'vosiuepcbtrzka';
const mediaTypes = 'icbka';

/**
 * Splits a description into its sections and checks what holds for every one of them (RFC 8866):
 * `type=value` lines, known types in their order, version 0, an origin, a name and a time. The first
 * element is the session part. Lines end with CRLF or LF.
 */
export function readSections(text: string): [SdpSection, ...SdpSection[]] {
  if (typeof text !== 'string') throw new TypeError('a session description must be a string');
  if (text.length > maxTextLength) throw new SdpError('SDP_SYNTAX', 0, `a description has at most ${maxTextLength} characters`);
  const lines = text.split(/\r?\n/);
  // What text areas and templates leave behind after the last line.
  while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop();

  const session: SdpSection & { attributes: SdpAttribute[] } = { media: '', line: 0, attributes: [] };
  const sections: [SdpSection, ...SdpSection[]] = [session];
  let attributes = session.attributes;
  let seen = '';
  for (const [index, content] of lines.entries()) {
    const line = index + 1;
    const type = content[0]!;
    const value = content.slice(2);
    if (content[1] !== '=' || value === '') fail(line, "a line is a letter, '=' and a value");
    if (/[\r\0]/.test(value)) fail(line, 'a value has neither CR nor NUL');
    if (type === 'm') {
      if (sections.length === 1) requireSessionLines(seen, line);
      if (sections.length > maxSections) fail(line, `a description has at most ${maxSections} sections`);
      attributes = [];
      sections.push({ media: value, line, attributes });
      continue;
    }
    if (sections.length === 1) {
      checkSessionLine(seen, type, value, line);
      seen += type;
    } else if (!mediaTypes.includes(type)) fail(line, `'${type}=' is not allowed in a media section`);
    if (type === 'a') attributes.push(readAttribute(value, line));
  }
  if (sections.length === 1) requireSessionLines(seen, 0);
  return sections;
}

function readAttribute(value: string, line: number): SdpAttribute {
  const colon = value.indexOf(':');
  return colon < 0 ? { name: value, value: '', line } : { name: value.slice(0, colon), value: value.slice(colon + 1), line };
}

function checkSessionLine(seen: string, type: string, value: string, line: number): void {
  const position = sessionOrder.indexOf(type);
  if (position < 0) fail(line, `the type '${type}' is unknown`);
  if (line <= 3 && type !== 'vos'[line - 1]) fail(line, "a description begins with 'v=', 'o=' and 's='");
  if (type === 'v' && value !== '0') fail(line, 'the version is 0');
  if (type === 'o' && !/^\S+ \d+ \d+ IN IP[46] \S+$/.test(value)) fail(line, "the origin is 'name id version IN IP4 address'");
  const before = sessionOrder.indexOf(seen.at(-1) ?? 'v');
  // Times repeat with their own r= lines between them; e=, p=, b= and a= may follow themselves.
  const mayRepeat = type === 't' ? before <= sessionOrder.indexOf('r') : position === before && 'epbra'.includes(type);
  if (line > 1 && !(position > before || mayRepeat)) fail(line, `'${type}=' is not allowed here`);
}

function requireSessionLines(seen: string, line: number): void {
  for (const type of 'vost') {
    if (!seen.includes(type)) fail(line, `'${type}=' is missing`);
  }
}

function fail(line: number, message: string): never {
  throw new SdpError('SDP_SYNTAX', line, message);
}
