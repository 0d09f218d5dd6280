/** Patterns that no text of the project may hold, and why. Assembled, so that this file passes itself. */
const patterns: readonly { readonly what: string; readonly pattern: RegExp; readonly files: RegExp }[] = [
  {
    what: 'a path of somebody’s machine',
    pattern: new RegExp(`(?<![\\w.])(/${'work'}/|/${'root'}/|/${'home'}/[a-z]|[A-Z]:\\\\${'Users'})`),
    files: /\.(ts|mjs|js|json|md|yaml|yml|html|sh)$|\/run$/,
  },
  {
    what: 'unfinished work',
    pattern: new RegExp(`\\b(${['TO', 'FIX'].join('DO|')}${'ME'}|${'XX'}X|${'HA'}CK)\\b`),
    files: /\.(ts|mjs|js|md|yaml|yml|html|sh)$|\/run$/,
  },
  {
    what: 'a test that is picked or left out by hand',
    pattern: new RegExp(`\\b(test|it|describe|suite)\\.(${'only'}|${'skip'}|${'todo'}|${'fails'}|skipIf|runIf)\\b`),
    files: /\.ts$/,
  },
  {
    // Node's Buffer shares memory there, and callers bring one wherever they bring bytes: `copyOf` copies.
    what: 'a copy that is none of a Buffer',
    pattern: /(?<![#\w])(bytes|body|cookie|data|datagram|der|iv|key|nonce|payload|random|salt|secret|spki)\.slice\(/,
    files: /^packages\/(?!core\/)[^/]+\/src\/(?!.*(testing\/|\.test\.ts$)).*\.ts$/,
  },
  {
    what: 'a skip that names no missing peer',
    pattern: new RegExp(`\\b(ctx|context)\\.${'skip'}\\(\\)`),
    files: /\.ts$/,
  },
];

/** What is wrong in a text, each as `path:line what`. */
export function checkText(path: string, text: string): string[] {
  const found: string[] = [];
  for (const { what, pattern, files } of patterns) {
    if (!files.test(path)) continue;
    for (const [index, line] of text.split('\n').entries()) {
      if (pattern.test(line)) found.push(`${path}:${index + 1} ${what}`);
    }
  }
  return found;
}
