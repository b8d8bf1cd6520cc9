import type {DatabaseSync} from 'node:sqlite';
import type {TranscriptEntry} from '../core/run.ts';
import {integerOf} from './columns.ts';

/** `transcript.id` is the run's number times this, plus the position. */
const perRun = 4096;
const maxEntries = 2000;
const maxBytes = 4 * 1024 * 1024;
/** Position of the note that closes a transcript which is full. */
const closing = perRun - 1;

/** The first `transcript.id` of a run, and the first after it. */
export const transcriptStart = (runId: number): number => runId * perRun;
export const transcriptEnd = (runId: number): number => (runId + 1) * perRun;

/** The columns `run` and `position` for a `transcript.id`. */
export const transcriptPlace = (id: number): {readonly run: number; readonly position: number} => ({
	run: Math.floor(id / perRun),
	position: id % perRun,
});

/** The position in a transcript. */
export type TranscriptCursor = {entries: number; bytes: number; full: boolean};

/** An entry as stored, with its position in the transcript. */
export type PlacedTranscriptEntry = Pick<TranscriptEntry, 'at' | 'kind' | 'text'> & {
	readonly position: number;
	readonly bytes: number;
	/** As JSON. */
	readonly data: string | null;
};

/** The cursor of a transcript, from its number of rows, its size and its last position. */
export const cursorOf = (entries: number, bytes: number, last: number): TranscriptCursor => ({
	entries,
	bytes,
	full: last === closing,
});

/**
 * Assigns positions after `cursor` to `entries`, and advances the cursor. A transcript has at most 2,000 entries and 4 MiB of text and data; the first entry that does not
 * fit is replaced by a note, and later ones are dropped.
 */
export function placeEntries(
	cursor: TranscriptCursor,
	entries: readonly TranscriptEntry[],
): readonly PlacedTranscriptEntry[] {
	const placed: PlacedTranscriptEntry[] = [];
	for (const {at, kind, text, data} of entries) {
		if (cursor.full) {
			break;
		}

		const json = data === undefined ? null : JSON.stringify(data);
		const bytes = Buffer.byteLength(text) + Buffer.byteLength(json ?? '');
		cursor.full = cursor.entries >= maxEntries || cursor.bytes + bytes > maxBytes;
		if (cursor.full) {
			placed.push({position: closing, at, kind: 'note', bytes: 0, text: closingText, data: null});
			break;
		}

		placed.push({position: cursor.entries, at, kind, bytes, text, data: json});
		cursor.entries += 1;
		cursor.bytes += bytes;
	}

	return placed;
}

export function createTranscripts(database: DatabaseSync) {
	const stand = database.prepare(
		'select count(*) as entries, total(bytes) as bytes, max(id) as last from transcript where id >= ? and id < ?',
	);
	const insert = database.prepare(
		'insert or ignore into transcript (id, at, kind, bytes, text, data) values (?, ?, ?, ?, ?, ?)',
	);

	return {
		/** The cursor of a run's stored transcript. */
		cursorOf(runId: number) {
			const start = transcriptStart(runId);
			const row = stand.get(start, transcriptEnd(runId));
			const [entries, bytes, last] = [row?.['entries'], row?.['bytes'], row?.['last']];
			return cursorOf(integerOf(entries), integerOf(bytes), integerOf(last) - start);
		},
		/** Assigns positions after `cursor` to `entries`, and advances it; the returned function writes them, inside a transaction. */
		plan(runId: number, cursor: TranscriptCursor, entries: readonly TranscriptEntry[]) {
			const start = transcriptStart(runId);
			const placed = placeEntries(cursor, entries);
			return () => {
				for (const {position, at, kind, bytes, text, data} of placed) {
					insert.run(start + position, at, kind, bytes, text, data);
				}
			};
		},
	};
}

const closingText = `The transcript is full (${maxEntries} entries or 4 MiB): what follows is not kept`;

const previewLength = 2000;
const maxAnswerBytes = 1024 * 1024;
const cutMark = '\n[cut at 1 MiB]';

/** An answer as stored: at most 1 MiB, in two parts, so that a listing reads only the first 2,000 characters. */
export function partsOfAnswer(text: string): {readonly preview: string; readonly rest: string} {
	const bounded = boundedAnswer(text);
	const preview = headOf(bounded, previewLength);
	return {preview, rest: bounded.slice(preview.length)};
}

/** Cuts a text to at most 1 MiB of UTF-8, between characters, with a last line that says so. */
function boundedAnswer(text: string): string {
	if (Buffer.byteLength(text) <= maxAnswerBytes) {
		return text;
	}

	const room = new Uint8Array(maxAnswerBytes - cutMark.length);
	const {read} = new TextEncoder().encodeInto(text, room);
	return text.slice(0, read) + cutMark;
}

/** The first `length` UTF-16 units, without half a surrogate pair at the end. */
const headOf = (text: string, length: number): string =>
	/[\uD800-\uDBFF]$/.test(text.slice(0, length))
		? text.slice(0, length - 1)
		: text.slice(0, length);
