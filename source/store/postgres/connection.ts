import {readFileSync} from 'node:fs';
import type {ClientConfig} from 'pg';
import {journalUnavailable} from './postgres-errors.ts';

/** What the driver opens a connection with. */
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

/** Whether what is said to the database of a URL can be read on a network in between. */
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
 * A URL for the driver, and how TLS is spoken. The files that it names are read here, once: the driver reads them anew with each connection, also with those that it opens by itself, where a file that is
 * away would end the process.
 *
 * `sslmode`: `disable` is no TLS, `no-verify` takes any certificate; with all others the certificate must be valid and have the name of the host.
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
