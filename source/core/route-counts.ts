import type {DeliveryOutcome} from './delivery.ts';
import type {Shape} from './schemas/parts.ts';
import type {routeCountsSchema} from './schemas/route-counts.ts';

/** What the journal holds of the last day, by route. What another gateway answered is not among it, nor what was sent to no route. */
export type RouteCounts = Shape<typeof routeCountsSchema>;

/** Outcomes that led to something. */
export const takenOutcomes = [
	'accepted',
	'coalesced',
	'delivered',
] as const satisfies readonly DeliveryOutcome[];

export const hoursOfDay = 24;
export const hourMs = 3_600_000;
