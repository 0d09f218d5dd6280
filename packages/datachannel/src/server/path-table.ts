import type { Address, Path } from '@millrace/ice';

/** A path and whose it is. */
export interface PathEntry<P> {
  readonly path: Path;
  /** Who gets what comes on it that does not name its receiver. */
  owner: P | undefined;
  /** Who has checks under way on it, or had: a response belongs to one of them. */
  readonly users: P[];
}

/**
 * The one `Path` object per local socket and remote address, and which peers it serves. Found by
 * port first, so that a datagram costs no string of its own.
 */
export class PathTable<P> {
  readonly #byPort: Map<number, PathEntry<P>[]>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  find(local: number, port: number, address: string): PathEntry<P> | undefined {
    const entries = this.#byPort[local]?.get(port);
    if (entries === undefined) return undefined;
    for (const entry of entries) if (entry.path.remote.address === address) return entry;
    return undefined;
  }

  intern(local: number, remote: Address): PathEntry<P> {
    const found = this.find(local, remote.port, remote.address);
    if (found !== undefined) return found;
    const entry: PathEntry<P> = { path: { local, remote }, owner: undefined, users: [] };
    const ports = (this.#byPort[local] ??= new Map());
    const entries = ports.get(remote.port);
    if (entries === undefined) ports.set(remote.port, [entry]);
    else entries.push(entry);
    this.#size++;
    return entry;
  }

  /** Forgets a path that serves nobody. */
  prune(entry: PathEntry<P>): void {
    if (entry.owner !== undefined || entry.users.length > 0) return;
    const { local, remote } = entry.path;
    const ports = this.#byPort[local];
    const entries = ports?.get(remote.port);
    const index = entries?.indexOf(entry) ?? -1;
    if (ports === undefined || entries === undefined || index === -1) return;
    entries.splice(index, 1);
    if (entries.length === 0) ports.delete(remote.port);
    this.#size--;
  }
}
