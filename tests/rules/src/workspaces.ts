import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readText, root } from './project-files.ts';

export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Workspace {
  /** Relative to the project; '' is the root. */
  readonly folder: string;
  readonly manifest: Manifest;
}

export function readWorkspaces(): Workspace[] {
  const folders = ['', 'bench'];
  for (const group of ['packages', 'apps', 'tests']) {
    for (const name of readdirSync(join(root, group))) folders.push(`${group}/${name}`);
  }
  return folders
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => ({
      folder,
      manifest: JSON.parse(readText(folder === '' ? 'package.json' : `${folder}/package.json`)) as Manifest,
    }));
}

/** All dependencies of a manifest, of whatever kind. */
export function allDependencies(manifest: Manifest): [name: string, version: string][] {
  return Object.entries({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  });
}
