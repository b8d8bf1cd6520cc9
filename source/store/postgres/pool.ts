import {Pool, types} from 'pg';
import {connectionOf} from './connection.ts';

/** How long a connection is waited for, and one answer, milliseconds: a sender gives up after ten seconds. */
const connectMs = 3000;
const answerMs = 6000;

const {INT8, NUMERIC} = types.builtins;

/** Connections to `url`, which are made as they are needed. @throws SvcError `journal_unavailable`: a file that it names cannot be read */
export function createPool(url: string): Pool {
	const pool = new Pool({
		...connectionOf(url),
		// One of them is told of notes.
		max: 11,
		connectionTimeoutMillis: connectMs,
		query_timeout: answerMs,
		// Statements are sent without waiting for the answers of those before. A transaction has a connection of its own, so none is sent between; an answer that is late ends the connection.
		pipeline: true,
		allowExitOnIdle: true,
		types: {
			getTypeParser: (id, format) =>
				id === INT8 || id === NUMERIC ? Number : types.getTypeParser(id, format),
		},
	});
	// One that is idle and breaks is replaced when it is needed.
	pool.on('error', () => {});
	return pool;
}
