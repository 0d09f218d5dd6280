import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Looks whether the file can be read and the copy written, before anything is started. Paths are
 * relative to where the command was given: npm changes the folder and leaves it in INIT_CWD.
 * Returns absolute paths, or a sentence that names the flag.
 */
export function checkFile(
  file: { readonly path: string; readonly out: string },
  base: string = process.env['INIT_CWD'] ?? process.cwd(),
): { readonly path: string; readonly out: string } | string {
  const path = resolve(base, file.path);
  const out = resolve(base, file.out);
  if (path === out) return '--out must be another file than --file.';
  const source = statSync(path, { throwIfNoEntry: false });
  if (!source?.isFile()) return `--file takes a file that is there, and ${path} is none.`;
  if (!allows(path, constants.R_OK)) return `--file: there is no right to read ${path}.`;
  if (statSync(out, { throwIfNoEntry: false })?.isDirectory()) return `--out takes the name of a file, and ${out} is a folder.`;
  const folder = dirname(out);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return `--out: there is no folder ${folder}.`;
  if (!allows(folder, constants.W_OK)) return `--out: there is no right to write to ${folder}.`;
  return { path, out };
}

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
