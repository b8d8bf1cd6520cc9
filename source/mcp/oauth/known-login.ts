import type {FetchLike, OAuthDiscoveryState} from '@modelcontextprotocol/client';
import type {HomePaths} from '../../config/config.ts';
import {loginCommand} from '../../core/shell-words.ts';
import type {World} from '../../core/world.ts';
import {ConnectError} from '../wire/connect-error.ts';
import type {ServerLogin} from '../wire/server-login.ts';
import {grantFiles} from './grant-files.ts';
import {createGrant, type Grant} from './grant.ts';
import {isOver, keepFresh} from './keep-fresh.ts';
import {loginPlaceOf} from './login-shelf.ts';
import {authorize, oauthFetch} from './oauth-fetch.ts';
import type {MetadataFacts, OAuthRequests} from './oauth-requests.ts';
import {createStoredLogin} from './stored-login.ts';

/** A server with a login, shared by its logins and its connections. */
export type KnownLogin = {
	readonly grant: Grant;
	/** What all requests for this login have in common. */
	readonly requests: Omit<OAuthRequests, 'scopeFor' | 'metadata' | 'fetch' | 'home' | 'askForCode'>;
	/** The login for use by connections. */
	readonly login: ServerLogin;
};

/** Creates the object; neither reads nor writes yet. */
export function createKnownLogin(
	{server, endpoint, settings}: Pick<OAuthRequests, 'endpoint' | 'server' | 'settings'>,
	world: Pick<World, 'clock' | 'log' | 'redact'> & {
		/** Has these texts redacted from now on. */
		readonly hide: (texts: ReadonlyArray<string | undefined>) => void;
		readonly paths: Pick<HomePaths, 'mcpTokens' | 'profile' | 'shared'>;
	},
): KnownLogin {
	const {clock, log, redact, hide, paths} = world;
	const files = grantFiles(loginPlaceOf(paths), {server, url: endpoint.href, clock});
	const grant = createGrant(files, {hide});
	hide([settings.clientSecret]);
	const requests: KnownLogin['requests'] = {
		server,
		endpoint,
		settings,
		grant,
		clock,
		redact,
		hide,
		async onInvalidClient(clientId: string) {
			if (clientId === settings.clientMetadataUrl) {
				const text =
					'the authorization server refuses our client metadata document: it is not used for this server until the next login';
				log.warn(text, {server, document: clientId});
				await files.refuseDocument(clientId);
			}
		},
	};
	const ofStored: OAuthRequests = {
		...requests,
		scopeFor: advertised => settings.scope ?? advertised,
		metadata: newFacts(),
	};
	const {
		credentials,
		tokens: storedTokens,
		...stored
	} = createStoredLogin({
		...ofStored,
		log,
		loginCommand: loginCommand({profile: paths.profile, name: server}),
		rediscover: async issuer => rediscover(issuer, ofStored),
	});
	/** The fetch functions of open connections: the one that renews may be closed while others are open. */
	const alive = new Set<FetchLike>();
	let renewing: Promise<unknown> | undefined;
	const renew = async () => {
		renewing ??= authorize(credentials, ofStored).finally(() => {
			renewing = undefined;
		});
		return renewing;
	};

	/** The tokens for a request, renewed first if they have expired, as after a start or after sleep. Not for the request that renews, which would wait for itself. */
	const tokens = async () => {
		const held = await storedTokens();
		if (!held || !isOver(held, clock.now())) {
			return held;
		}

		grant.markDue(held.access_token);
		try {
			await renew();
		} catch (error) {
			const isPassing = error instanceof ConnectError && error.failure.kind === 'passing';
			if (isPassing && clock.now() < (held.expires_at ?? 0) * 1000) {
				return held;
			}

			throw error;
		}

		return storedTokens();
	};

	return {
		grant,
		requests,
		login: {
			...stored,
			credentials: {...credentials, tokens},
			fetchWith(fetch, home) {
				const made = oauthFetch(ofStored, fetch, {home});
				alive.add(made);
				return made;
			},
			fetchEnded(made) {
				alive.delete(made);
				const last = [...alive].at(-1);
				if (last) {
					ofStored.fetch = last;
				}
			},
			keepFresh(signal) {
				void keepFresh(grant, {clock, log, server, renew, signal});
			},
		},
	};
}

/** The facts before any request. */
export const newFacts = (): MetadataFacts => ({distrusted: false, statuses: [], found: false});

/** The current metadata of the authorization server of a grant made by code; `undefined` if the tool server no longer names it. */
async function rediscover(
	issuer: string,
	{server: name, endpoint, fetch}: OAuthRequests,
): Promise<OAuthDiscoveryState | undefined> {
	if (!fetch) {
		return undefined;
	}

	const {findDeviceServer} = await import('./find-device-server.ts');
	try {
		const {discovery} = await findDeviceServer({name, endpoint, issuer, fetch});
		return discovery;
	} catch (error) {
		if (error instanceof ConnectError) {
			return undefined;
		}

		throw error;
	}
}
