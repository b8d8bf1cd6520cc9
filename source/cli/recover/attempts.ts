import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {type ForgeApi, pageSize, pagesOf} from './forge-api.ts';
import type {RecoveryFacts} from './report.ts';

/** A code host's attempt to deliver an event. Strings are as sent. */
export type Attempt = {
	/** The host's identifier of this attempt, decimal digits. */
	readonly id: string;
	/** The event's identifier, equal for all attempts: the value of the delivery header. */
	readonly guid: string;
	readonly event: string;
	/** `opened`; empty if the event has none. */
	readonly action: string;
	/** Milliseconds since 1970. */
	readonly at: number;
	/** HTTP status of the answer; 0 without an answer. */
	readonly status: number;
	/** `OK`, `failed to connect`. */
	readonly result: string;
};

/** The attempts in a page of the API's list; other entries are dropped. */
export const attemptsIn = (page: unknown): readonly Attempt[] =>
	Array.isArray(page) ? page.filter(isJsonObject).flatMap(attemptOf) : [];

function attemptOf(item: JsonObject): readonly Attempt[] {
	const id = JSON.stringify(item['id']) ?? '';
	const guid = memberText(item, 'guid');
	const at = Date.parse(memberText(item, 'delivered_at'));
	if (!/^\d{1,20}$/.test(id) || guid === '' || Number.isNaN(at)) {
		return [];
	}

	const status = item['status_code'];
	return [
		{
			id,
			guid,
			event: memberText(item, 'event'),
			action: memberText(item, 'action'),
			at,
			status: typeof status === 'number' ? status : 0,
			result: memberText(item, 'status'),
		},
	];
}

/** The text of a member; empty where there is none. */
export const memberText = (object: JsonObject, key: string): string => {
	const value = Object.hasOwn(object, key) ? object[key] : undefined;
	return typeof value === 'string' ? value : '';
};

const isDelivered = ({status}: Attempt): boolean => status >= 200 && status < 300;

/**
 * The undelivered events, each with its newest attempt, oldest event first. An event counts as delivered if any attempt succeeded, even if a later redelivery by a
 * person failed. Pure.
 */
export function missedEvents(attempts: readonly Attempt[]): readonly Attempt[] {
	const delivered = new Set(attempts.filter(isDelivered).map(({guid}) => guid));
	const newest = new Map<string, Attempt>();
	for (const attempt of attempts) {
		const known = newest.get(attempt.guid);
		if (!delivered.has(attempt.guid) && (!known || known.at < attempt.at)) {
			newest.set(attempt.guid, attempt);
		}
	}

	return [...newest.values()].toSorted((a, b) => a.at - b.at);
}

/** 3,000 attempts. */
const maxPages = 30;

/**
 * A webhook's attempts since a point in time, newest first. `complete` is false if there were more than are read.
 *
 * @throws SvcError `forge_*`
 */
export async function listAttempts(
	api: ForgeApi,
	{repo, hook, since}: Pick<RecoveryFacts, 'hook' | 'repo' | 'since'>,
): Promise<{readonly attempts: readonly Attempt[]; readonly complete: boolean}> {
	const attempts: Attempt[] = [];
	const path = `repos/${repo}/hooks/${hook}/deliveries`;
	for await (const {entries, isLast} of pagesOf(api, path, maxPages)) {
		const page = attemptsIn(entries.slice(0, pageSize));
		const wanted = page.filter(({at}) => at >= since);
		attempts.push(...wanted);
		if (entries.length > pageSize) {
			break;
		}

		if (isLast || wanted.length < page.length || page.length === 0) {
			return {attempts, complete: true};
		}
	}

	return {attempts, complete: false};
}
