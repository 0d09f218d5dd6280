import type { IceStats } from '../types.ts';

/** The counters behind `IceAgent.stats`. */
export class AgentCounters {
  checksSent = 0;
  checksReceived = 0;
  responsesSent = 0;
  responsesReceived = 0;
  consentRequestsSent = 0;
  readonly #dropped: Record<string, number> = {};

  /** Counts what is dropped; false, for the caller to return. */
  drop(reason: string): false {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + 1;
    return false;
  }

  /** A copy. */
  snapshot(rttMs: number | undefined): IceStats {
    const { checksSent, checksReceived, responsesSent, responsesReceived, consentRequestsSent } = this;
    const dropped = { ...this.#dropped };
    return { checksSent, checksReceived, responsesSent, responsesReceived, consentRequestsSent, rttMs, dropped };
  }
}
