export { type CongestionControlName, congestionControlNames } from './tx/congestion-control.ts';
export { createAssociation } from './association.ts';
export type { Association, AssociationEvent, AssociationOptions, AssociationStats, SctpLimits, SendOptions } from './types.ts';
export { SctpError, type SctpErrorCode } from './errors.ts';
