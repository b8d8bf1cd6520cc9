import {isIPv4} from 'node:net';

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
