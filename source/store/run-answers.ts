import type {DatabaseSync} from 'node:sqlite';

const previewLength = 2000;
const longestAnswerBytes = 1024 * 1024;
const cutMark = '\n[cut at 1 MiB]';

/** At most 1 MiB of UTF-8, cut between characters, with a last line that says so. */
function boundedAnswer(text: string): string {
	if (Buffer.byteLength(text) <= longestAnswerBytes) {
		return text;
	}

	const room = new Uint8Array(longestAnswerBytes - cutMark.length);
	const {read} = new TextEncoder().encodeInto(text, room);
	return text.slice(0, read) + cutMark;
}

/** The first `length` units without half a pair at the end. */
const headOf = (text: string, length: number): string =>
	/[\uD800-\uDBFF]$/.test(text.slice(0, length))
		? text.slice(0, length - 1)
		: text.slice(0, length);

export type Answers = {
	/** Keeps the answer of a run, in place of an earlier one. Inside a transaction. */
	put(runId: number, text: string): void;
	drop(runId: number): void;
};

/** Answers lie beside their runs, in two parts, so that a listing reads the first 2,000 characters and no more. */
export function createAnswers(database: DatabaseSync): Answers {
	const put = database.prepare(
		'insert or replace into answer (run, preview, rest) values (?, ?, ?)',
	);
	const drop = database.prepare('delete from answer where run = ?');
	return {
		put(runId, text) {
			const bounded = boundedAnswer(text);
			const preview = headOf(bounded, previewLength);
			put.run(runId, preview, bounded.slice(preview.length));
		},
		drop(runId) {
			drop.run(runId);
		},
	};
}
