import {
	looseJsonOf,
	requiredSetting,
	seconds,
	setting,
	nonBlankText,
} from '../core/schema-parts.ts';
import {defineSettings} from '../core/settings.ts';
import {firstProblem} from './schema-issues.ts';

const day = 24 * 60 * 60;

/** `coalesce` of a route. @see manual/routes.md#coalescing */
export const coalesceSettings = defineSettings({
	key: requiredSetting(
		nonBlankText,
		'Payload field (`issue.id`) or template (`{repository.full_name}#{number}`) that names the entity: events with the same key wait together',
	),
	window_seconds: setting(
		seconds(day),
		'Seconds without a further event after which a group runs; fractions allowed, at most a day',
		{
			default: 30,
			unit: 'seconds',
		},
	),
	max_wait_seconds: setting(
		seconds(7 * day),
		'Longest wait from the first event of a group; at most a week',
		{default: 300, unit: 'seconds'},
	),
});

/** `coalesce` in the JSON Schema. */
export const coalesceJson = looseJsonOf(coalesceSettings.schema);

/** Why `written` (not absent) cannot be a route's `coalesce`; `undefined`: it can. An invalid one disables its route, not the file. */
export const problemWithCoalesce = (written: unknown): string | undefined =>
	firstProblem(coalesceSettings.schema, written);

/** `coalesce` as the receiver uses it; `undefined` when it is absent or wrong. */
export function coalesceOf(written: unknown): ReturnType<typeof coalesceSettings.read> | undefined {
	const {data} = coalesceSettings.schema.safeParse(written);
	return data && coalesceSettings.read(data);
}
