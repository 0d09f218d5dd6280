import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from './failure.mjs';
import { npmCli, root } from './paths.mjs';
import { runChild } from './run-child.mjs';

const modules = join(root, 'node_modules');
const stampPath = join(modules, '.millrace-install.json');

/**
 * Installs what `filters` name (pnpm's filter syntax), unless a stamp says that it is there. The
 * stamp holds the hash of all that decides about an installation and the filters that it covers, so
 * later runs need neither pnpm nor a network.
 *
 * @param {readonly string[]} filters
 */
export async function install(filters) {
  if (existsSync(join(modules, '.package-lock.json')) && !existsSync(join(modules, '.modules.yaml'))) {
    checkNpmInstall();
    return;
  }
  const hash = inputHash();
  const stamp = readStamp();
  const covered = stamp?.hash === hash ? stamp.filters : [];
  const missing = filters.filter((filter) => !covered.includes(filter));
  if (missing.length === 0 && existsSync(join(modules, '.modules.yaml'))) return;
  process.stderr.write('Installing dependencies (only the first time)\n');
  await runPnpm([...new Set([...covered, ...filters])]);
  mkdirSync(modules, { recursive: true });
  writeFileSync(stampPath, `${JSON.stringify({ hash, filters: [...new Set([...covered, ...filters])] })}\n`);
}

/** @param {readonly string[]} filters */
async function runPnpm(filters) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const pnpm = packageManager.split('+')[0];
  const npm = npmCli();
  const env = { npm_config_loglevel: 'error', npm_config_json: undefined };
  const online = (await runChild([npm, 'ping', '--fetch-retries=0', '--fetch-timeout=5000'], { silent: true, env })) === 0;
  const reach = online ? '--prefer-offline' : '--offline';
  const args = ['install', '--frozen-lockfile', reach, '--config.confirm-modules-purge=false'];
  for (const filter of filters) args.push('--filter', filter);
  const code = await runChild([npm, 'exec', '--yes', reach, `--package=${pnpm}`, '--', 'pnpm', ...args], {
    quiet: online,
    silent: !online,
    env,
  });
  if (code === 0) return;
  if (code > 128) throw new Failure('The installation was interrupted. Run the command again.', code);
  throw new Failure(
    online
      ? 'Dependencies could not be installed; the reason stands above. Delete node_modules and run the command again; where that does not help, check free disk space and the registry settings (`npm config get registry`).'
      : `The package registry can't be reached, and the local cache does not hold all dependencies. Check the network, the proxy and \`npm config get registry\`, and run the command again.`,
  );
}

/** Everything that decides what an installation gives. */
function inputHash() {
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json']) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampPath, 'utf8'));
  } catch {
    return undefined;
  }
}

/** `npm install` made node_modules: it is used as it is, where it has the versions that are asked for. */
function checkNpmInstall() {
  for (const workspace of workspaceFolders()) {
    const manifest = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8'));
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      const found = installedVersion(workspace, name);
      if (found !== version) {
        throw new Failure(
          `node_modules was made by \`npm install\` and has ${name} ${found ?? 'not at all'} where ${version} is asked for. Run \`npm install\` again, or delete node_modules.`,
        );
      }
    }
  }
}

function workspaceFolders() {
  const folders = [root, join(root, 'bench')];
  for (const group of ['packages', 'apps', 'tests']) {
    for (const name of readdirSync(join(root, group))) folders.push(join(root, group, name));
  }
  return folders.filter((folder) => existsSync(join(folder, 'package.json')));
}

/** @param {string} folder where the lookup begins @param {string} name */
function installedVersion(folder, name) {
  for (let at = folder; ; at = dirname(at)) {
    const manifest = join(at, 'node_modules', name, 'package.json');
    if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, 'utf8')).version;
    if (at === root) return undefined;
  }
}
