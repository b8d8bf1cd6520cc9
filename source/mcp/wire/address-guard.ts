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
 * Why a request to an authorization server must not be sent; `undefined`: it may be. A tool server names these URLs, and it may be lying: HTTPS only,
 * but plain HTTP within this machine for a tool server on this machine, and no address that is nearer to us than `home`, the tool server's own.
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
 * Whether a person's browser may be sent to a page that an authorization server names: where we would go ourselves. A server far away must not have a person open, logged in as they
 * are, pages of their own machine or network.
 */
export const isPageForPeople = (url: URL, home: AddressScope): boolean =>
	refusalOfUrl(url, home) === undefined;

/** Where one tool server is, by the addresses that its connections were made to. */
export type EndpointPlace = {
	/**
	 * How near the tool server is: the farthest of all addresses that its connections were given. A name is never nearer than `private`: its
	 * DNS server can answer "127.0.0.1" for a moment.
	 */
	readonly home: () => Promise<AddressScope>;
	/** For connections to the tool server itself. */
	readonly ownLookup: LookupFunction;
	/**
	 * For connections to where it leads. Answers with the addresses that were judged, so that a name cannot stand for one address when it is judged and for another when it is
	 * connected to. Fails with a SvcError `oauth_address_refused`.
	 */
	readonly guardedLookup: LookupFunction;
};

/**
 * The place of the tool server at `endpoint`. Before there is a connection its name is looked up once. Behind a proxy the address of a name is not known, so that it
 * counts as `public`.
 */
export function endpointPlace(
	endpoint: URL,
	{
		isProxied = false,
		resolve = resolveBySystem,
	}: {readonly isProxied?: boolean; readonly resolve?: ResolveName | undefined} = {},
): EndpointPlace {
	const host = bareHost(endpoint);
	const literal = isLoopbackHost(endpoint.hostname) ? 'loopback' : addressScope(host);
	/** Once for all; and the addresses of the last look, since names with many addresses change them for months. */
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
			// Another port of the tool server's own machine. One that is public, too, may be in our network, but is not this machine.
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

/** How near to us: a server may lead us as far away as it likes, but no nearer than it is itself. */
const nearness: Readonly<Record<AddressScope, number>> = {
	public: 0,
	private: 1,
	loopback: 2,
	'link-local': 3,
	reserved: 4,
};

const mayReach = (scope: AddressScope, home: AddressScope): boolean =>
	scope !== 'reserved' && nearness[scope] <= nearness[home];
