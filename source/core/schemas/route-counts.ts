import {z} from 'zod';
import {facts, integer, maybeText, number, text} from './parts.ts';

export const routeCountsSchema = facts({
	/** Start of the counted time, milliseconds since 1970: a day before `until`, or later if there are too many deliveries to count. */
	since: number,
	/** End of the counted time. */
	until: number,
	/** Identifier of the newest counted delivery. */
	newest: maybeText,
	routes: z.array(
		facts({
			profile: text,
			route: text,
			/** Number of deliveries that started a run, joined a group or were delivered. */
			taken: integer,
			/** Number answered with a status below 400, but not `taken`. */
			ignored: integer,
			/** Number answered with a status of 400 or above. */
			refused: integer,
			/** Number of deliveries in each of the 24 hours before `until`, the latest hour last. */
			hours: z.array(integer),
		}),
	),
}).register(z.globalRegistry, {id: 'RouteCounts'});
