import { expandKey, scheduleBytes } from './expand-key.ts';

/** A memory that holds copies of key schedules. */
export interface ScheduleHolder {
  forget(schedule: KeySchedule): void;
}

/** The expanded key of one cipher, and who has copies of it. */
export class KeySchedule {
  readonly bytes: Uint8Array;
  readonly #holders = new Set<ScheduleHolder>();

  constructor(key: Uint8Array) {
    this.bytes = new Uint8Array(scheduleBytes(key.length as 16 | 32));
    expandKey(key, this.bytes, 0);
  }

  addHolder(holder: ScheduleHolder): void {
    this.#holders.add(holder);
  }

  /** Zeroes the schedule and all copies. */
  destroy(): void {
    for (const holder of this.#holders) holder.forget(this);
    this.#holders.clear();
    this.bytes.fill(0);
  }
}
