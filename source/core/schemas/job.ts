import {z} from 'zod';
import {facts, integer, maybeInteger, maybeNumber, maybeText, text} from './parts.ts';

export const jobViewSchema = facts({
	/** Identifier made by svc, unique in a profile: `job_` and eight letters or digits. */
	id: text,
	profile: text,
	name: text,
	/** The schedule as it was written: `0 9 * * 1-5`, `every 2h`, `2026-12-24T18:00:00+01:00`. */
	schedule: text,
	/** IANA name of the time zone for cron expressions. */
	timeZone: text,
	/** `ended`: a one-shot job that has fired. `invalid`: `problem` says why it cannot be used. */
	state: z.enum(['active', 'paused', 'ended', 'invalid']),
	/** `deliver` of the job: the target of its answers. */
	deliver: text,
	/** When it fires next, milliseconds since 1970. */
	nextAt: maybeNumber,
	/** When the job was last fired, by its schedule, a route or a person; milliseconds since 1970. */
	lastAt: maybeNumber,
	lastRunId: maybeInteger,
	/** Number of its runs that have not ended. */
	open: integer,
	/** Why the job cannot be used as written; unless it is `invalid`, its last good version is used. */
	problem: maybeText,
}).register(z.globalRegistry, {id: 'Job'});
