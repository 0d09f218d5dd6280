import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { root } from './paths.mjs';

/** How long a child may take to end after a signal before it is killed. */
const graceMs = 5000;

/** @type {readonly NodeJS.Signals[]} */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a JavaScript file with this Node and resolves with its exit code. Signals reach the child:
 * SIGINT of a terminal does so by itself, all others are passed on; a child that stays is killed.
 *
 * @param {string[]} args the file and its arguments
 * @param {{ quiet?: boolean, silent?: boolean, env?: Record<string, string | undefined> }} [options]
 *   `quiet`: what the child prints on stdout goes to stderr; `silent`: nowhere
 * @returns {Promise<number>}
 */
export function runChild(args, options = {}) {
  const { quiet = false, silent = false, env = {} } = options;
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: silent ? 'ignore' : ['inherit', quiet ? 2 : 'inherit', 'inherit'],
    });
    /** @type {NodeJS.Timeout | undefined} */
    let killTimer;
    const listeners = signals.map((signal) => {
      const listener = () => {
        if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
        killTimer ??= setTimeout(() => child.kill('SIGKILL'), graceMs);
      };
      process.on(signal, listener);
      return { signal, listener };
    });
    const finish = () => {
      clearTimeout(killTimer);
      for (const { signal, listener } of listeners) process.off(signal, listener);
    };
    child.on('error', (error) => {
      finish();
      fail(error);
    });
    child.on('exit', (code, signal) => {
      finish();
      done(code ?? 128 + constants.signals[signal ?? 'SIGTERM']);
    });
  });
}
