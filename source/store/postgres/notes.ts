import type {PoolClient} from 'pg';
import {every} from '../../core/clock.ts';
import {createListeners} from '../../core/derive.ts';
import {createMutex, createRepeat} from '../../core/mutex.ts';
import {integerOf, readJson} from '../columns.ts';
import type {StoreNote} from '../shared-port.ts';
import type {PostgresParts} from './parts.ts';
import {failsAll} from './postgres-errors.ts';

/** Polling interval of notes, milliseconds: behind PgBouncer no notification arrives. */
const pollMs = 500;
/** Polling interval while notifications arrive, milliseconds: a lost one must not go unnoticed for long. */
const pollWokenMs = 2000;
/** How far back notes are read again, milliseconds: a note of a slow transaction becomes visible after later ones. */
const overlapMs = 10_000;
/** Age at which notes are dropped, milliseconds. */
const keptMs = 60_000;
const sweepMs = 10_000;
/** Maximum number of notes read at once. */
const maxRead = 1000;
/** How many identifiers a note of a slow transaction may be behind later ones. A lower identifier means that a crash of the database has emptied the table. */
const maxOutOfOrder = 1000;
/** Maximum number of notes waiting to be written; above it, one `missed` note replaces them. */
const maxWaiting = 1000;
const reconnectMs = 2000;
/** How long the delays of notes are kept, milliseconds, and for how many polls at most. */
const lagKeptMs = 60_000;
const maxLags = 600;
const channel = 'svc_note';

/**
 * Notes as rows, written in batches, each in a transaction of its own: `notify` within the transaction of an accept would hold the lock of all commits. `listen` on a
 * separate connection wakes the members, where that works.
 */
export function createNotes({
	database,
	clock,
	owner,
}: Pick<PostgresParts, 'clock' | 'database' | 'owner'>) {
	const {tell, subscribe} = createListeners<[StoreNote]>();
	const waiting: StoreNote[] = [];
	/** Notes already passed on, by identifier and time, since identifiers start over when a crash of the database has emptied the table. */
	const seen = new Map<string, {readonly id: number; readonly at: number}>();
	let lastId = 0;
	/** Notes may be lost: they could not be written, or were deleted before they could be read. */
	let isMissing = false;
	let isClosed = false;
	let isWoken = false;
	let lastLook = clock.monotonic();
	let lastSweep = clock.monotonic();

	/** Delays count only for notes written since this member has listened; older ones are always late. */
	const begunAt = database.now();
	let lags: ReadonlyArray<{readonly at: number; readonly ms: number}> = [];

	/** The next poll was not caused by a notification. */
	let isPoll = false;
	const lookOnce = async () => {
		lastLook = clock.monotonic();
		const since = database.now() - overlapMs;
		const told = [...seen.values()].filter(({at}) => at > since);
		const rows = await database.query(
			`select id, at, data from note where owner <> $1 and at > $2
			and not exists (select 1 from unnest($3::bigint[], $4::bigint[]) as told (id, at) where told.id = note.id and told.at = note.at)
			order by id limit ${maxRead}`,
			[owner, since, told.map(({id}) => id), told.map(({at}) => at)],
		);
		let latest = -1;
		for (const row of rows) {
			const [id, at] = [integerOf(row['id']), integerOf(row['at'])];
			seen.set(`${id} ${at}`, {id, at});
			latest = at < begunAt ? latest : Math.max(latest, database.now() - at);
			const note = readJson<StoreNote>(row['data']);
			// A newer member's note may have any shape: one that fails must not stop those after it.
			try {
				if (note) {
					tell(note);
				}
			} catch {}
		}

		// A connection may be dead without an error: polling then uses the shorter interval until a notification arrives.
		isWoken &&= !(isPoll && rows.length > 0);
		isPoll = false;
		if (rows.length === maxRead) {
			void look();
		}

		const newest = integerOf(rows.at(-1)?.['id'] ?? 0);
		if (isMissing || (newest > 0 && newest < lastId - maxOutOfOrder)) {
			isMissing = false;
			tell({kind: 'missed'});
		}

		lastId = newest || lastId;
		const now = clock.monotonic();
		lags = [
			...lags.filter(({at}) => at > now - lagKeptMs).slice(-maxLags),
			...(latest < 0 ? [] : [{at: now, ms: latest}]),
		];
		for (const [row, {at}] of seen) {
			if (at < database.now() - 3 * overlapMs) {
				seen.delete(row);
			}
		}
	};

	const oneByOne = createMutex();
	// After a failed poll, the next one finds the notes.
	const look = createRepeat(async () => {
		try {
			await (isClosed ? undefined : lookOnce());
		} catch {
			isMissing = true;
		}
	}, oneByOne);

	let writing: Promise<void> | undefined;
	const write = async () => {
		for (let isThere = true; isThere && waiting.length > 0;) {
			const notes = waiting.splice(0);
			const told = notes.map(note => JSON.stringify(note));
			// oxlint-disable-next-line no-await-in-loop -- later ones are gathered meanwhile
			isThere = await database
				.query(
					`with told as (
						insert into note (at, owner, data) select $1, $2, data from unnest($3::text[]) as data returning 1
					) select pg_notify('${channel}', '') where exists (select 1 from told)`,
					[database.now(), owner, told],
				)
				.then(
					() => true,
					(error: unknown) => {
						if (failsAll(error)) {
							waiting.unshift(...lateOf(notes));
						}

						return false;
					},
				);
		}

		writing = undefined;
	};
	const writeSoon = () => {
		writing ??= new Promise<void>(resolve => setImmediate(resolve)).then(write);
	};

	const sweep = async () => {
		lastSweep = clock.monotonic();
		await database.run('delete from note where at < $1', [database.now() - keptMs]);
	};

	const stopPolling = every(clock, pollMs, async () => {
		if (waiting.length > 0) {
			writeSoon();
		}

		const now = clock.monotonic();
		if (now - lastLook >= (isWoken ? pollWokenMs : pollMs) - 1) {
			isPoll = true;
			await look();
		}

		if (now - lastSweep >= sweepMs) {
			await sweep().catch(() => {});
		}
	});

	const hear = () => {
		// Only now is it certain that notifications arrive: behind a connection pool they may not.
		isWoken = true;
		void look();
	};

	let stopListening: (() => Promise<void>) | undefined;
	const listen = async () => {
		let client: PoolClient | undefined;
		let isOver = false;
		const end = (broken: boolean) => {
			const isFirst = !isOver;
			if (isFirst) {
				isOver = true;
				isWoken = false;
				stopListening = undefined;
				client?.off('error', lose).off('end', lose).off('notification', hear).release(broken);
			}

			return isFirst;
		};
		const lose = () => {
			if (end(true) && !isClosed) {
				// The database may have crashed and lost its notes.
				isMissing = true;
				cancelListen = clock.after(reconnectMs, () => void listen());
			}
		};
		try {
			client = await database.connect();
			client.on('error', lose).on('end', lose).on('notification', hear);
			// The next poll, at most half a second later, reads the notes written meanwhile.
			await client.query(`listen ${channel}`);
			stopListening = async () => {
				const isLeft =
					database.failing() === undefined
						? await client?.query('unlisten *').catch(() => {})
						: undefined;
				end(isLeft === undefined);
			};
			if (isClosed) {
				end(true);
			}
		} catch {
			lose();
		}
	};

	let cancelListen: (() => void) | undefined;

	return {
		/** Passes a note to this member only. */
		tell,
		/** Resolves once it listens, or that has failed for now; never rejects. */
		listening: listen(),
		/** The longest delay of another member's note in the last minute, milliseconds; `undefined` when there was none. */
		lagMs(): number | undefined {
			const recent = lags.filter(({at}) => at > clock.monotonic() - lagKeptMs);
			return recent.length === 0 ? undefined : Math.max(0, ...recent.map(({ms}) => ms));
		},
		publish(note: StoreNote) {
			tell(note);
			if (waiting.length >= maxWaiting) {
				// Tells the others that they have missed notes.
				waiting.splice(0, waiting.length, {kind: 'missed'});
			}

			waiting.push(note);
			writeSoon();
		},
		subscribe,
		async [Symbol.asyncDispose]() {
			isClosed = true;
			cancelListen?.();
			stopPolling();
			await stopListening?.();
			await writing;
			await oneByOne(async () => {});
		},
	};
}

const isEvents = ({kind}: StoreNote) => kind === 'events' || kind === 'missed';

/** The notes that are still worth writing when the database is back. Callers no longer wait for calls and answers; events may be many and large, and can be read from the store. */
function lateOf(notes: readonly StoreNote[]): readonly StoreNote[] {
	const late = notes.filter(
		note => !isEvents(note) && note.kind !== 'call' && note.kind !== 'answer',
	);
	return notes.some(isEvents) ? [{kind: 'missed'}, ...late] : late;
}
