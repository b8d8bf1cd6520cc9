import {isIPv4} from 'node:net';

/** What one text of a list of hosts allows. */
export type HostRule = {
	/** Absent: any. As `hostOf` gives it. */
	readonly host?: string;
	/** Names below `host` instead of `host` itself. */
	readonly below: boolean;
	readonly ports: readonly number[];
};

/** As the URL parser gives it: lower case, no port, IPv6 in brackets or not. */
type HostAndPort = {readonly host: string; readonly port: number};

const defaultPorts = [80, 443];

const written = /^(\*\.)?(\*|[^\s/?#@:*[\]\\]+|\[[\d:.A-Fa-f]+\])(?::(\d{1,5}))?$/u;

/**
 * What `text` allows: `docs.example.com` that name alone, `*.example.com` the names below it, `*` any host, an address itself; with `:port` that port, otherwise 80 and 443. `undefined`: it is no
 * host. Names are compared as the URL parser spells them: case, other spellings of an address and a dot at the end do not count.
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

/** A rule as people write it; one that `readHostRule` reads as the same. */
export const hostRuleText = ({host = '*', below, ports}: HostRule): string =>
	[
		below ? '*.' : '',
		host.includes(':') ? `[${host}]` : host,
		ports.length === 1 ? `:${ports[0]}` : '',
	].join('');

/** A host as rules have it: without brackets and without the dot at its end. */
export const hostOf = (hostname: string): string => hostname.replaceAll(/^\[|\]$|\.$/g, '');

/** Whether one of `rules` allows the host at this port. Says nothing about the addresses that its name has. */
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

/** Port of a receiver that says nothing else. */
export const defaultPort = 8644;

/** Of the chat API. */
export const defaultApiPort = 8642;
