import {Pool, types} from 'pg';

/** How long a connection is waited for, and one answer, milliseconds: a sender gives up after ten seconds. */
const connectMs = 3000;
const answerMs = 6000;

const {INT8, NUMERIC} = types.builtins;

/** Connections to `url`, which are made as they are needed. */
export function createPool(url: string): Pool {
	const pool = new Pool({
		connectionString: url,
		// One of them is told of notes.
		max: 11,
		connectionTimeoutMillis: connectMs,
		query_timeout: answerMs,
		// Statements are sent without waiting for the answers of those before. A transaction has a connection of its own, so none is sent between; an answer that is late ends the connection.
		pipeline: true,
		keepAlive: true,
		allowExitOnIdle: true,
		application_name: 'svc',
		types: {
			getTypeParser: (id, format) =>
				id === INT8 || id === NUMERIC ? Number : types.getTypeParser(id, format),
		},
	});
	// One that is idle and breaks is replaced when it is needed.
	pool.on('error', () => {});
	return pool;
}

/** Host and database of a URL, for a person. */
export function nameOf(url: string): string {
	const {hostname, port, pathname, searchParams} = new URL(url);
	const host = searchParams.get('host') ?? hostname;
	return `postgres://${host}${port === '' ? '' : `:${port}`}${pathname}`;
}
