import {z} from 'zod';
import {sumsBy} from '../run-sums.ts';
import {facts, integer, maybeInteger, maybeNumber, maybeText, number, text} from './parts.ts';

const maybeName = text.nullable().exactOptional();

export const runSumSchema = facts({
	/** Of a route or a job. */
	profile: maybeText,
	/** One of these four is there, by what the runs are summed; null: that of runs without one. */
	route: maybeName,
	/** The name of a key of the chat API, `terminal` of the person at the terminal. */
	key: maybeName,
	model: maybeName,
	/** `name`: that of its newest run. */
	job: facts({id: text, name: text}).nullable().exactOptional(),
	runs: integer,
	/** Queued, running or delivering; with those below it comes to `runs`. */
	open: integer,
	done: integer,
	silent: integer,
	failed: integer,
	cancelled: integer,
	interrupted: integer,
	uncertain: integer,
	dead: integer,
	/** They ended badly before a person put them away. */
	dropped: integer,
	/** Share of `done` and `silent` among those that ended, 0 to 1; what a person cancelled is left out. Absent while none ended. */
	success: maybeNumber,
	inputTokens: integer,
	outputTokens: integer,
	/** One for each currency, of the runs whose whole cost is known. */
	costs: z.array(facts({amount: number, currency: text})),
	/** Runs with tokens whose cost is not known, wholly or in part. */
	unpriced: integer,
	/** Runs that ended after a try, and of which no tokens are known. */
	uncounted: integer,
	/** From the first try to the end, milliseconds, of the runs that ended; absent without one. */
	medianMs: maybeNumber,
	longestMs: maybeInteger,
}).register(z.globalRegistry, {id: 'RunSum'});

export const runSumsSchema = facts({
	by: z.enum(sumsBy),
	/** Runs that were made before this are not in the sums, milliseconds since 1970: what was asked for, or later where there are more runs than are looked at. */
	since: number,
	until: number,
	/** After so many milliseconds runs are removed; absent: never. */
	keptMs: maybeNumber,
	/** Runs that are in no row: more than 1,000 names are not told apart. */
	leftOut: integer,
	/** The most runs first. */
	rows: z.array(runSumSchema),
}).register(z.globalRegistry, {id: 'RunSums'});
