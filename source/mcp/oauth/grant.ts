import type {StoredOAuthClientInformation, StoredOAuthTokens} from '@modelcontextprotocol/client';
import {createMutex} from '../../core/mutex.ts';
import type {ConnectError} from '../wire/connect-error.ts';
import type {GrantFiles, KnownAuthorization, StoredTokens} from './grant-files.ts';

const maxRemembered = 64;

/**
 * What this process knows of one server's grant beyond the files: which tokens were refused. Files are never emptied for that; only a new grant
 * replaces an old one.
 */
export type Grant = {
	readonly files: GrantFiles;
	/** Runs `task` alone, among the tasks of this process and among processes. @throws SvcError `lock_timeout`, `lock_failed`, `login_file_unusable` */
	exclusively<T>(
		task: () => Promise<T>,
		/** Asked first, when it is this task's turn in this process: what it gives is the result, and other processes need not wait. */
		instead?: () => Promise<T | undefined>,
	): Promise<T>;
	/** The stored tokens, unless they were refused for good. */
	tokens(): Promise<StoredTokens | undefined>;
	/** What `tokens()` gave last. */
	readonly lastTokens: StoredTokens | undefined;
	/** Puts a new grant in the place of the old one: its tokens with the client that they were granted to, at once. @throws as `exclusively` does */
	replace(tokens: StoredOAuthTokens, known: NewGrant): Promise<void>;
	/** The tool server refused this access token. */
	rejectAccess(token: string): void;
	/** The tool server wants more than this access token grants. */
	markInsufficient(token: string): void;
	/** Whether either was said of it. */
	wasRejected(token: string): boolean;
	/** This access token is to be renewed though it still holds. */
	markDue(token: string): void;
	/** Whether another one is wanted in the place of this access token. */
	isStale(token: string): boolean;
	/** The authorization server refused to refresh these: they will never do again. */
	retire(tokens: StoredOAuthTokens): void;
	/** Whether the tokens can still lead to a connection: they were not refused, or can be refreshed. */
	isUsable(tokens: StoredOAuthTokens): boolean;
	/** These tokens are on disk already, maybe replaced by newer ones since. */
	markStored(accessToken: string): void;
	isStored(accessToken: string): boolean;
	/** Why the last refresh failed, when another try may succeed; `at` is monotonic. Gone when a token is accepted. */
	refreshFailure: {readonly failure: ConnectError; readonly at: number} | undefined;
};

export type NewGrant = KnownAuthorization & {
	/** Absent: the settings name it. */
	readonly client: StoredOAuthClientInformation | undefined;
};

/** The grant whose files these are; one object per server and process. */
export function createGrant(
	files: GrantFiles,
	{
		hide,
	}: {
		/** Told every token that was read. */
		readonly hide: (texts: ReadonlyArray<string | undefined>) => void;
	},
): Grant {
	const rejected = createMemory();
	const outgrown = createMemory();
	const spent = createMemory();
	const due = createMemory();
	const settled = createMemory();
	// So that only one task of this process tries for the lock.
	const oneByOne = createMutex();
	let lastTokens: StoredTokens | undefined;

	const grant: Grant = {
		files,
		async exclusively(task, instead) {
			return oneByOne(async () => {
				const result = await instead?.();
				if (result !== undefined) {
					return result;
				}

				return files.exclusively(task);
			});
		},
		async tokens() {
			const stored = await files.tokens();
			hide([stored?.access_token, stored?.refresh_token, stored?.client?.client_secret]);
			lastTokens = stored && !spent.has(pairOf(stored)) ? stored : undefined;
			return lastTokens;
		},
		get lastTokens() {
			return lastTokens;
		},
		async replace(tokens, {client, ...known}) {
			await grant.exclusively(async () => {
				// Metadata first: they are judged by the tokens. The tokens are the swap.
				await files.saveKnown(known);
				await files.saveTokens({...tokens, ...(client && {client})});
				if (client) {
					await files.saveClient(client);
				}
			});
			grant.refreshFailure = undefined;
		},
		rejectAccess: rejected.add,
		markInsufficient: outgrown.add,
		wasRejected: token => rejected.has(token) || outgrown.has(token),
		markDue: due.add,
		isStale: token => rejected.has(token) || outgrown.has(token) || due.has(token),
		retire: tokens => spent.add(pairOf(tokens)),
		isUsable: tokens =>
			!spent.has(pairOf(tokens)) &&
			(tokens.refresh_token !== undefined || !rejected.has(tokens.access_token)),
		markStored: settled.add,
		isStored: settled.has,
		refreshFailure: undefined,
	};
	return grant;
}

/** Both: some servers hand out one refresh token again and again. */
const pairOf = ({access_token: access, refresh_token: refresh}: StoredOAuthTokens): string =>
	`${access} ${refresh ?? ''}`;

/** The newest of what was told to it. */
function createMemory(): {
	readonly add: (text: string) => void;
	readonly has: (text: string) => boolean;
} {
	const known = new Set<string>();
	return {
		add(text) {
			known.delete(text);
			known.add(text);
			const [oldest] = known;
			if (known.size > maxRemembered && oldest !== undefined) {
				known.delete(oldest);
			}
		},
		has: text => known.has(text),
	};
}
