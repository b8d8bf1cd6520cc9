import {idOfNumber} from '../core/ids.ts';
import type {Run, RunPlan, RunState, StoredRun, TranscriptEntry} from '../core/run.ts';
import {block} from '../core/untrusted.ts';
import {integerOf, jsonOf, optional, textOf, wordOf, type Row} from './columns.ts';

/** Columns of a listing; the tables are joined by `runTables`. */
export const runColumns =
	'run.id, run.delivery, delivery.profile, run.route, delivery.event, run.target, run.state, run.attempt, run.delivery_attempt, run.created_at, run.due_at, run.started_at, run.finished_at, run.tool_calls, run.model, run.error, answer.preview';

/** A run, its delivery, and its answer if there is one. */
export const runTables =
	'run join delivery on delivery.id = run.delivery left join answer on answer.run = run.id';

const nullableInteger = (value: Row[string] | undefined): number | null =>
	value === null || value === undefined ? null : integerOf(value);

const nullableText = (value: Row[string] | undefined): string | null =>
	typeof value === 'string' ? value : null;

/** What a model said may be anything; it is kept as it was said and shown cleaned. */
const shownOf = (preview: string | null): string | null => preview && block(preview).text;

/** A row of `runColumns` as the value that faces see. */
export function runOf(row: Row): Run {
	const attempt = integerOf(row['attempt']);
	const deliveryAttempt = integerOf(row['delivery_attempt']);
	const waitsAgain = attempt > 0 || deliveryAttempt > 0;
	return {
		id: integerOf(row['id']),
		delivery: idOfNumber(integerOf(row['delivery'])),
		profile: textOf(row['profile']),
		route: textOf(row['route']),
		event: textOf(row['event']),
		target: textOf(row['target']),
		state: wordOf<RunState>(row['state']),
		attempt,
		deliveryAttempt,
		createdAt: integerOf(row['created_at']),
		toolCalls: integerOf(row['tool_calls']),
		...optional('startedAt', nullableInteger(row['started_at'])),
		...optional('finishedAt', nullableInteger(row['finished_at'])),
		...optional('nextAttemptAt', waitsAgain ? nullableInteger(row['due_at']) : null),
		...optional('model', nullableText(row['model'])),
		...optional('answer', shownOf(nullableText(row['preview']))),
		...optional('error', nullableText(row['error'])),
	};
}

/** A row of `runColumns, delivery.plan, answer.rest` and its transcript. */
export function storedRunOf(row: Row, transcript: readonly TranscriptEntry[]): StoredRun {
	const preview = nullableText(row['preview']);
	return {
		...runOf(row),
		plan: jsonOf<RunPlan>(row['plan']),
		transcript,
		...optional('fullAnswer', preview === null ? null : preview + textOf(row['rest'])),
	};
}

/** A row of `at, kind, text, data` of a transcript. */
export const entryOf = (row: Row): TranscriptEntry => ({
	at: integerOf(row['at']),
	kind: wordOf<TranscriptEntry['kind']>(row['kind']),
	text: textOf(row['text']),
	...optional(
		'data',
		row['data'] === null ? null : jsonOf<NonNullable<TranscriptEntry['data']>>(row['data']),
	),
});
