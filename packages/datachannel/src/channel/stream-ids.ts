import type { DtlsRole } from './dtls-role.ts';

/** RFC 8832 section 5: 65535 is reserved. */
export const maxStreamId = 65534;

/**
 * Hands out stream identifiers: even ones to the DTLS client, odd ones to the server (RFC 8832
 * section 6), so that both ends may open channels at once without agreeing on numbers. A freed
 * identifier is used again before a fresh one.
 */
export class StreamIds {
  /** Identifiers from here on do not exist in this association. */
  limit: number = maxStreamId + 1;
  readonly #freed = new Set<number>();
  readonly #parity: 0 | 1;
  #fresh: number;

  constructor(role: DtlsRole) {
    this.#parity = role === 'client' ? 0 : 1;
    this.#fresh = this.#parity;
  }

  /** Whether this end opens channels on `id`. */
  isOurs(id: number): boolean {
    return (id & 1) === this.#parity;
  }

  /** A free identifier of ours, or -1 where none is left below the limit. */
  take(inUse: (id: number) => boolean): number {
    for (const id of this.#freed) {
      this.#freed.delete(id);
      if (id < this.limit && !inUse(id)) return id;
    }
    while (this.#fresh < this.limit) {
      const id = this.#fresh;
      this.#fresh += 2;
      if (!inUse(id)) return id;
    }
    return -1;
  }

  /** Both directions of the stream are reset. */
  give(id: number): void {
    if (this.isOurs(id) && id < this.#fresh) this.#freed.add(id);
  }
}
