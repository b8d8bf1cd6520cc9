import {Client} from 'pg';
import {every, type Clock} from '../../core/clock.ts';
import {integerOf, jsonOf, textOf} from '../columns.ts';
import type {StoreNote, StoreNotes} from '../shared-port.ts';
import type {Database} from './database.ts';

/** Notes are looked for this often, milliseconds: behind PgBouncer nobody is woken. */
const pollMs = 500;
/** Where waking works, it is looked all the same: a notice that is lost must not be lost for long. */
const pollWokenMs = 2000;
/** A note whose transaction was slow shows up behind later ones: so far back is read again, milliseconds. */
const overlapMs = 10_000;
/** Notes are dropped after so long, milliseconds. */
const keptMs = 60_000;
const sweepMs = 10_000;
/** Notes that wait to be written; more are dropped: whoever must not miss one looks for itself. */
const maxWaiting = 1000;
const reconnectMs = 2000;
const channel = 'svc_note';

/** Notes as rows, in batches, each a transaction of its own: `notify` in the transaction of an accept would hold the lock of all commits. Waking is `listen` on a connection of its own, where that gets through. */
export async function createNotes({
	database,
	clock,
	owner,
}: {
	readonly database: Database;
	readonly clock: Clock;
	readonly owner: string;
}): Promise<StoreNotes & AsyncDisposable> {
	const listeners = new Set<(note: StoreNote) => void>();
	const waiting: StoreNote[] = [];
	/** Identifiers that were told, with the time of their rows. */
	const seen = new Map<number, number>();
	let isClosed = false;
	let isWoken = false;
	let lastLook = clock.monotonic();
	let lastSweep = clock.monotonic();

	const tell = (note: StoreNote) => {
		for (const listener of listeners) {
			listener(note);
		}
	};

	const look = async () => {
		lastLook = clock.monotonic();
		const rows = await database.query(
			'select id, at, data from note where owner <> $1 and at > $2 order by id',
			[owner, database.now() - overlapMs],
		);
		for (const row of rows) {
			const id = integerOf(row['id']);
			if (!seen.has(id)) {
				seen.set(id, integerOf(row['at']));
				tell(jsonOf<StoreNote>(textOf(row['data'])));
			}
		}

		for (const [id, at] of seen) {
			if (at < database.now() - 3 * overlapMs) {
				seen.delete(id);
			}
		}
	};

	/** One look at a time; what is asked for meanwhile is one more. */
	let looking: Promise<void> | undefined;
	let isAskedAgain = false;
	const lookSoon = () => {
		if (looking) {
			isAskedAgain = true;
			return;
		}

		// A look that failed is made up for by the next.
		looking = look()
			.catch(() => {})
			.finally(() => {
				looking = undefined;
				if (isAskedAgain && !isClosed) {
					isAskedAgain = false;
					lookSoon();
				}
			});
	};

	let writing: Promise<void> | undefined;
	const write = async () => {
		while (waiting.length > 0) {
			const notes = waiting.splice(0, maxWaiting).map(note => JSON.stringify(note));
			// oxlint-disable-next-line no-await-in-loop -- later ones gather meanwhile
			await database
				.query(
					`with told as (
						insert into note (at, owner, data) select $1, $2, data from unnest($3::text[]) as data returning 1
					) select pg_notify('${channel}', '') where exists (select 1 from told)`,
					[database.now(), owner, notes],
				)
				.catch(() => {});
		}

		writing = undefined;
	};

	const sweep = async () => {
		lastSweep = clock.monotonic();
		await database.run('delete from note where at < $1', [database.now() - keptMs]);
	};

	const stopPolling = every(clock, pollMs, async () => {
		const now = clock.monotonic();
		if (now - lastLook >= (isWoken ? pollWokenMs : pollMs) - 1) {
			lookSoon();
			await looking;
		}

		if (now - lastSweep >= sweepMs) {
			await sweep().catch(() => {});
		}
	});

	let client: Client | undefined;
	const listen = async () => {
		const candidate = new Client({...database.connection, connectionTimeoutMillis: 3000});
		client = candidate;
		const lose = () => {
			isWoken = false;
			if (!isClosed && client === candidate) {
				client = undefined;
				cancelListen = clock.after(reconnectMs, () => {
					void listen();
				});
			}
		};
		candidate.on('error', lose);
		candidate.on('end', lose);
		candidate.on('notification', () => {
			// Behind a pool that hands connections around, none ever comes.
			isWoken = true;
			lookSoon();
		});
		try {
			await candidate.connect();
			await candidate.query(`listen ${channel}`);
			lookSoon();
		} catch {
			lose();
			await candidate.end().catch(() => {});
		}
	};

	let cancelListen: (() => void) | undefined;
	await listen();

	return {
		publish(note) {
			tell(note);
			if (waiting.length < maxWaiting) {
				waiting.push(note);
				writing ??= new Promise<void>(resolve => {
					setImmediate(resolve);
				}).then(write);
			}
		},
		subscribe(listener) {
			// A listener that is given twice is told twice.
			const own = (note: StoreNote) => {
				listener(note);
			};
			listeners.add(own);
			return () => {
				listeners.delete(own);
			};
		},
		async [Symbol.asyncDispose]() {
			isClosed = true;
			cancelListen?.();
			stopPolling();
			await client?.end().catch(() => {});
			await writing;
			await looking;
		},
	};
}
