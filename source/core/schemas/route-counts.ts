import {z} from 'zod';
import {facts, integer, maybeText, number, text} from './parts.ts';

export const routeCountsSchema = facts({
	/** From when on was counted, milliseconds since 1970: a day ago, or later where more came than is looked at. */
	since: number,
	/** Until when. */
	until: number,
	/** The newest delivery that is counted. */
	newest: maybeText,
	routes: z.array(
		facts({
			profile: text,
			route: text,
			/** Led to something. */
			taken: integer,
			/** Answered well, and led to nothing. */
			ignored: integer,
			/** Answered with a status of 400 or above. */
			refused: integer,
			/** All of them in each of the 24 hours before `until`, the last one at the end. */
			hours: z.array(integer),
		}),
	),
}).register(z.globalRegistry, {id: 'RouteCounts'});
