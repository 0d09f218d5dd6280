import type { Path } from '../types.ts';

/** A check that came before the remote parameters: it was answered, and is followed up with them. */
export interface EarlyCheck {
  readonly path: Path;
  readonly remoteUfrag: string;
  readonly priority: number;
  /** What came on this path so far: checks without a nomination, and with one. */
  isPlain: boolean;
  isNominating: boolean;
}

/** Anyone who knows our password can fill this, so it is short. */
const maxEarlyChecks = 16;

/** Early checks, one per path and sender (RFC 8445 section 7.3). */
export class EarlyChecks {
  #checks: EarlyCheck[] = [];

  /** False where there is no room. */
  keep(path: Path, remoteUfrag: string, priority: number, useCandidate: boolean): boolean {
    let check = this.#checks.find((other) => other.path === path && other.remoteUfrag === remoteUfrag);
    if (check === undefined) {
      if (this.#checks.length === maxEarlyChecks) return false;
      check = { path, remoteUfrag, priority, isPlain: false, isNominating: false };
      this.#checks.push(check);
    }
    if (useCandidate) check.isNominating = true;
    else check.isPlain = true;
    return true;
  }

  /** All of them, oldest first; they are the caller's. */
  take(): readonly EarlyCheck[] {
    const checks = this.#checks;
    this.#checks = [];
    return checks;
  }
}
