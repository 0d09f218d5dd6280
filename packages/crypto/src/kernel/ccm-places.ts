import { maxLanes } from './memory-layout.ts';

/** The records of a batch, by the order in which they came: what their ciphers have found out about them. */
export class CcmPlaces {
  readonly keys: Int32Array = new Int32Array(maxLanes);
  /** Where the record stands in the kernels' memory. */
  readonly records: Int32Array = new Int32Array(maxLanes);
  readonly payloadBytes: Int32Array = new Int32Array(maxLanes);
  readonly streams: Int32Array = new Int32Array(maxLanes);
  /** The lane of each record: the longest stand in the first lanes. */
  readonly lanes: Int32Array = new Int32Array(maxLanes);

  /** Gives the first `count` records their lanes. */
  assignLanes(count: number): void {
    const { payloadBytes, lanes } = this;
    for (let place = 0; place < count; place++) {
      let lane = 0;
      for (let other = 0; other < count; other++) {
        const difference = payloadBytes[other]! - payloadBytes[place]!;
        if (difference > 0 || (difference === 0 && other < place)) lane++;
      }
      lanes[place] = lane;
    }
  }
}
