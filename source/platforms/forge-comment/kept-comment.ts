import {z} from 'zod';
import {parsedJson, type JsonValue} from '../../core/json.ts';
import type {Memos} from '../../core/memos.ts';
import type {OutgoingMessage} from '../outgoing-message.ts';
import type {ForgePlace} from './forge-place.ts';

const count = z.number().int().min(0);

/** The run whose answer is in a comment; 0 if unknown. */
const run = count.catch(0);

/** A comment that was about to be posted. It may exist, under an unknown number. */
const postingForm = z.object({
	/** The end of its text, which is unique. */
	mark: z.string(),
	/** Milliseconds since 1970. */
	at: count,
});

export type Posting = z.infer<typeof postingForm>;

/** A comment that is kept up to date. `id`: its number at the code host. */
const keptForm = z.union([z.object({id: count, run}), postingForm.extend({run})]);

export type KeptComment = z.infer<typeof keptForm>;

/** The kind of its memo in the store. */
const memoKind = 'forge-comment';

/** The name of the memo of a comment: one for each pull request or issue of a route, and for each key of a route that groups events. */
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

/** The number of a new comment in the client's output; `undefined` if it is missing. */
export const idOfAnswer = (stdout: string): number | undefined =>
	listedForm.safeParse(parsedJson(stdout)).data?.id;

/** How far our clock may be ahead of the code host's, milliseconds. */
const skewMs = 60 * 60 * 1000;

/** The path that lists the comments among which that of `posting` is, oldest first. One page: hardly more than 100 are created or changed after that. */
export const listedSince = (number: number, {at}: Posting): string =>
	`${number}/comments?per_page=100&since=${new Date(at - skewMs).toISOString()}`;

/**
 * The number of the comment in the client's list that ends with `mark`; the oldest of several, since the others are copies. `undefined` if there is none.
 *
 * @throws SyntaxError unless `stdout` is JSON
 */
export function idOfMarked(stdout: string, {mark}: Posting): number | undefined {
	const listed: JsonValue = JSON.parse(stdout);
	return (Array.isArray(listed) ? listed : [])
		.map(comment => listedForm.safeParse(comment).data)
		.find(comment => comment?.body.trimEnd().endsWith(mark))?.id;
}
