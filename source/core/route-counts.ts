import type {DeliveryOutcome} from './delivery.ts';
import type {Shape} from './schemas/parts.ts';
import type {routeCountsSchema} from './schemas/route-counts.ts';

/** Number of deliveries per route in the last day of the journal. Deliveries to other gateways and to unknown routes are not counted. */
export type RouteCounts = Shape<typeof routeCountsSchema>;

/** Outcomes of events that started a run, joined a group or were delivered. */
export const takenOutcomes = [
	'accepted',
	'coalesced',
	'delivered',
] as const satisfies readonly DeliveryOutcome[];

export const hoursOfDay = 24;
export const hourMs = 3_600_000;
