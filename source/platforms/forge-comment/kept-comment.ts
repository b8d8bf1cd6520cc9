import {z} from 'zod';
import {parsedJson, type JsonValue} from '../../core/json.ts';
import type {Memos} from '../../core/memos.ts';
import type {OutgoingMessage} from '../outgoing-message.ts';
import type {ForgePlace} from './forge-place.ts';

const count = z.number().int().min(0);

/** The run whose answer stands in a comment; 0 when it was none. */
const run = count.catch(0);

/** A comment that was being made when this was written. It may be there, under an unknown number. */
const postingForm = z.object({
	/** The end of its text, which no other comment has. */
	mark: z.string(),
	/** Milliseconds since 1970. */
	at: count,
});

export type Posting = z.infer<typeof postingForm>;

/** A comment that is kept up to date. `id`: the code host's number of it. */
const keptForm = z.union([z.object({id: count, run}), postingForm.extend({run})]);

export type KeptComment = z.infer<typeof keptForm>;

/** The kind of its memo in the store. */
const memoKind = 'forge-comment';

/** The name under which a comment is kept: one for each pull request or issue of a route, and for each key of a route that gathers events. */
export const keptName = (
	{profile, route, key = ''}: Pick<OutgoingMessage, 'profile' | 'route' | 'key'>,
	{repo, number}: Pick<ForgePlace, 'repo' | 'number'>,
): string => JSON.stringify([profile, route, repo.toLowerCase(), number, key]);

export const findKept = async (
	memos: Pick<Memos, 'get'> | undefined,
	name: string,
): Promise<KeptComment | undefined> => keptForm.safeParse(await memos?.get(memoKind, name)).data;

/** Rejects as `Memos.put` does. */
export async function keep(
	memos: Pick<Memos, 'put'> | undefined,
	name: string,
	comment: KeptComment,
): Promise<void> {
	await memos?.put(memoKind, name, comment);
}

const listedForm = z.object({id: count, body: z.string().catch('')});

/** The number of the comment that the client says it has made; `undefined` when it does not say. */
export const idOfAnswer = (stdout: string): number | undefined =>
	listedForm.safeParse(parsedJson(stdout)).data?.id;

/** How far our clock may be ahead of the code host's. */
const skewMs = 60 * 60 * 1000;

/** The path that lists the comments among which the one of `posting` is, the oldest first. One page: hardly more than 100 are made or changed from then on. */
export const listedSince = (number: number, {at}: Posting): string =>
	`${number}/comments?per_page=100&since=${new Date(at - skewMs).toISOString()}`;

/** The number of the comment that ends with `mark`, of those that the client lists; of several the oldest, since the others are copies of it. `undefined`: there is none. @throws SyntaxError unless `stdout` is JSON */
export function idOfMarked(stdout: string, {mark}: Posting): number | undefined {
	const listed: JsonValue = JSON.parse(stdout);
	return (Array.isArray(listed) ? listed : [])
		.map(comment => listedForm.safeParse(comment).data)
		.find(comment => comment?.body.trimEnd().endsWith(mark))?.id;
}
