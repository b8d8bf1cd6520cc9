import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {type ForgeApi, pageSize, pagesOf} from './forge-api.ts';
import type {RecoveryFacts} from './report.ts';

/** One try of the code host to deliver an event. Strings are as sent. */
export type Attempt = {
	/** The host's number of this try, decimal digits. */
	readonly id: string;
	/** The event's identifier, the same for all tries: what the delivery header holds. */
	readonly guid: string;
	readonly event: string;
	/** `opened`; empty when the event has none. */
	readonly action: string;
	/** Milliseconds since 1970. */
	readonly at: number;
	/** HTTP status of the answer; 0 when there was none. */
	readonly status: number;
	/** `OK`, `failed to connect`. */
	readonly result: string;
};

/** The tries in one page of the API's list; what is none is left out. */
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
 * The events that no try delivered, each by its newest try, oldest event first. An event that was delivered once counts as delivered, also when a person
 * sent it again later and that failed. Pure.
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

/** 3,000 tries. */
const maxPages = 30;

/**
 * The tries of a webhook since a moment, newest first. `complete` is false when there were more than are looked at.
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
