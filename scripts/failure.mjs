/** What ends a command with one sentence and a remedy instead of a stack trace. */
export class Failure extends Error {
  /** @param {string} message what is wrong, and what to do about it */
  constructor(message, exitCode = 3) {
    super(message);
    this.exitCode = exitCode;
  }
}
