import {isIPv4} from 'node:net';

/** One entry of a list of allowed hosts. */
export type HostRule = {
	/** In the form of `hostOf`; absent: any host. */
	readonly host?: string;
	/** Allows the names below `host` instead of `host` itself. */
	readonly below: boolean;
	readonly ports: readonly number[];
};

/** `host` as normalised by the URL parser: lower case, no port, IPv6 with or without brackets. */
type HostAndPort = {readonly host: string; readonly port: number};

const defaultPorts = [80, 443];

const written = /^(\*\.)?(\*|[^\s/?#@:*[\]\\]+|\[[\d:.A-Fa-f]+\])(?::(\d{1,5}))?$/u;

/**
 * Parses an entry: `docs.example.com` allows exactly that name, `*.example.com` the names below it, `*` any host, an address itself; with `:port` only that port, otherwise 80 and 443.
 * `undefined`: not a host. Names are normalised by the URL parser before they are compared: case, spellings of addresses, a dot at the end.
 *
 * @see manual/web.md#hosts
 */
export function readHostRule(text: string): HostRule | undefined {
	const [, below, name = '', port] = written.exec(text) ?? [];
	const ports = port === undefined ? defaultPorts : [Number(port)];
	if (name === '' || ports.some(number => number < 1 || number > 65_535)) {
		return undefined;
	}

	if (name === '*') {
		return below === undefined ? {below: false, ports} : undefined;
	}

	const host = URL.parse(`http://${name}/`)?.hostname;
	const isNameBelow = below !== undefined;
	return host === undefined || (isNameBelow && /^\[|^[\d.]+$/.test(host))
		? undefined
		: {host: hostOf(host), below: isNameBelow, ports};
}

/** A rule in its written form, for `readHostRule`. */
export const hostRuleText = ({host = '*', below, ports}: HostRule): string =>
	[
		below ? '*.' : '',
		host.includes(':') ? `[${host}]` : host,
		ports.length === 1 ? `:${ports[0]}` : '',
	].join('');

/** A host as rules contain it: without brackets and without a dot at its end. */
export const hostOf = (hostname: string): string => hostname.replaceAll(/^\[|\]$|\.$/g, '');

/** Whether one of `rules` allows the host at this port. Does not check the addresses behind the name. */
export const isListed = (rules: readonly HostRule[], {host, port}: HostAndPort): boolean =>
	rules.some(rule => rule.ports.includes(port) && matches(rule, hostOf(host)));

const matches = ({host, below}: HostRule, asked: string): boolean =>
	host === undefined ||
	(below ? asked.endsWith(`.${host}`) && asked.length > host.length + 1 : asked === host);

/** Whether `host` (a name or an address, IPv6 also in brackets) is this machine and no other: `localhost`, `127.0.0.0/8` or `::1`. */
export const isLoopbackHost = (host: string): boolean =>
	(isIPv4(host) && host.startsWith('127.')) || /^(?:localhost|::1|\[::1\])$/i.test(host);

const hostsForInsecureRoutes: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1']);

/**
 * Whether a receiver that is bound to `host` may serve routes with `INSECURE_NO_AUTH`. Stricter than {@link isLoopbackHost}: the contract
 * lists these three spellings and refuses "any other bind".
 *
 * @see manual/signatures.md#schemes
 */
export const mayServeInsecure = (host: string): boolean => hostsForInsecureRoutes.has(host);

/** Default port of the receiver. */
export const defaultPort = 8644;

/** Default port of the chat API. */
export const defaultApiPort = 8642;
