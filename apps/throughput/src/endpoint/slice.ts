/**
 * A transfer goes in slices of at most this many bytes. Both ends hold one slice in memory: between
 * two slices, with the clocks stopped, the sender fills it and the receiver hashes and writes it.
 * So neither the hash nor the disk is in the measured interval, and a file may be larger than memory.
 */
export const sliceBytes: number = 32 * 1024 * 1024;
