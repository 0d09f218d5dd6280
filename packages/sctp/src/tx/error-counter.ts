/** Association.Max.Retrans (RFC 9260 sections 8.1 and 16): so many failures in a row are borne. */
const maxErrors = 10;

/** Counts what went unanswered: T3 expiries, heartbeats, requests for a stream reset, SHUTDOWNs. */
export class ErrorCounter {
  #count = 0;

  /** True where the peer has to be given up. */
  increment(): boolean {
    this.#count++;
    return this.#count > maxErrors;
  }

  /** The peer has answered something. */
  clear(): void {
    this.#count = 0;
  }
}
