import type {LookupAddress} from 'node:dns';
import {lookup as systemLookup} from 'node:dns/promises';
import type {LookupFunction} from 'node:net';
import {SvcError} from '../../core/errors.ts';
import {isLoopbackHost} from '../../core/loopback.ts';
import {addressScope, type AddressScope} from './address-scope.ts';

/** All addresses of a name. */
export type ResolveName = (host: string) => Promise<readonly LookupAddress[]>;

const resolveBySystem: ResolveName = async host => systemLookup(host, {all: true});

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

	const scope = local ? 'loopback' : addressScope(bareHost(url));
	return scope && !mayReach(scope, home)
		? `a ${scope} address is not for the authorization server of a ${home} tool server`
		: undefined;
}

/** Where a tool server is. The farthest address counts: a public name that also has a private address gains nothing by it. */
export async function scopeOfEndpoint(
	endpoint: URL,
	resolve: ResolveName = resolveBySystem,
): Promise<AddressScope> {
	if (isLoopbackHost(endpoint.hostname)) {
		return 'loopback';
	}

	const host = bareHost(endpoint);
	const literal = addressScope(host);
	const scopes = literal ? [literal] : (await resolve(host)).map(scopeOf);
	return scopes.toSorted((one, other) => nearness[one] - nearness[other])[0] ?? 'public';
}

/**
 * Resolves names for the connections of one tool server, and answers with the addresses that were judged, so that a name cannot stand for one address
 * when it is judged and for another when it is connected to. The endpoint's own host, which a person wrote, may be anywhere.
 *
 * Errors are SvcErrors with code `oauth_address_refused`.
 */
export function guardedLookup(
	endpoint: URL,
	resolve: ResolveName = resolveBySystem,
): LookupFunction {
	const judged = async (host: string): Promise<readonly LookupAddress[]> => {
		const addresses = await resolve(host);
		if (host === bareHost(endpoint)) {
			return addresses;
		}

		const home = await scopeOfEndpoint(endpoint, resolve);
		const strange = addresses.map(scopeOf).find(scope => !mayReach(scope, home));
		if (strange) {
			throw new SvcError(
				'oauth_address_refused',
				`Cannot use "${host}" as authorization server: a ${strange} address is not for that of a ${home} tool server`,
			);
		}

		return addresses;
	};

	return (host, options, callback) => {
		void (async () => {
			try {
				const family = familyOf(options.family);
				const found = (await judged(host)).filter(one => !family || one.family === family);
				const [first] = found;
				if (!first) {
					throw notFound(host);
				}

				if (options.all) {
					callback(null, [...found]);
				} else {
					callback(null, first.address, first.family);
				}
			} catch (error) {
				callback(error instanceof Error ? error : notFound(host), '', 0);
			}
		})();
	};
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

function scopeOf({address}: LookupAddress): AddressScope {
	return addressScope(address) ?? 'reserved';
}

const bareHost = ({hostname}: URL): string => hostname.replaceAll(/^\[|\]$/g, '');

const familyOf = (family: number | string | undefined): number | undefined =>
	family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : Number(family ?? 0) || undefined;

const notFound = (host: string): NodeJS.ErrnoException =>
	Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), {code: 'ENOTFOUND'});
