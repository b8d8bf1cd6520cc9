import {SvcError, codeOf, messageOf} from '../../core/errors.ts';

/** PostgreSQL error codes after which the same transaction may succeed at once: it conflicted with another. @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const lostAgainstAnother = new Set(['40001', '40P01']);

export const isWorthRepeating = (error: unknown): boolean =>
	lostAgainstAnother.has(codeOf(error) ?? '');

/** Codes, or messages of the driver, for a connection that broke while in use. */
const broken = new Set([
	'ECONNRESET',
	'EPIPE',
	'57P01',
	'Connection terminated unexpectedly',
	'Client has encountered a connection error and is not queryable',
]);

/** Whether the connection broke: an uncommitted transaction on it had no effect, and may be repeated on another connection. */
export const isBreak = (error: unknown): boolean =>
	[codeOf(error), messageOf(error)].some(text => broken.has(text));

/** Messages of the driver when no answer came in time; these errors have no code. */
const noAnswer = new Set([
	'Query read timeout',
	'timeout exceeded when trying to connect',
	'timeout expired',
	'Connection terminated due to connection timeout',
]);

/** Whether the database did not answer in time: it would not answer the next statement either, and other callers have waited as long. */
export const isSilence = (error: unknown): boolean =>
	noAnswer.has(messageOf(error)) || codeOf(error) === 'ETIMEDOUT';

/** Errors of a single statement or its parameters, not of the database: classes 21 to 23, 42, 54 and our own exceptions (P0). */
const ofStatement = /^(?:21|22|23|42|54|P0)[0-9A-Z]{3}$/;

/** Whether the failure concerns the whole database and not a single statement. */
export const concernsDatabase = (error: unknown): boolean =>
	!(error instanceof SvcError && error.code !== 'journal_unavailable') &&
	!ofStatement.test(codeOf(error) ?? '');

/** Wraps a failure of a transaction's own work, not of the database: its `cause` is rethrown unchanged. */
export class OwnError extends Error {
	constructor(cause: unknown) {
		super('the work failed', {cause});
	}
}

/** Whether a call failed because of the database itself. */
export const failsAll = (error: unknown): boolean =>
	error instanceof SvcError &&
	error.code === 'journal_unavailable' &&
	concernsDatabase(error.cause);

const unknownAuthority =
	'its certificate comes from an authority that is not known here: add "sslrootcert=FILE" to the URL';

/** The meaning of a code for the operator, and what to do. */
const remedies: Readonly<Record<string, string>> = {
	ECONNREFUSED: 'nothing listens there: start PostgreSQL, or correct "gateway.store"',
	ENOTFOUND: 'there is no such host: correct "gateway.store"',
	ETIMEDOUT: 'the host does not answer',
	ECONNRESET: 'the connection was cut',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
	UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
	SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
	DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
	ERR_TLS_CERT_ALTNAME_INVALID:
		'its certificate is one of another host: write the name that the certificate has into the URL',
	CERT_HAS_EXPIRED: 'its certificate has expired: renew it there',
	'28P01': 'the password is wrong: correct "gateway.store"',
	'28000': 'this user may not connect: look at pg_hba.conf',
	'3D000': 'there is no such database: create it ("createdb")',
	'42501': 'this user may not do that: make it the owner of the database',
	'53100': 'its disk is full: free some space there, the gateway goes on by itself',
	'53300': 'it has too many connections: raise "max_connections", or put PgBouncer before it',
	'57P01': 'it is being shut down',
	'57P03': 'it is starting up or shutting down',
	'25006': 'it takes no writes: it is a standby, connect to the primary',
};

const reasonOf = (error: unknown): string =>
	(isSilence(error) ? remedies['ETIMEDOUT'] : remedies[codeOf(error) ?? '']) ?? messageOf(error);

/** The error of a call that the database did not perform. An `SvcError` is returned unchanged. `name`: host and name of the database, without secrets. */
export const journalUnavailable = (name: string, error: unknown): SvcError =>
	error instanceof SvcError
		? error
		: new SvcError(
				'journal_unavailable',
				`Cannot use the journal in ${name} (gateway.store): ${reasonOf(error)}`,
				{cause: error},
			);
