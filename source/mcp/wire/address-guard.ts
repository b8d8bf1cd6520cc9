import type {LookupAddress} from 'node:dns';
import type {LookupFunction} from 'node:net';
import {
	addressScope,
	type AddressScope,
	bareHost,
	isLocalName,
	lookupBy,
	resolveBySystem,
	type ResolveName,
	scopeOf,
} from '../../core/address-scope.ts';
import {SvcError} from '../../core/errors.ts';
import {isLoopbackHost} from '../../core/hosts.ts';

/**
 * Why a request must not be sent to an authorization server; `undefined` if it may. Tool servers name these URLs and may lie: only HTTPS is allowed, or plain HTTP
 * on this machine for a tool server on this machine, and no address nearer to us than `home`, the tool server's own.
 */
export function refusalOfUrl(url: URL, home: AddressScope): string | undefined {
	const local = isLoopbackHost(url.hostname);
	if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local && home === 'loopback')) {
		return 'it is not an https:// URL';
	}

	if (url.username !== '' || url.password !== '') {
		return 'it names a user';
	}

	const scope = local
		? 'loopback'
		: isLocalName(url.hostname)
			? // As near as a name can be: see `home`.
				'private'
			: addressScope(bareHost(url));
	return scope && !mayReach(scope, home)
		? `a ${scope} address is not for the authorization server of a ${home} tool server`
		: undefined;
}

/**
 * Whether a person's browser may open a page named by an authorization server: the rules for our own requests apply. A remote server must not have a person open
 * pages on their own machine or network, where they are logged in.
 */
export const isPageForPeople = (url: URL, home: AddressScope): boolean =>
	refusalOfUrl(url, home) === undefined;

/** The location of a tool server, by the addresses of its connections. */
export type EndpointPlace = {
	/**
	 * How near the tool server is: the farthest of its connections' addresses. A host name never counts as nearer than `private`: its DNS server can answer
	 * "127.0.0.1" for a moment.
	 */
	readonly home: () => Promise<AddressScope>;
	/** DNS lookup for connections to the tool server itself. */
	readonly ownLookup: LookupFunction;
	/**
	 * DNS lookup for hosts that the tool server leads to. Returns exactly the checked addresses, so that a name cannot change its address between check and
	 * connect. Fails with a SvcError `oauth_address_refused`.
	 */
	readonly guardedLookup: LookupFunction;
};

/** The location of the tool server at `endpoint`. Before its first connection, the name is looked up once. Behind a proxy addresses are unknown, so it counts as `public`. */
export function endpointPlace(
	endpoint: URL,
	{
		isProxied = false,
		resolve = resolveBySystem,
	}: {readonly isProxied?: boolean; readonly resolve?: ResolveName | undefined} = {},
): EndpointPlace {
	const host = bareHost(endpoint);
	const literal = isLoopbackHost(endpoint.hostname) ? 'loopback' : addressScope(host);
	/** Once public, always public. `last`: the addresses of the last lookup, since names with many addresses change them over months. */
	let isPublic = false;
	let last: ReadonlySet<string> | undefined;
	const look = async (): Promise<readonly LookupAddress[]> => {
		const addresses = await resolve(host);
		isPublic ||= addresses.some(each => scopeOf(each) === 'public');
		last = new Set(addresses.map(({address}) => address));
		return addresses;
	};

	const home = async (): Promise<AddressScope> => {
		if (literal) {
			return literal === 'public' || literal === 'loopback' ? literal : 'private';
		}

		if (isProxied) {
			return 'public';
		}

		if (!last) {
			await look();
		}

		return isPublic ? 'public' : 'private';
	};

	const judged = async (name: string): Promise<readonly LookupAddress[]> => {
		const addresses = await resolve(name);
		const nearest = await home();
		const strange = addresses
			// Allows another port on the tool server's own machine. If that is public too, a private address may be in our network, but is not that machine.
			.filter(each => {
				const isOwn = name === host && last?.has(each.address);
				return !(isOwn && (nearest !== 'public' || scopeOf(each) === 'private'));
			})
			.map(scopeOf)
			.find(scope => !mayReach(scope, nearest));
		if (strange) {
			throw new SvcError(
				'oauth_address_refused',
				`Cannot use "${name}" as authorization server: a ${strange} address is not for that of a ${nearest} tool server`,
			);
		}

		return addresses;
	};

	return {home, ownLookup: lookupBy(look), guardedLookup: lookupBy(judged)};
}

/** Ranks scopes by nearness: a server may lead us farther away than itself, but not nearer. */
const nearness: Readonly<Record<AddressScope, number>> = {
	public: 0,
	private: 1,
	loopback: 2,
	'link-local': 3,
	reserved: 4,
};

const mayReach = (scope: AddressScope, home: AddressScope): boolean =>
	scope !== 'reserved' && nearness[scope] <= nearness[home];
