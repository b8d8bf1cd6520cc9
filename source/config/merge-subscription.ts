import {randomBytes} from 'node:crypto';
import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';

/** What `svc webhook subscribe` was told; what is absent was not. @see Interface 2.11, Decisions 2 */
export type SubscribeFlags = {
	readonly events?: readonly string[];
	readonly prompt?: string;
	readonly deliver?: string;
	readonly deliverChatId?: string;
	readonly deliverOnly?: boolean;
	readonly description?: string;
	readonly routeProfile?: string;
	readonly cronJob?: string;
	readonly mirrorToSession?: boolean;
	/** One filter or a list. */
	readonly filters?: JsonValue;
	readonly script?: string;
	readonly skills?: readonly string[];
	readonly coalesceKey?: string;
	readonly secret?: string;
};

/** A new secret: 32 random bytes as base64url, 43 characters. */
export const generateSecret = (): string => randomBytes(32).toString('base64url');

/**
 * The entry that `flags` make of `existing`. One that exists keeps its secret and every key that no flag names; a new one gets a secret from
 * `newSecret` unless a flag gives one. Pure but for `newSecret`.
 */
export function mergeSubscription(
	existing: JsonObject | undefined,
	flags: SubscribeFlags,
	newSecret: () => string = generateSecret,
): JsonObject {
	const named: Record<string, JsonValue | undefined> = {
		events: flags.events,
		prompt: flags.prompt,
		deliver: flags.deliver,
		deliver_extra: memberSet(existing, {
			section: 'deliver_extra',
			key: 'chat_id',
			value: flags.deliverChatId,
		}),
		deliver_only: flags.deliverOnly,
		description: flags.description,
		profile: flags.routeProfile,
		cron_job: flags.cronJob,
		mirror_to_session: flags.mirrorToSession,
		filters: flags.filters,
		script: flags.script,
		skills: flags.skills,
		coalesce: memberSet(existing, {section: 'coalesce', key: 'key', value: flags.coalesceKey}),
		secret: flags.secret ?? (existing ? undefined : newSecret()),
	};
	const given = Object.entries(named).filter(
		(entry): entry is [string, JsonValue] => entry[1] !== undefined,
	);
	return {...existing, ...Object.fromEntries(given)};
}

/** A section of the entry with one key set; `undefined` when there is nothing to set. */
function memberSet(
	existing: JsonObject | undefined,
	{
		section,
		key,
		value,
	}: {readonly section: string; readonly key: string; readonly value: string | undefined},
): JsonObject | undefined {
	if (value === undefined) {
		return undefined;
	}

	const before = existing && Object.hasOwn(existing, section) ? existing[section] : undefined;
	return {...(isJsonObject(before) ? before : {}), [key]: value};
}
