import {isJsonObject, type JsonValue} from '../../core/json.ts';
import type {Memos} from '../../core/memos.ts';
import type {OutgoingMessage} from '../outgoing-message.ts';
import type {ForgePlace} from './forge-place.ts';

/** A comment that is kept up to date. */
export type KeptComment = {
	/** The run whose answer stands in it; 0 when it was none. */
	readonly run: number;
} & (
	| {
			/** The code host's number of it. */
			readonly id: number;
	  }
	| Posting
);

/** A comment that was being made when this was written. It may be there, under a number that was not told. */
export type Posting = {
	/** What its text ends with, and no other's. */
	readonly mark: string;
	/** Milliseconds since 1970. */
	readonly at: number;
};

/** Name of what the store keeps of it. */
const memoKind = 'forge-comment';

/** What a comment is kept for: a pull request or an issue, of one route, and of one key of a route that gathers events. */
export const keptName = (
	{profile, route, key = ''}: Pick<OutgoingMessage, 'profile' | 'route' | 'key'>,
	{repo, number}: Pick<ForgePlace, 'repo' | 'number'>,
): string => JSON.stringify([profile, route, repo.toLowerCase(), number, key]);

export async function findKept(
	memos: Pick<Memos, 'get'> | undefined,
	name: string,
): Promise<KeptComment | undefined> {
	const memo = await memos?.get(memoKind, name);
	const [id, run = 0] = [memberOf(memo, 'id'), memberOf(memo, 'run')];
	if (id !== undefined) {
		return {id, run};
	}

	const [mark, at] = [textOf(memo, 'mark'), memberOf(memo, 'at')];
	return mark === undefined || at === undefined ? undefined : {mark, at, run};
}

/** Rejects as `Memos.put` does. */
export async function keep(
	memos: Pick<Memos, 'put'> | undefined,
	name: string,
	comment: KeptComment,
): Promise<void> {
	await memos?.put(memoKind, name, comment);
}

/** The number of the comment that the client says it has made; `undefined` when it does not say. */
export function idOfAnswer(stdout: string): number | undefined {
	try {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was parsed
		return memberOf(JSON.parse(stdout) as JsonValue, 'id');
	} catch {
		return undefined;
	}
}

/** Our clock may be ahead of the code host's by as much. */
const skewMs = 60 * 60 * 1000;

/** Where the comments of a place are listed that the one of `posting` is among, the oldest first: hardly more than 100 are made or changed from then on. */
export const listedSince = (number: number, {at}: Posting): string =>
	`${number}/comments?per_page=100&since=${new Date(at - skewMs).toISOString()}`;

/** The number of the comment that ends with `mark`, of those that the client lists: of several the oldest, since only what is there can be copied. `undefined`: there is none. @throws SyntaxError unless `stdout` is JSON */
export function idOfMarked(stdout: string, {mark}: Posting): number | undefined {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was parsed
	const listed = JSON.parse(stdout) as JsonValue;
	const found = (Array.isArray(listed) ? listed : []).find(comment =>
		textOf(comment, 'body')?.trimEnd().endsWith(mark),
	);
	return memberOf(found, 'id');
}

const textOf = (value: JsonValue | undefined, key: string): string | undefined => {
	const member = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
	return typeof member === 'string' ? member : undefined;
};

function memberOf(value: JsonValue | undefined, key: string): number | undefined {
	const member = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
	return typeof member === 'number' && Number.isSafeInteger(member) && member >= 0
		? member
		: undefined;
}
