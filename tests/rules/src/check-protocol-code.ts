import { findConstructs, findGlobals, findImports, parseSource, type Use } from './parse-source.ts';
import { isTestFile } from './project-files.ts';

/**
 * Where the code meets a platform: drivers, the faces over a browser's own objects, and the edge of the
 * pure provider, which draws randomness and the date of a certificate from the page.
 */
const platformCode =
  /^packages\/([^/]+\/src\/node\/|datachannel\/src\/(server|web|rtc)\/|crypto\/src\/pure\/(provider|certificate)\.ts$)/;

/** The application's side of a channel, which promises `writable()` and `close()`; no datagram passes here. */
const applicationFace = /^packages\/datachannel\/src\/(channel-types\.ts$|channel\/)/;

const forbiddenGlobals: ReadonlySet<string> = new Set([
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'queueMicrotask',
  'requestAnimationFrame',
  'performance',
  'Buffer',
  'process',
  'console',
  'globalThis',
  'window',
  'navigator',
  'fetch',
  'WebSocket',
  'EventTarget',
  'RTCPeerConnection',
  'RTCDataChannel',
]);

const promises: ReadonlySet<string> = new Set(['Promise']);

/** Code that must do no I/O, know no time and draw no randomness of its own. */
export function isProtocolCode(path: string): boolean {
  return /^packages\/[^/]+\/src\/.*\.ts$/.test(path) && !platformCode.test(path) && !isTestFile(path);
}

/** What protocol code may not use, each as `path:line what`. */
export function checkProtocolCode(path: string, text: string): string[] {
  const source = parseSource(path, text);
  const uses: Use[] = [...findGlobals(source, forbiddenGlobals), ...findConstructs(source)];
  for (const { specifier, line } of findImports(source)) {
    if (specifier.startsWith('node:')) uses.push({ what: specifier, line });
  }
  if (!applicationFace.test(path)) uses.push(...findGlobals(source, promises));
  return uses.map(({ what, line }) => `${path}:${line} uses ${what}`);
}
