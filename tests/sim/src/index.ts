export { EventHeap } from './event-heap.ts';
export { Link, type LinkOptions, type LinkStats } from './link.ts';
export { type NetworkProfile, networkProfiles } from './profiles.ts';
export { type RunOptions, type SimMachine, type SimNode, Simulation } from './simulation.ts';
