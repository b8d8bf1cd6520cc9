import {Socket} from 'node:net';
import {Pool, types} from 'pg';
import type {Clock} from '../../core/clock.ts';
import {connectionOf} from './connection.ts';

/** How long a connection is waited for, and one answer, milliseconds: a sender gives up after ten seconds. */
const connectMs = 3000;
const answerMs = 6000;
/** How long a database that does not answer is waited for at the end, milliseconds. */
const leaveMs = 1000;

const {INT8, NUMERIC} = types.builtins;
const ignore = () => {};

/** Of each pool. */
const sockets = new WeakMap<Pool, ReadonlySet<Socket>>();

/** Connections to `url`, which are made as they are needed. @throws SvcError `journal_unavailable`: a file that it names cannot be read */
export function createPool(url: string): Pool {
	const open = new Set<Socket>();
	const pool = new Pool({
		...connectionOf(url),
		stream() {
			const socket = new Socket();
			open.add(socket);
			socket.once('close', () => open.delete(socket));
			return socket;
		},
		// One of them listens for notes.
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
	// An idle connection that breaks is replaced when needed; on one in use the next statement fails. It may break before its caller gets it.
	pool.on('error', ignore);
	pool.on('connect', client => client.on('error', ignore));
	sockets.set(pool, open);
	return pool;
}

/** Ends the connections once they are free. The driver waits without a limit for the database to close each: a hanging connection must not keep the gateway. */
export async function endPool(pool: Pool, clock: Pick<Clock, 'after'>): Promise<void> {
	const cancel = clock.after(leaveMs, () => {
		for (const socket of sockets.get(pool) ?? []) {
			socket.destroy();
		}
	});
	try {
		await pool.end();
	} finally {
		cancel();
	}
}
