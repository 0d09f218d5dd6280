import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './project-files.ts';

/** Links of a Markdown file that lead to no file of the project, each as `path:line target`. */
export function checkLinks(path: string, text: string): string[] {
  const broken: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    for (const [, target] of line.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^([a-z]+:|#)/.test(target!)) continue;
      if (!existsSync(join(root, dirname(path), target!.split('#')[0]!))) broken.push(`${path}:${index + 1} ${target}`);
    }
  }
  return broken;
}
