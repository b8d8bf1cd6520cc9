import type {Vocabulary} from '../../core/filter/filter.ts';
import {termsOf, textTerm} from '../../core/filter/terms.ts';
import {isLoginOver, type LoginAttempt, type LoginFlow} from '../../core/logins.ts';
import type {ServerLoginView, ServerView} from '../../core/tool-server.ts';
import {serverKey, serverName} from '../server/server.ts';

/** A tool server with `auth: oauth`, and the latest login attempt made here. */
export type LoginEntry = {
	readonly server: ServerView;
	readonly login: ServerLoginView;
	readonly attempt: LoginAttempt | undefined;
};

/**
 * - `starting`, `waiting`, `finishing`, `succeeded` (shown briefly): states of a login attempt made here.
 * - `needed`, `held` (connected with its login), `bare` (connected without a stored login), `connecting`, `idle` (not connected), `failed` (for another reason),
 * `off`: states of the server.
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

/** How long a login's success is shown. */
export const succeededMs = 3000;

/** The state of an entry at `now`. */
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

/** Whether a login attempt has begun and not ended. */
export const isUnderWay = (
	attempt: LoginAttempt | undefined,
): attempt is LoginAttempt & {readonly status: 'starting' | 'waiting' | 'finishing'} =>
	attempt !== undefined && !isLoginOver(attempt);

/** The servers whose login attempts would end with the interface. */
export const waitingLogins = (attempts: readonly LoginAttempt[]): readonly string[] =>
	attempts.filter(isUnderWay).map(({server, profile}) => serverName({name: server, profile}));

/** The flow of the login in progress, or of the next one. Before discovery, only the settings decide. */
export const flowNow = ({login, attempt}: LoginEntry): LoginFlow =>
	isUnderWay(attempt) && attempt.status !== 'starting' ? attempt.flow : login.flow;

/** Why the latest login failed, unless the server was reached with a login since. */
export function failedReason({server, attempt}: LoginEntry): string | undefined {
	const isBetter = server.status === 'connected' && server.since > (attempt?.endedAt ?? 0);
	return attempt?.status === 'failed' && !isBetter ? (attempt.reason ?? 'it failed') : undefined;
}

/** Whether a waiting login has become needless: the server was reached with a login made elsewhere. */
export const isOvertaken = ({server, login, attempt}: LoginEntry): boolean =>
	attempt?.status === 'waiting' &&
	server.status === 'connected' &&
	login.stored &&
	server.since > attempt.startedAt;

/** An entry's key. */
export const loginKey = ({server}: LoginEntry): string => serverKey(server);

/** The servers with a login, each with the latest attempt. */
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
