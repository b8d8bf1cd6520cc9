import {randomBytes} from 'node:crypto';
import {withValueAt} from '../core/json-path.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {targetNamed} from '../platforms/platforms.ts';

/** The dotted path in the entry of a route for each flag of `svc webhook subscribe`. @see manual/routes.md#dynamic-routes */
const places = {
	events: 'events',
	prompt: 'prompt',
	subject: 'subject',
	deliver: 'deliver',
	deliverChatId: 'deliver_extra.chat_id',
	deliverOnly: 'deliver_only',
	description: 'description',
	routeProfile: 'profile',
	cronJob: 'cron_job',
	mirrorToSession: 'mirror_to_session',
	prefetch: 'prefetch',
	filters: 'filters',
	script: 'script',
	skills: 'skills',
	coalesceKey: 'coalesce.key',
	coalesceWindow: 'coalesce.window_seconds',
	coalesceMaxWait: 'coalesce.max_wait_seconds',
	overflow: 'overflow',
	secret: 'secret',
} as const;

type SettingFlag = keyof typeof places;

/**
 * Values of the flags as written in the entry; an absent flag changes nothing. `false` for `cronJob`, `prefetch` or `coalesce` removes the setting; `coalesce` takes no
 * other value.
 */
export type SubscribeFlags = {
	readonly [Flag in SettingFlag | 'coalesce']?: JsonValue | undefined;
};

/** A new secret: 32 random bytes as base64url, 43 characters. */
export const generateSecret = (): string => randomBytes(32).toString('base64url');

/**
 * `existing` changed by `flags`. An existing entry keeps its secret and every key without a flag. A new one gets a secret from `newSecret` unless a flag gives one. A new
 * secret sets `rotated_on` to `today`. Pure but for `newSecret`.
 */
export function mergeSubscription(
	existing: JsonObject | undefined,
	flags: SubscribeFlags,
	{today, newSecret = generateSecret}: {readonly today: string; readonly newSecret?: () => string},
): JsonObject {
	const {cronJob: cron_job, prefetch, coalesce} = flags;
	const removed = new Set(
		Object.entries({cron_job, prefetch, coalesce}).flatMap(([setting, value]) =>
			value === false ? [setting] : [],
		),
	);
	let entry: JsonObject = Object.fromEntries(
		Object.entries(existing ?? {}).filter(([key]) => !removed.has(key)),
	);
	const secret = flags.secret ?? (existing ? undefined : newSecret());
	const given = {...flags, secret};
	for (const [flag, place] of Object.entries(places)) {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table are flags
		const value = given[flag as SettingFlag];
		if (value !== undefined && !(value === false && removed.has(place))) {
			entry = withValueAt(entry, place.split('.'), value);
		}
	}

	return secret === undefined || secret === existing?.['secret']
		? entry
		: {...entry, rotated_on: today};
}

/**
 * `entry` (a dynamic route as written) with `given` added to its `deliver_extra`, and with the defaults of its kind of target for keys that are in neither. Pure.
 *
 * @see manual/delivery.md
 */
export function fillDeliverExtra(
	entry: JsonObject,
	given: Readonly<Record<string, string>> = {},
): JsonObject {
	const {deliver, events} = entry;
	const defaults =
		typeof deliver === 'string' ? targetNamed(deliver)?.defaults?.(events) : undefined;
	const before = isJsonObject(entry['deliver_extra']) ? entry['deliver_extra'] : {};
	const extra = {...defaults, ...before, ...given};
	return Object.keys(extra).length === 0 ? entry : {...entry, deliver_extra: extra};
}
