import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the launcher as npm does, with what npm puts into the environment. */
function launch(
  args: readonly string[],
  env: Record<string, string> = {},
): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/launch.mjs', ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

test('an unknown command ends with 2 and names those that there are', () => {
  const { code, stdout, stderr } = launch(['bulid']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^There is no command bulid\. There are: build, .*demo.*\.\n$/);
  expect(stdout).toBe('');
});

test('every script of package.json is a command of its own name', () => {
  const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { scripts: Record<string, string> };
  const commands = launch([''])
    .stderr.match(/There are: (.*)\./)![1]!
    .split(', ');
  expect(Object.keys(scripts).toSorted()).toEqual(commands.toSorted());
  for (const [name, line] of Object.entries(scripts)) expect(line).toBe(`node scripts/launch.mjs ${name}`);
});

test.for(['mib', 'suite', 'message_size'])('a flag %s that npm took for itself is refused in words', (flag) => {
  const { code, stderr } = launch(['demo'], { [`npm_config_${flag}`]: 'true' });
  expect(code).toBe(2);
  const option = `--${flag.replace('_', '-')}`;
  expect(stderr).toBe(`npm took ${option} for itself. Write two dashes before it: npm run demo -- ${option} …\n`);
});

test('an old Node gets a sentence, not a syntax error', () => {
  const program = "Object.defineProperty(process.versions, 'node', { value: '18.20.0' }); import('./scripts/launch.mjs');";
  const { status, stderr } = spawnSync(process.execPath, ['-e', program], { cwd: root, encoding: 'utf8' });
  expect(status).toBe(3);
  expect(stderr).toMatch(/^Millrace needs Node 20\.19 or later, and this is 18\.20\.0\./);
});
