import {readFileSync} from 'node:fs';
import type {ClientConfig} from 'pg';
import {journalUnavailable} from './postgres-errors.ts';

/** Options for the driver's connections. */
type ConnectionOptions = Pick<
	ClientConfig,
	'connectionString' | 'keepAlive' | 'application_name' | 'ssl'
>;

const always = {keepAlive: true, application_name: 'svc'};

/** Host and database of a URL, for a person. */
export function databaseName(url: string): string {
	const {hostname, port, pathname, searchParams} = new URL(url);
	const host = searchParams.get('host') ?? hostname;
	return `postgres://${host}${port === '' ? '' : `:${port}`}${pathname}`;
}

/** Whether the connection to the database at a URL is readable on the network, since it is not encrypted. */
export function isReadableOnTheWay(url: string): boolean {
	const {hostname, searchParams} = new URL(url);
	const host = searchParams.get('host') ?? hostname;
	const mode = searchParams.get('sslmode');
	const speaksTls =
		mode === null
			? ['sslrootcert', 'sslcert', 'sslkey'].some(key => searchParams.has(key)) ||
				['1', 'true'].includes(searchParams.get('ssl') ?? '')
			: mode !== 'disable';
	return !speaksTls && !/^(?:$|\/|localhost$|127\.|\[?::1\]?$)/.test(host);
}

/**
 * Connection options for the driver, including TLS. Files named by the URL are read here, once: the driver would read them again for each connection, even one that it
 * opens on its own, and a missing file would then end the process.
 *
 * `sslmode`: `disable` is no TLS, `no-verify` accepts any certificate; otherwise the certificate must be valid and match the host's name.
 *
 * @throws SvcError `journal_unavailable`: a file cannot be read
 */
export function connectionOf(url: string): ConnectionOptions {
	const parsed = new URL(url);
	const take = (key: string) => {
		const value = parsed.searchParams.get(key);
		parsed.searchParams.delete(key);
		return value ?? undefined;
	};
	const read = (key: string) => {
		const file = take(key);
		try {
			return file === undefined ? undefined : readFileSync(file, 'utf8');
		} catch (error) {
			throw journalUnavailable(databaseName(url), error);
		}
	};
	const mode = take('sslmode');
	const [ca, cert, key] = [read('sslrootcert'), read('sslcert'), read('sslkey')];
	if ([mode, ca, cert, key].every(part => part === undefined)) {
		return {...always, connectionString: url};
	}

	take('ssl');
	return {
		...always,
		connectionString: parsed.href,
		ssl: mode !== 'disable' && {
			rejectUnauthorized: mode !== 'no-verify',
			...(ca !== undefined && {ca}),
			...(cert !== undefined && {cert}),
			...(key !== undefined && {key}),
		},
	};
}
