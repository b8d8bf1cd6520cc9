import type {Vocabulary} from '../../core/filter/filter.ts';
import {termsOf, textTerm} from '../../core/filter/terms.ts';
import {isLoginOver, type LoginAttempt, type LoginFlow} from '../../core/logins.ts';
import type {ServerLoginView, ServerView} from '../../core/tool-server.ts';
import {serverKey, serverName} from '../server/server.ts';

/** A tool server with `auth: oauth`, and the newest login to it that was started here. */
export type LoginEntry = {
	readonly server: ServerView;
	readonly login: ServerLoginView;
	readonly attempt: LoginAttempt | undefined;
};

/**
 * - `starting`, `waiting`, `finishing`, `succeeded` (for a moment): of a login that was started here.
 * - `needed`, `held` (it is connected with its login), `bare` (it is connected, but no login is stored), `connecting`, `idle` (not connected now), `failed` (for another reason), `off`: of the server.
 */
export type LoginState =
	| 'starting'
	| 'waiting'
	| 'finishing'
	| 'succeeded'
	| 'needed'
	| 'held'
	| 'bare'
	| 'connecting'
	| 'idle'
	| 'failed'
	| 'off';

/** How long it is said that a login has succeeded. */
export const succeededMs = 3000;

/** What the list and the detail say of an entry at `now`. */
export function loginState({server, login, attempt}: LoginEntry, now: number): LoginState {
	if (attempt && isUnderWay(attempt)) {
		return attempt.status;
	}

	if (attempt?.status === 'succeeded' && now - (attempt.endedAt ?? 0) < succeededMs) {
		return 'succeeded';
	}

	switch (server.status) {
		case 'needs login':
			return 'needed';
		case 'connected':
			return login.stored ? 'held' : 'bare';
		case 'connecting':
			return 'connecting';
		case 'lazy':
		case 'recycled':
			return 'idle';
		case 'failed':
		case 'parked':
			return 'failed';
		case 'skipped':
			return 'off';
	}
}

/** Whether a login was started and is not over. */
export const isUnderWay = (
	attempt: LoginAttempt | undefined,
): attempt is LoginAttempt & {readonly status: 'starting' | 'waiting' | 'finishing'} =>
	attempt !== undefined && !isLoginOver(attempt);

/** The servers whose login would end with the interface. */
export const waitingLogins = (attempts: readonly LoginAttempt[]): readonly string[] =>
	attempts.filter(isUnderWay).map(({server, profile}) => serverName({name: server, profile}));

/** Which way a login goes that is under way, else would go. Before it has looked, only the settings say so. */
export const flowNow = ({login, attempt}: LoginEntry): LoginFlow =>
	isUnderWay(attempt) && attempt.status !== 'starting' ? attempt.flow : login.flow;

/** Why the newest login came to nothing, unless the server was reached with one since. */
export function failedReason({server, attempt}: LoginEntry): string | undefined {
	const isBetter = server.status === 'connected' && server.since > (attempt?.endedAt ?? 0);
	return attempt?.status === 'failed' && !isBetter ? (attempt.reason ?? 'it failed') : undefined;
}

/** Whether a login that waits is not needed any more: the server was reached with one that was made elsewhere. */
export const isOvertaken = ({server, login, attempt}: LoginEntry): boolean =>
	attempt?.status === 'waiting' &&
	server.status === 'connected' &&
	login.stored &&
	server.since > attempt.startedAt;

/** What an entry is remembered by. */
export const loginKey = ({server}: LoginEntry): string => serverKey(server);

/** The servers that have a login, each with the newest attempt. */
export function loginEntries(
	servers: readonly ServerView[],
	attempts: readonly LoginAttempt[],
): readonly LoginEntry[] {
	return servers.flatMap(server =>
		server.login
			? [
					{
						server,
						login: server.login,
						attempt: attempts.find(
							attempt => attempt.server === server.name && attempt.profile === server.profile,
						),
					},
				]
			: [],
	);
}

/** The words of the Logins filter: `server: state: flow: profile:` and free text. */
export const loginVocabulary: Vocabulary<LoginEntry> = {
	terms: termsOf<LoginEntry>({
		server: textTerm(({server}) => server.name, {
			says: 'the tool server',
			example: 'server:linear',
		}),
		state: textTerm(({server, attempt}) => `${server.status} ${attempt?.status ?? ''}`, {
			says: 'the state of the server, or of its newest login',
			example: 'state:needs',
		}),
		flow: textTerm(flowNow, {
			says: 'how the login is done: in a browser or with a code',
			example: 'flow:device',
			words: ['browser', 'device'],
		}),
		profile: textTerm(({server}) => server.profile, {
			says: 'the profile',
			example: 'profile:work',
		}),
	}),
	haystack: ({server, login, attempt}) =>
		[server.name, server.endpoint, server.status, login.issuer ?? '', attempt?.status ?? '']
			.join('\n')
			.toLowerCase(),
};
