import type {TranscriptEntry, WorkDone} from '../../core/run.ts';
import {placeEntries, type PlacedTranscriptEntry, type TranscriptCursor} from '../transcripts.ts';
import {columnsOf} from './ask.ts';
import type {Deferred} from './batch.ts';
import type {Transaction} from './database.ts';

/** Unwritten notes of a run. */
type PendingNotes = {
	readonly run: number;
	readonly token: number;
	readonly entries: PlacedTranscriptEntry[];
	work?: WorkDone;
};

/** A current lease, and the position in its run's transcript. */
export type NotedLease = {
	readonly run: number;
	readonly token: number;
	readonly cursor: TranscriptCursor;
};

/**
 * Writes what runs report while they are under way (progress and transcript entries) in batches: notes of any number of runs within a quarter of a second take two
 * statements. Notes of a lease lost meanwhile are dropped when written.
 */
export function createRunNotes(deferred: Deferred) {
	/** Batches not yet on disk. The last one accepts more until it is first written. */
	const batches = new Set<Map<number, PendingNotes>>();
	let open: Map<number, PendingNotes> | undefined;

	const gather = (): Map<number, PendingNotes> => {
		if (open) {
			return open;
		}

		const batch = new Map<number, PendingNotes>();
		batches.add(batch);
		open = batch;
		deferred.defer(
			async transaction => {
				// A retry writes the same content.
				open = open === batch ? undefined : open;
				await write(transaction, [...batch.values()]);
			},
			() => {
				open = open === batch ? undefined : open;
				batches.delete(batch);
			},
		);
		return batch;
	};

	const told = ({run, token}: NotedLease): PendingNotes => {
		const batch = gather();
		const before = batch.get(run);
		if (before?.token === token) {
			return before;
		}

		// An earlier lease is lost, and so are its notes.
		const fresh: PendingNotes = {run, token, entries: []};
		batch.set(run, fresh);
		return fresh;
	};

	return {
		append(lease: NotedLease, entries: readonly TranscriptEntry[]) {
			const placed = placeEntries(lease.cursor, entries);
			if (placed.length > 0) {
				told(lease).entries.push(...placed);
			}
		},
		work(lease: NotedLease, work: WorkDone) {
			const one = told(lease);
			one.work = {...one.work, ...work};
		},
		/** Writes the waiting notes of the run now, if any: before it ends, before it is leased again, before it is read. */
		async flush(runId: number) {
			if ([...batches].some(batch => batch.has(runId))) {
				await deferred.flush();
			}
		},
	};
}

/** Writes the notes of leases that are still held. Locking the rows prevents a new lease meanwhile: it would then continue after these entries. */
async function write({query, run}: Transaction, told: readonly PendingNotes[]): Promise<void> {
	const held = await query(
		`select run.id from run join unnest($1::bigint[], $2::bigint[]) as lease (run, token) on run.id = lease.run and run.token = lease.token
		order by run.id for no key update of run`,
		[told.map(one => one.run), told.map(one => one.token)],
	);
	const ids = new Set(held.map(row => row['id']));
	const kept = told.filter(one => ids.has(one.run));
	const done = kept.flatMap(({run: id, work}) => (work ? [{id, ...work}] : []));
	if (done.length > 0) {
		await run(
			`update run set model = work.model, tool_calls = work.calls, usage = coalesce(work.usage, run.usage)
			from unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[]) as work (run, model, calls, usage) where run.id = work.run`,
			[
				...columnsOf(done, 'id', 'model', 'toolCalls'),
				done.map(({usage}) => (usage ? JSON.stringify(usage) : null)),
			],
		);
	}

	const rows = kept.flatMap(({run: id, entries}) => entries.map(entry => ({id, ...entry})));
	if (rows.length > 0) {
		await run(
			`insert into transcript (run, position, at, kind, bytes, text, data)
			select * from unnest($1::bigint[], $2::integer[], $3::bigint[], $4::text[], $5::integer[], $6::text[], $7::text[]) on conflict do nothing`,
			[
				...columnsOf(rows, 'id', 'position'),
				rows.map(({at}) => Math.trunc(at)),
				...columnsOf(rows, 'kind', 'bytes', 'text', 'data'),
			],
		);
	}
}
