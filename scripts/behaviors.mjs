/*
 * Keeps docs/behaviors.md in step with the tests: one row for each test whose title begins with a
 * behavior's id. `node scripts/behaviors.mjs --write` writes the file, `--check` fails where it differs.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.mjs';

const target = join(root, 'docs', 'behaviors.md');

/** Sections by the letter of the id. @type {readonly (readonly [string, string])[]} */
const sections = [
  ['S', 'SCTP'],
  ['C', 'Channels'],
  ['D', 'DTLS'],
  ['I', 'ICE'],
  ['P', 'Session descriptions'],
  ['L', 'Lifetime'],
];

const introduction = `# Behaviors

Faults that stacks of this kind have had, as what Millrace does instead. Each row is a test: its title is the id and the sentence. The file is written by \`node scripts/behaviors.mjs --write\`; a rule check fails where it differs from the tests.
`;

/** A row: a test's title, and the files that have it. @typedef {{ id: string, sentence: string, files: string[] }} Row */

/**
 * Titles of the form \`D1: sentence\` in the source of a test, with `…` for what differs from run to
 * run (a seed, a parameter), and without it at their end.
 *
 * @param {string} text
 * @returns {{ id: string, sentence: string }[]}
 */
export function findTitles(text) {
  const found = [];
  for (const [, quote, id, literal] of text.matchAll(/(['"`])([A-Z]\d{1,2}): ((?:\\.|(?!\1)[^\\])+)\1/g)) {
    if (quote === undefined || id === undefined || literal === undefined) continue;
    const shown = literal.replaceAll(/\$\{[^}]*\}|\$[\w.]+|%[sdifjo]/g, '…').replaceAll(/\\(.)/g, '$1');
    const sentence = shown.replace(/(?:[\s,;:(]+(?:with |for )?seed …|\s*[,;:(]\s*…)[\s)]*$/, '').trim();
    if (sentence !== '') found.push({ id, sentence });
  }
  return found;
}

/** @returns {Row[]} */
function readRows() {
  /** @type {Map<string, Row>} */
  const rows = new Map();
  for (const group of ['packages', 'tests']) {
    for (const entry of readdirSync(join(root, group), { recursive: true, encoding: 'utf8' })) {
      const path = `${group}/${entry.split(sep).join('/')}`;
      if (!path.endsWith('.test.ts') || /\/(node_modules|dist)\//.test(path) || path.startsWith('tests/rules/')) continue;
      for (const { id, sentence } of findTitles(readFileSync(join(root, path), 'utf8'))) {
        const key = `${id}: ${sentence}`;
        const row = rows.get(key) ?? { id, sentence, files: [] };
        rows.set(key, row);
        if (!row.files.includes(path)) row.files.push(path);
      }
    }
  }
  return [...rows.values()].toSorted(
    (a, b) =>
      a.id.charCodeAt(0) - b.id.charCodeAt(0) ||
      Number(a.id.slice(1)) - Number(b.id.slice(1)) ||
      (a.sentence < b.sentence ? -1 : 1),
  );
}

/** @param {readonly Row[]} rows */
export function formatBehaviors(rows) {
  let text = introduction;
  const known = new Set(sections.map(([letter]) => letter));
  const others = [...new Set(rows.map(({ id }) => id.charAt(0)))].filter((letter) => !known.has(letter));
  for (const [letter, title] of [...sections, ...others.map((other) => /** @type {const} */ ([other, other]))]) {
    const own = rows.filter(({ id }) => id.startsWith(letter));
    if (own.length === 0) continue;
    text += `\n## ${title}\n\n| id | what holds | tested in |\n| --- | --- | --- |\n`;
    for (const { id, sentence, files } of own) {
      const links = files.toSorted().map((file) => `[${file.split('/').at(-1)}](../${file})`);
      text += `| ${id} | ${sentence.replaceAll('|', '\\|')} | ${links.join(', ')} |\n`;
    }
  }
  return text;
}

/** Whether docs/behaviors.md says what the tests say. */
export function behaviorsAreCurrent() {
  return readFileSync(target, 'utf8') === formatBehaviors(readRows());
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv[2] === '--write') writeFileSync(target, formatBehaviors(readRows()));
  else if (process.argv[2] !== '--check') {
    process.stderr.write('Say --write or --check.\n');
    process.exitCode = 2;
  } else if (!behaviorsAreCurrent()) {
    process.stderr.write('docs/behaviors.md differs from the tests. Run node scripts/behaviors.mjs --write.\n');
    process.exitCode = 1;
  }
}
