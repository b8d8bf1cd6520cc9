import {Socket} from 'node:net';
import {Pool, types} from 'pg';
import type {Clock} from '../../core/clock.ts';
import {connectionOf} from './connection.ts';

/** Time limits for connecting and for an answer, milliseconds: a sender gives up after ten seconds. */
const connectMs = 3000;
const answerMs = 6000;
/** How long to wait at the end for a database that does not answer, milliseconds. */
const leaveMs = 1000;

const {INT8, NUMERIC} = types.builtins;
const ignore = () => {};

/** The open sockets of each pool. */
const sockets = new WeakMap<Pool, ReadonlySet<Socket>>();

/** A pool of connections to `url`, opened when needed. @throws SvcError `journal_unavailable`: a file that it names cannot be read */
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
		// One connection listens for notes.
		max: 11,
		connectionTimeoutMillis: connectMs,
		query_timeout: answerMs,
		// Sends statements without waiting for earlier answers. Each transaction has a connection of its own, so no other statement gets in between; a late answer ends the connection.
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

/** Ends the connections once they are free. The driver would wait without limit for the database to close each one: a hanging connection must not keep the gateway running. */
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
