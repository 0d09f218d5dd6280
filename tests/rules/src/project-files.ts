import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root: string = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

const generated = new Set(['node_modules', 'dist', 'coverage', '.git', '.turbo', '.cache']);

/** Paths of all files under `folder`, relative to the project and with slashes. */
export function listFiles(folder: string, matching: RegExp): string[] {
  const found: string[] = [];
  const walk = (at: string): void => {
    for (const entry of readdirSync(join(root, at), { withFileTypes: true })) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!generated.has(entry.name)) walk(path);
      } else if (matching.test(path)) found.push(path);
    }
  };
  walk(folder);
  return found.toSorted();
}

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** `path` as the rules write paths: relative to the project, with slashes. */
export function projectPath(path: string): string {
  return relative(root, path).split(sep).join('/');
}

/** Tests and their helpers, which may use more than the code that ships. */
export function isTestFile(path: string): boolean {
  return (
    path.endsWith('.test.ts') || /^packages\/[^/]+\/test\//.test(path) || path.includes('/testing/') || path.startsWith('tests/')
  );
}
