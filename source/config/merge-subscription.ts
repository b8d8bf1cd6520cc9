import {randomBytes} from 'node:crypto';
import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {targetNamed} from '../platforms/platforms.ts';

/** What `svc webhook subscribe` was told; what is absent was not. @see manual/routes.md#dynamic-routes */
export type SubscribeFlags = {
	readonly events?: readonly string[];
	readonly prompt?: string;
	readonly subject?: string;
	readonly deliver?: string;
	readonly deliverChatId?: string;
	readonly deliverOnly?: boolean;
	readonly description?: string;
	readonly routeProfile?: string;
	/** `false`: none any more. */
	readonly cronJob?: string | false;
	readonly mirrorToSession?: boolean;
	/** `false`: nothing any more. */
	readonly prefetch?: readonly string[] | false;
	/** One filter or a list. */
	readonly filters?: JsonValue;
	readonly script?: string;
	readonly skills?: readonly string[];
	/** `false`: no groups any more; every other value says nothing. */
	readonly coalesce?: boolean;
	readonly coalesceKey?: string;
	/** Seconds, fractions allowed. */
	readonly coalesceWindow?: number;
	/** Seconds, fractions allowed. */
	readonly coalesceMaxWait?: number;
	readonly overflow?: 'reject' | 'queue';
	readonly secret?: string;
};

/** A new secret: 32 random bytes as base64url, 43 characters. */
export const generateSecret = (): string => randomBytes(32).toString('base64url');

type SettingFlag = Exclude<keyof SubscribeFlags, 'coalesce'>;

/** Where the value of each flag stands. What is no flag is written nowhere. */
const places: Readonly<Record<SettingFlag, readonly [setting: string, key?: string]>> = {
	events: ['events'],
	prompt: ['prompt'],
	subject: ['subject'],
	deliver: ['deliver'],
	deliverChatId: ['deliver_extra', 'chat_id'],
	deliverOnly: ['deliver_only'],
	description: ['description'],
	routeProfile: ['profile'],
	cronJob: ['cron_job'],
	mirrorToSession: ['mirror_to_session'],
	prefetch: ['prefetch'],
	filters: ['filters'],
	script: ['script'],
	skills: ['skills'],
	coalesceKey: ['coalesce', 'key'],
	coalesceWindow: ['coalesce', 'window_seconds'],
	coalesceMaxWait: ['coalesce', 'max_wait_seconds'],
	overflow: ['overflow'],
	secret: ['secret'],
};

/**
 * The entry that `flags` make of `existing`. One that exists keeps its secret and every key that no flag names; a new one gets a secret from
 * `newSecret` unless a flag gives one, and says `today` when that was. Pure but for `newSecret`.
 */
export function mergeSubscription(
	existing: JsonObject | undefined,
	{coalesce, cronJob, prefetch, ...flags}: SubscribeFlags,
	{today, newSecret = generateSecret}: {readonly today: string; readonly newSecret?: () => string},
): JsonObject {
	const removed = new Set([
		...(cronJob === false ? ['cron_job'] : []),
		...(prefetch === false ? ['prefetch'] : []),
		...(coalesce === false ? ['coalesce'] : []),
	]);
	const entry: Record<string, JsonValue> = Object.fromEntries(
		Object.entries(existing ?? {}).filter(([key]) => !removed.has(key)),
	);
	const secret = flags.secret ?? (existing ? undefined : newSecret());
	const given: Omit<SubscribeFlags, 'coalesce'> = {
		...flags,
		...(cronJob !== false && cronJob !== undefined && {cronJob}),
		...(prefetch !== false && prefetch !== undefined && {prefetch}),
		...(secret !== undefined && {secret}),
	};
	for (const [flag, [setting, key]] of Object.entries(places)) {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table are flags
		const value = given[flag as SettingFlag];
		if (value !== undefined) {
			const before = entry[setting];
			entry[setting] =
				key === undefined ? value : {...(isJsonObject(before) ? before : {}), [key]: value};
		}
	}

	return secret === undefined || secret === existing?.['secret']
		? entry
		: {...entry, rotated_on: today};
}

/**
 * `entry` (a dynamic route as it is written) with what `given` adds to its `deliver_extra`, and, where nothing else is written, with what its target's kind has there by
 * default. Pure.
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
