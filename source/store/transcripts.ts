import type {DatabaseSync} from 'node:sqlite';
import type {TranscriptEntry} from '../core/run.ts';
import {integerOf} from './columns.ts';

/** `transcript.id` is the run times this, plus the position. */
const perRun = 4096;
const maxEntries = 2000;
const maxBytes = 4 * 1024 * 1024;
/** Position of the note that closes a transcript which is full. */
const closing = perRun - 1;

/** The first `transcript.id` of a run, and the first after it. */
export const transcriptStart = (runId: number): number => runId * perRun;
export const transcriptEnd = (runId: number): number => (runId + 1) * perRun;

/** How far a transcript has come. */
export type TranscriptCursor = {entries: number; bytes: number; full: boolean};

export type Transcripts = {
	/** Where the transcript of a run stands on disk. */
	cursorOf(runId: number): TranscriptCursor;
	/**
	 * Plans `entries` behind `cursor` and moves it; the result writes them, inside a transaction. A transcript has at most 2,000 entries and 4 MiB
	 * of text and data; the first entry that does not fit is replaced by one note, later ones are left out.
	 */
	plan(runId: number, cursor: TranscriptCursor, entries: readonly TranscriptEntry[]): () => void;
};

export function createTranscripts(database: DatabaseSync): Transcripts {
	const stand = database.prepare(
		'select count(*) as entries, total(bytes) as bytes, max(id) as last from transcript where id >= ? and id < ?',
	);
	const insert = database.prepare(
		'insert or ignore into transcript (id, at, kind, bytes, text, data) values (?, ?, ?, ?, ?, ?)',
	);

	return {
		cursorOf(runId) {
			const row = stand.get(transcriptStart(runId), transcriptEnd(runId));
			return {
				entries: integerOf(row?.['entries']),
				bytes: integerOf(row?.['bytes']),
				full: integerOf(row?.['last']) === transcriptStart(runId) + closing,
			};
		},
		plan(runId, cursor, entries) {
			const rows: Array<() => void> = [];
			const start = transcriptStart(runId);
			for (const {at, kind, text, data} of entries) {
				if (cursor.full) {
					break;
				}

				const json = data === undefined ? null : JSON.stringify(data);
				const bytes = Buffer.byteLength(text) + Buffer.byteLength(json ?? '');
				cursor.full = cursor.entries >= maxEntries || cursor.bytes + bytes > maxBytes;
				if (cursor.full) {
					rows.push(() => insert.run(start + closing, at, 'note', 0, closingText, null));
					break;
				}

				const id = start + cursor.entries;
				cursor.entries += 1;
				cursor.bytes += bytes;
				rows.push(() => insert.run(id, at, kind, bytes, text, json));
			}

			return () => {
				for (const write of rows) {
					write();
				}
			};
		},
	};
}

const closingText = `The transcript is full (${maxEntries} entries or 4 MiB): what follows is not kept`;
