import type { WriteStream } from 'node:tty';

/** What goes on, while it goes on. */
export interface Progress {
  begin(title: string): void;
  /** How it stands; shown in a terminal only. */
  live(text: string): void;
  end(result: string): void;
  /** Ends the line that is being written, where there is one. */
  clear(): void;
}

/** Shows one live line on a terminal, and plain lines elsewhere. */
export function createProgress(stream: WriteStream | NodeJS.WritableStream): Progress {
  return isTerminal(stream) ? new LiveProgress(stream) : new PlainProgress(stream);
}

function isTerminal(stream: WriteStream | NodeJS.WritableStream): stream is WriteStream {
  return 'isTTY' in stream && stream.isTTY;
}

/** A line at the beginning and end of each step, without control characters. */
class PlainProgress implements Progress {
  readonly #stream: NodeJS.WritableStream;
  #title = '';

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  begin(title: string): void {
    this.#title = title;
    this.#stream.write(`${title} ...\n`);
  }

  live(): void {}

  end(result: string): void {
    this.#stream.write(`${this.#title}: ${result.replaceAll(/ +/g, ' ').trim()}\n`);
  }

  clear(): void {}
}

const eraseLine = '\r\x1b[2K';
const titleColumns = 42;

/** One line that is written over, and stays with the result of its step. */
class LiveProgress implements Progress {
  readonly #stream: WriteStream;
  #title = '';

  constructor(stream: WriteStream) {
    this.#stream = stream;
  }

  begin(title: string): void {
    this.#title = title;
    this.#show('');
  }

  live(text: string): void {
    this.#show(text);
  }

  end(result: string): void {
    this.#show(result);
    this.#stream.write('\n');
    this.#title = '';
  }

  clear(): void {
    this.#stream.write(eraseLine);
  }

  #show(text: string): void {
    const columns = (this.#stream.columns || 80) - 1;
    const wide = `  ${this.#title.padEnd(titleColumns)} ${text}`;
    const line = wide.length <= columns ? wide : `${this.#title} ${text.replaceAll(/ +/g, ' ').trim()}`;
    // Cut to the terminal's width: a line that wraps can't be written over.
    this.#stream.write(`${eraseLine}${line.slice(0, columns)}`);
  }
}
