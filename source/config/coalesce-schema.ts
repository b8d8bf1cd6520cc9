import {z} from 'zod';
import {notesOf, seconds, setting, visibleText} from '../core/schema-parts.ts';
import type {Route} from './route.ts';
import {firstProblem} from './schema-issues.ts';

const secondMs = 1000;
const day = 24 * 60 * 60;
const defaultWindow = 30;
const defaultMaxWait = 300;

const coalesceSchema = z.object({
	key: visibleText.meta({description: 'Payload field or template that names the entity'}),
	window_seconds: setting(seconds(day), {description: 'Quiet window', default: defaultWindow}),
	max_wait_seconds: setting(seconds(7 * day), {
		description: 'Longest wait from the first event of a group',
		default: defaultMaxWait,
	}),
});

/** `coalesce` in the JSON Schema. */
export const coalesceNotes = notesOf(coalesceSchema, 'Gather events of one entity into one run');

/** Why `written` (not absent) cannot be a route's `coalesce`; `undefined`: it can. A wrong one refuses the receiver, not the file. @see manual/routes.md#coalescing */
export const problemWithCoalesce = (written: unknown): string | undefined =>
	firstProblem(coalesceSchema, written);

/** `coalesce` as the receiver uses it; `undefined` when it is absent or wrong. */
export function coalesceOf(written: unknown): Route['coalesce'] {
	const {data} = coalesceSchema.safeParse(written);
	return (
		data && {
			key: data.key,
			windowMs: wholeMs(data.window_seconds ?? defaultWindow),
			maxWaitMs: wholeMs(data.max_wait_seconds ?? defaultMaxWait),
		}
	);
}

/** At least 1: no timer counts finer. */
const wholeMs = (amount: number): number => Math.max(1, Math.round(amount * secondMs));
