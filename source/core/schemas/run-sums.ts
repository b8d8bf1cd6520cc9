import {z} from 'zod';
import {sumsBy} from '../run-sums.ts';
import {facts, integer, maybeInteger, maybeNumber, maybeText, number, text} from './parts.ts';

const maybeName = text.nullable().exactOptional();

export const runSumSchema = facts({
	/** The profile of the route or the job. */
	profile: maybeText,
	/** Only one of `route`, `key`, `model` and `job` is present, as requested by `by`; `null`: runs without one. */
	route: maybeName,
	/** The name of a key of the chat API; `terminal` for the person at the terminal. */
	key: maybeName,
	model: maybeName,
	/** `name` as in its newest run. */
	job: facts({id: text, name: text}).nullable().exactOptional(),
	runs: integer,
	/** Queued, running or delivering; `runs` is the sum of this and the counts below. */
	open: integer,
	done: integer,
	silent: integer,
	failed: integer,
	cancelled: integer,
	interrupted: integer,
	uncertain: integer,
	dead: integer,
	/** Runs that ended badly and were then dismissed by a person. */
	dropped: integer,
	/** Share of `done` and `silent` runs among all ended runs except cancelled ones, 0 to 1. Absent if there are none. */
	success: maybeNumber,
	inputTokens: integer,
	outputTokens: integer,
	/** The sum for each currency, over the runs whose whole cost is known. */
	costs: z.array(facts({amount: number, currency: text})),
	/** Number of runs that used tokens and whose cost is not fully known. */
	unpriced: integer,
	/** Number of runs that ended after at least one try and whose tokens are not known. */
	uncounted: integer,
	/** Median time from the first try to the end, milliseconds, over the ended runs; absent without any. */
	medianMs: maybeNumber,
	longestMs: maybeInteger,
}).register(z.globalRegistry, {id: 'RunSum'});

export const runSumsSchema = facts({
	by: z.enum(sumsBy),
	/** Start of the summed time, milliseconds since 1970: the requested time, or a later one if there are too many runs to sum. */
	since: number,
	until: number,
	/** Age at which runs are removed, milliseconds; absent: never. */
	keptMs: maybeNumber,
	/** Number of runs that are in no row, since there are at most 1,000 rows. */
	leftOut: integer,
	/** The row with the most runs first. */
	rows: z.array(runSumSchema),
}).register(z.globalRegistry, {id: 'RunSums'});
