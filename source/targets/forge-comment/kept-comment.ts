import {isJsonObject, type JsonValue} from '../../core/json.ts';
import type {Memos} from '../../core/memos.ts';
import type {OutgoingMessage} from '../outgoing-message.ts';
import type {ForgePlace} from './forge-place.ts';

/** A comment that is kept up to date. */
export type KeptComment = {
	/** The code host's number of it. */
	readonly id: number;
	/** The run whose answer stands in it; 0 when it was none. */
	readonly run: number;
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
	const [id, run] = [memberOf(memo, 'id'), memberOf(memo, 'run')];
	return id === undefined ? undefined : {id, run: run ?? 0};
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

function memberOf(value: JsonValue | undefined, key: string): number | undefined {
	const member = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
	return typeof member === 'number' && Number.isSafeInteger(member) && member >= 0
		? member
		: undefined;
}
