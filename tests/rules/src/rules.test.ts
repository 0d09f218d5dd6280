import { describe, expect, test } from 'vitest';
import { behaviorsAreCurrent } from '../../../scripts/behaviors.mjs';
import { checkLayers } from './check-layers.ts';
import { checkLinks } from './check-links.ts';
import { checkProtocolCode, isProtocolCode } from './check-protocol-code.ts';
import { checkText } from './check-text.ts';
import { findInheritance, parseSource } from './parse-source.ts';
import { isTestFile, listFiles, readText } from './project-files.ts';
import { allDependencies, readWorkspaces, type Workspace } from './workspaces.ts';

const maxLines = 400;
const maxTestLines = 600;
const workspaces = readWorkspaces();
const sources = listFiles('', /^(packages|apps|tests|bench)\/.*\.ts$/);
const generated = /\.gen\.ts$|\/vectors\//;

function ownerOf(path: string): Workspace {
  return workspaces
    .filter(({ folder }) => folder === '' || path.startsWith(`${folder}/`))
    .reduce((best, workspace) => (workspace.folder.length > best.folder.length ? workspace : best));
}

describe('the sources', () => {
  test('are found', () => {
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.filter(isProtocolCode).length).toBeGreaterThan(20);
  });

  test('import only what is below them, exported and declared', () => {
    expect(sources.flatMap((path) => checkLayers(path, readText(path), ownerOf(path), workspaces))).toEqual([]);
  });

  test('of protocols use no clock, timer, Buffer, node module, promise, console or randomness of their own', () => {
    expect(sources.filter(isProtocolCode).flatMap((path) => checkProtocolCode(path, readText(path)))).toEqual([]);
  });

  test(`have at most ${maxLines} lines, tests ${maxTestLines}`, () => {
    const files = [...sources, ...listFiles('scripts', /\.mjs$/)].filter((path) => !generated.test(path));
    const lengths = files.map((path) => ({ path, lines: readText(path).trimEnd().split('\n').length }));
    expect(lengths.filter(({ path, lines }) => lines > (isTestFile(path) ? maxTestLines : maxLines))).toEqual([]);
  });

  test('have names in kebab case', () => {
    expect(sources.filter((path) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)*\.ts$/.test(path.split('/').at(-1)!))).toEqual([]);
  });

  test('inherit from nothing but errors', () => {
    const shipped = sources.filter((path) => /^(packages|apps)\/[^/]+\/src\//.test(path));
    const found = shipped.flatMap((path) =>
      findInheritance(parseSource(path, readText(path))).map(({ what, line }) => `${path}:${line} ${what}`),
    );
    expect(found).toEqual([]);
  });
});

describe('all texts', () => {
  test('hold no machine paths, no unfinished work, and no test that is left out by hand', () => {
    const texts = listFiles('', /\.(ts|mjs|js|json|md|yaml|html|sh)$|^\.ci\/run$/).filter((path) => path !== 'package-lock.json');
    expect(texts.flatMap((path) => checkText(path, readText(path)))).toEqual([]);
  });

  test('of the documentation link to files that are there', () => {
    expect(listFiles('', /\.md$/).flatMap((path) => checkLinks(path, readText(path)))).toEqual([]);
  });

  test('docs/behaviors.md lists what the tests hold', () => {
    expect(behaviorsAreCurrent(), 'run node scripts/behaviors.mjs --write').toBe(true);
  });
});

describe('dependencies', () => {
  const declared = workspaces.flatMap(({ folder, manifest }) =>
    allDependencies(manifest).map(([name, version]) => ({ folder, name, version })),
  );

  test('are exact versions', () => {
    expect(declared.filter(({ version }) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  test('have one version each in the whole workspace', () => {
    const first = new Map<string, string>();
    for (const { name, version } of declared) if (!first.has(name)) first.set(name, version);
    expect(declared.filter(({ name, version }) => first.get(name) !== version)).toEqual([]);
  });

  test('on siblings name the version that the sibling has', () => {
    const own = new Map(workspaces.map(({ manifest }) => [manifest.name, manifest.version]));
    expect(declared.filter(({ name, version }) => own.has(name) && own.get(name) !== version)).toEqual([]);
  });

  test('shared tools stand in the root alone', () => {
    const tools = new Set(Object.keys(workspaces.find(({ folder }) => folder === '')!.manifest.devDependencies ?? {}));
    expect(declared.filter(({ folder, name }) => folder !== '' && tools.has(name))).toEqual([]);
  });

  test('all packages carry one version', () => {
    const packages = workspaces.filter(({ folder }) => folder.startsWith('packages/'));
    expect(new Set(packages.map(({ manifest }) => manifest.version)).size).toBe(1);
  });
});
