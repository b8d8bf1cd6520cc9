import type {StoredOAuthClientInformation, StoredOAuthTokens} from '@modelcontextprotocol/client';
import {keepLast} from '../../core/bounds.ts';
import {createMutex} from '../../core/mutex.ts';
import type {ConnectError} from '../wire/connect-error.ts';
import type {GrantFiles, KnownAuthorization, StoredTokens} from './grant-files.ts';

const maxRemembered = 64;

/**
 * What this process knows about one server's grant besides its files: which tokens were refused. Refused tokens are not deleted from files; only a new grant
 * replaces them.
 */
export type Grant = ReturnType<typeof createGrant>;

/** Why a refresh failed, if it may be retried; `at` is monotonic. */
type RefreshFailure = {readonly failure: ConnectError; readonly at: number};

type NewGrant = KnownAuthorization & {
	/** Absent: the settings name it. */
	readonly client: StoredOAuthClientInformation | undefined;
};

/** The grant stored in these files; one object per server and process. */
export function createGrant(
	files: GrantFiles,
	{
		hide,
	}: {
		/** Receives every token read, for redaction. */
		readonly hide: (texts: ReadonlyArray<string | undefined>) => void;
	},
) {
	const rejected = createMemory();
	const outgrown = createMemory();
	const spent = createMemory();
	const due = createMemory();
	const settled = createMemory();
	// Only one task of this process at a time tries for the file lock.
	const oneByOne = createMutex();
	let lastTokens: StoredTokens | undefined;

	const grant = {
		files,
		/** Runs `task` exclusively within this process and among processes. @throws SvcError `lock_timeout`, `lock_failed`, `login_file_unusable` */
		exclusively: async <T>(
			task: () => Promise<T>,
			/** Called first, once it is this task's turn in this process. A value becomes the result, without taking the lock among processes. */
			instead?: () => Promise<T | undefined>,
		): Promise<T> => oneByOne(async () => (await instead?.()) ?? files.exclusively(task)),
		/** The stored tokens, unless permanently refused. */
		async tokens(): Promise<StoredTokens | undefined> {
			const stored = await files.tokens();
			hide([stored?.access_token, stored?.refresh_token, stored?.client?.client_secret]);
			lastTokens = stored && !spent.has(pairOf(stored)) ? stored : undefined;
			return lastTokens;
		},
		/** The tokens that `tokens()` last returned. */
		get lastTokens(): StoredTokens | undefined {
			return lastTokens;
		},
		/** Replaces the grant atomically: the tokens together with their client. @throws as `exclusively` does */
		async replace(tokens: StoredOAuthTokens, {client, ...known}: NewGrant): Promise<void> {
			await grant.exclusively(async () => {
				// Metadata first: the new tokens make them effective, so writing the tokens is the switch.
				await files.saveKnown(known);
				await files.saveTokens({...tokens, ...(client && {client})});
				if (client) {
					await files.saveClient(client);
				}
			});
			grant.refreshFailure = undefined;
		},
		/** Records that the tool server refused this access token. */
		rejectAccess: rejected.add,
		/** The tool server wants more than this access token grants. */
		markInsufficient: outgrown.add,
		/** Whether the tool server refused this access token or found its scope insufficient. */
		wasRejected: (token: string): boolean => rejected.has(token) || outgrown.has(token),
		/** Marks an access token for renewal although it is still valid. */
		markDue: due.add,
		/** Whether this access token must be replaced. */
		isStale: (token: string): boolean => grant.wasRejected(token) || due.has(token),
		/** Records that the authorization server permanently refuses to refresh these tokens. */
		retire: (tokens: StoredOAuthTokens) => spent.add(pairOf(tokens)),
		/** Whether the tokens can still lead to a connection: they were not refused, or can be refreshed. */
		isUsable: (tokens: StoredOAuthTokens): boolean =>
			!spent.has(pairOf(tokens)) &&
			(tokens.refresh_token !== undefined || !rejected.has(tokens.access_token)),
		/** Records that these tokens were written to disk; another process may have replaced them since. */
		markStored: settled.add,
		isStored: settled.has,
		/** The last failure; `undefined` once the tool server accepts a token. */
		refreshFailure: undefined as RefreshFailure | undefined,
	};
	return grant;
}

/** Identifies tokens by both: some servers issue the same refresh token again and again. */
const pairOf = ({access_token: access, refresh_token: refresh}: StoredOAuthTokens): string =>
	`${access} ${refresh ?? ''}`;

/** A set that keeps only the newest texts. */
function createMemory(): {
	readonly add: (text: string) => void;
	readonly has: (text: string) => boolean;
} {
	const known = new Map<string, true>();
	return {
		add: text => keepLast(known, [text, true], maxRemembered),
		has: text => known.has(text),
	};
}
