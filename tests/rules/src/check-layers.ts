import { posix } from 'node:path';
import { findImports, parseSource } from './parse-source.ts';
import { isTestFile } from './project-files.ts';
import { allDependencies, type Workspace } from './workspaces.ts';

/** Who may import whom; what is not named here may import every package (apps, benchmarks, tests). */
const layers: Readonly<Record<string, readonly string[]>> = {
  '@millrace/core': [],
  '@millrace/crypto': ['@millrace/core'],
  '@millrace/dtls': ['@millrace/core', '@millrace/crypto'],
  'sctp-js': ['@millrace/core'],
  '@millrace/ice': ['@millrace/core', '@millrace/crypto'],
  '@millrace/datachannel': ['@millrace/core', '@millrace/crypto', '@millrace/dtls', '@millrace/ice', 'sctp-js'],
  '@millrace/sim': ['@millrace/core'],
};

/** Packages that are developed here and have layers. */
function isOurs(name: string): boolean {
  return Object.hasOwn(layers, name) || name.startsWith('@millrace/');
}

/** Breaches of the layers in one file, each as `path:line what`. */
export function checkLayers(path: string, text: string, owner: Workspace, workspaces: readonly Workspace[]): string[] {
  const breaches: string[] = [];
  const test = isTestFile(path);
  for (const { specifier, line } of findImports(parseSource(path, text))) {
    const breach = importBreach(path, specifier, test, owner, workspaces);
    if (breach !== undefined) breaches.push(`${path}:${line} ${breach}`);
  }
  return breaches;
}

function importBreach(
  path: string,
  specifier: string,
  test: boolean,
  owner: Workspace,
  workspaces: readonly Workspace[],
): string | undefined {
  if (specifier.startsWith('.')) return relativeBreach(path, specifier, owner);
  if (specifier.startsWith('node:')) return undefined;
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const target = workspaces.find((workspace) => workspace.manifest.name === name);
  if (target !== undefined) {
    const subpath = specifier === name ? '.' : `.${specifier.slice(name.length)}`;
    if (target.manifest.exports?.[subpath] === undefined) return `imports ${specifier}, which ${name} does not export`;
  }
  if (name === owner.manifest.name) return undefined;
  const allowed = layers[owner.manifest.name];
  if (!test && isOurs(name) && allowed !== undefined && !allowed.includes(name)) return `imports ${name}, which is not below it`;
  if (!isDeclared(name, test, owner, workspaces)) return `imports ${name}, which its package.json does not declare`;
  return undefined;
}

/** Relative imports stay inside the package and name the file that is there. */
function relativeBreach(path: string, specifier: string, owner: Workspace): string | undefined {
  const target = posix.join(posix.dirname(path), specifier);
  if (owner.folder !== '' && !target.startsWith(`${owner.folder}/`)) return `imports ${specifier}, which is outside its package`;
  if (!/\.(ts|mjs|json)$/.test(specifier)) return `imports ${specifier} without its extension`;
  return undefined;
}

/** Tests may also use the root's tools. Code that ships may use `dependencies` alone. */
function isDeclared(name: string, test: boolean, owner: Workspace, workspaces: readonly Workspace[]): boolean {
  if (Object.hasOwn(owner.manifest.dependencies ?? {}, name)) return true;
  if (Object.hasOwn(owner.manifest.optionalDependencies ?? {}, name)) return true;
  if (!test && owner.folder.startsWith('packages/')) return false;
  const rootTools = workspaces.find((workspace) => workspace.folder === '')?.manifest.devDependencies ?? {};
  return Object.hasOwn(rootTools, name) || allDependencies(owner.manifest).some(([declared]) => declared === name);
}
