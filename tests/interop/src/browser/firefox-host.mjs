/*
 * Runs inside the network namespace: starts Firefox, whose remote agent listens on loopback alone,
 * and hands connections from outside on to it. Firefox ends when standard input does, so a killed
 * test leaves nothing behind.
 *
 * node firefox-host.mjs FIREFOX PROFILE ADDRESS
 */
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';

const [firefox, profile, address] = process.argv.slice(2);
const child = spawn(firefox, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0'], {
  stdio: ['ignore', 'ignore', 'pipe'],
  // Content processes are ended with the group.
  detached: true,
});

function end() {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

process.stdin.on('end', end).resume();
child.on('exit', (code) => process.exit(code ?? 0));

createInterface({ input: child.stderr }).on('line', (line) => {
  const port = /listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
  if (port === undefined) return;
  const server = createServer((outside) => {
    const inside = connect(Number(port), '127.0.0.1');
    outside.pipe(inside).pipe(outside);
    outside.on('error', () => inside.destroy());
    inside.on('error', () => outside.destroy());
  });
  server.listen(0, address, () => {
    // The remote agent answers to its own name alone.
    const endpoint = `ws://${address}:${server.address().port}/session`;
    console.log(JSON.stringify({ endpoint, hostHeader: `127.0.0.1:${port}` }));
  });
});
