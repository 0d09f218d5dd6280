import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.mjs';

/**
 * Looks at each package as somebody sees it who installs it: every file that `exports` and `files`
 * name is there after a build, and nothing that is exported reaches for a dependency that is not
 * declared. Resolves with an exit code.
 */
export async function checkPackages() {
  const problems = [];
  const names = readdirSync(join(root, 'packages'));
  for (const name of names) {
    const folder = join(root, 'packages', name);
    /** @type {Manifest} */
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    for (const target of exportTargets(manifest.exports)) {
      if (!existsSync(join(folder, target)))
        problems.push(`${manifest.name}: exports names ${target}, which the build does not make`);
    }
    for (const file of manifest.files ?? []) {
      if (!file.startsWith('!') && !existsSync(join(folder, file)))
        problems.push(`${manifest.name}: files names ${file}, which is not there`);
    }
    for (const key of ['description', 'license', 'engines', 'exports']) {
      if (manifest[key] === undefined) problems.push(`${manifest.name}: package.json has no ${key}`);
    }
    problems.push(...undeclaredImports(folder, manifest));
    problems.push(...(await unloadable(folder, manifest)));
  }
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(`${names.length} packages, ${problems.length} problems\n`);
  return problems.length === 0 ? 0 : 1;
}

/** @typedef {{ name: string, exports?: unknown, files?: string[], dependencies?: object, peerDependencies?: object, optionalDependencies?: object, [key: string]: unknown }} Manifest */

/** All file names in an `exports` value. @param {unknown} value @returns {string[]} */
function exportTargets(value) {
  if (typeof value === 'string') return [value];
  return Object.values(value ?? {}).flatMap(exportTargets);
}

/** Bare imports in the built files that neither Node nor `dependencies` gives. @param {string} folder @param {Manifest} manifest */
function undeclaredImports(folder, manifest) {
  const declared = new Set([
    manifest.name,
    ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies }),
  ]);
  /** @type {Set<string>} */
  const problems = new Set();
  for (const file of builtFiles(join(folder, 'dist'))) {
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\b(?:[^'";]*\bfrom)?\s*['"]([^'"]+)['"]/gm,
    )) {
      if (specifier.startsWith('.') || specifier.startsWith('node:')) continue;
      const dependency = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
      if (!declared.has(dependency))
        problems.add(`${manifest.name}: ${relative(folder, file)} imports ${dependency}, which package.json does not declare`);
    }
  }
  return problems;
}

/** @param {string} dist */
function builtFiles(dist) {
  if (!existsSync(dist)) return [];
  return readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(js|d\.ts)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Every JavaScript entry loads in Node as it was built. @param {string} folder @param {Manifest} manifest */
async function unloadable(folder, manifest) {
  const problems = [];
  for (const target of exportTargets(manifest.exports)) {
    if (!target.endsWith('.js') || !existsSync(join(folder, target))) continue;
    try {
      await import(pathToFileURL(join(folder, target)).href);
    } catch (error) {
      problems.push(`${manifest.name}: ${target} does not load: ${error instanceof Error ? error.message : error}`);
    }
  }
  return problems;
}
