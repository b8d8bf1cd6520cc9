import {randomBytes} from 'node:crypto';
import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';

/** What `svc webhook subscribe` was told; what is absent was not. @see manual/routes.md#subscriptions */
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

/**
 * The entry that `flags` make of `existing`. One that exists keeps its secret and every key that no flag names; a new one gets a secret from
 * `newSecret` unless a flag gives one, and says `today` when that was. Pure but for `newSecret`.
 */
export function mergeSubscription(
	existing: JsonObject | undefined,
	flags: SubscribeFlags,
	{today, newSecret = generateSecret}: {readonly today: string; readonly newSecret?: () => string},
): JsonObject {
	const secret = flags.secret ?? (existing ? undefined : newSecret());
	const named: Record<string, JsonValue | undefined> = {
		events: flags.events,
		prompt: flags.prompt,
		subject: flags.subject,
		deliver: flags.deliver,
		deliver_extra: sectionWith(existing, 'deliver_extra', {chat_id: flags.deliverChatId}),
		deliver_only: flags.deliverOnly,
		description: flags.description,
		profile: flags.routeProfile,
		cron_job: flags.cronJob === false ? undefined : flags.cronJob,
		mirror_to_session: flags.mirrorToSession,
		filters: flags.filters,
		script: flags.script,
		skills: flags.skills,
		coalesce: sectionWith(existing, 'coalesce', {
			key: flags.coalesceKey,
			window_seconds: flags.coalesceWindow,
			max_wait_seconds: flags.coalesceMaxWait,
		}),
		overflow: flags.overflow,
		secret,
		rotated_on: secret === undefined || secret === existing?.['secret'] ? undefined : today,
	};
	const removed = new Set([
		...(flags.cronJob === false ? ['cron_job'] : []),
		...(flags.coalesce === false ? ['coalesce'] : []),
	]);
	const kept = Object.entries(existing ?? {}).filter(([key]) => !removed.has(key));
	return {...Object.fromEntries(kept), ...withoutGaps(named)};
}

/** A section of the entry with these keys set; `undefined` when there is nothing to set. */
function sectionWith(
	existing: JsonObject | undefined,
	section: string,
	members: Readonly<Record<string, JsonValue | undefined>>,
): JsonObject | undefined {
	const given = withoutGaps(members);
	if (Object.keys(given).length === 0) {
		return undefined;
	}

	const before = existing && Object.hasOwn(existing, section) ? existing[section] : undefined;
	return {...(isJsonObject(before) ? before : {}), ...given};
}

const withoutGaps = (members: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
	Object.fromEntries(
		Object.entries(members).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
	);
