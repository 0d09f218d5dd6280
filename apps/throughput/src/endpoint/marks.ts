import type { Channel } from '@millrace/datachannel/server';

/**
 * The text messages between the bulk data; the channel is ordered, so they cut it exactly. The
 * sender says `sync`, `slice-begin`, `slice-end`, `slice-settle`, `transfer-end`, `load-begin` and
 * `load-end`. The receiver answers `sync` with `synced` (all before has arrived), `slice-end` with
 * `slice-taken` (the same; both clocks stand) and `slice-settle` with `slice-ready` (hashed and
 * written, the next may come).
 */
export type Mark =
  | 'sync'
  | 'synced'
  | 'slice-begin'
  | 'slice-end'
  | 'slice-taken'
  | 'slice-settle'
  | 'slice-ready'
  | 'transfer-end'
  | 'load-begin'
  | 'load-end';

/** The sender's side: waits for the receiver's answers in their order. */
export class MarkInbox {
  readonly #arrived: string[] = [];
  #waiting: { resolve(mark: string): void; reject(error: Error): void } | undefined;
  #closed: Error | undefined;

  constructor(channel: Channel) {
    channel.on('message', (data) => this.#take(String(data)));
    channel.on('close', (error) => {
      this.#closed = error ?? new Error('the receiver closed the channel');
      this.#waiting?.reject(this.#closed);
    });
  }

  /** Resolves when `mark` comes. Rejects where another one does, or the channel closes. */
  async expect(mark: Mark): Promise<void> {
    const got = this.#arrived.shift() ?? (await this.#next());
    if (got !== mark) throw new Error(`the receiver said "${got}" where "${mark}" was due`);
  }

  #next(): Promise<string> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  #take(mark: string): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#arrived.push(mark);
    else waiting.resolve(mark);
  }
}
