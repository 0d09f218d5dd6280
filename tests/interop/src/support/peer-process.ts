import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

export interface PeerProcessOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Another implementation's program, spoken with over its standard streams. */
export class PeerProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #checks = new Set<() => void>();
  #output = '';

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    const take = (text: string): void => {
      this.#output += text;
      for (const check of this.#checks) check();
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('close', (code, signal) => take(`\n[ended: ${signal ?? code}]\n`));
    child.stdin.on('error', () => {});
  }

  /** Starts the program for the running test; it ends with the test at the latest. */
  static start(executable: string, args: readonly string[], options: PeerProcessOptions = {}): PeerProcess {
    const child = spawn(executable, args, { ...options, stdio: 'pipe' });
    onTestFinished(async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    });
    return new PeerProcess(child);
  }

  /** Everything that it has written so far, on both streams. */
  get output(): string {
    return this.#output;
  }

  /** Resolves with the match once the output holds `pattern`. */
  says(pattern: RegExp, limitMs = 15_000): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const match = pattern.exec(this.#output);
        if (match === null) return;
        finish();
        resolve(match);
      };
      const finish = (): void => {
        clearTimeout(timer);
        this.#checks.delete(check);
      };
      const timer = setTimeout(() => {
        finish();
        reject(new Error(`${this.#child.spawnfile} did not say ${pattern}. It said:\n${this.#output}`));
      }, limitMs);
      this.#checks.add(check);
      check();
    });
  }

  write(text: string): void {
    this.#child.stdin.write(text);
  }

  /** Ends its standard input. */
  end(): void {
    this.#child.stdin.end();
  }
}
