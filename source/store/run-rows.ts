import {withSupersededNote} from '../core/group.ts';
import {idOfNumber} from '../core/ids.ts';
import type {Run, RunPlan, RunState, StoredRun, TranscriptEntry} from '../core/run.ts';
import {block, cell} from '../core/untrusted.ts';
import {
	integerOf,
	jsonOf,
	nullableInteger,
	nullableText,
	optional,
	textOf,
	wordOf,
	type Row,
} from './columns.ts';

/** Columns of a listing; the tables are joined by `runTables`. */
export const runColumns =
	'run.id, run.delivery, run.profile, run.route, coalesce(delivery.event, job_run.event) as event, run.target, run.state, run.attempt, run.delivery_attempt, run.created_at, run.due_at, run.started_at, run.finished_at, run.tool_calls, run.grp, run.superseded, run.job, run.job_name, run.model, run.error, answer.preview';

/** The column of the plan, for `storedRunOf`. */
export const planColumn = 'coalesce(delivery.plan, job_run.plan) as plan';

/** A run, its delivery or what it has instead, and its answer if there is one. */
export const runTables = `run left join delivery on delivery.id = run.delivery left join job_run on job_run.run = run.id
	left join answer on answer.run = run.id`;

/** What a model said may be anything; it is kept as it was said and shown cleaned. */
const shownOf = (preview: string | null): string | null => preview && block(preview).text;

/** A row of `runColumns` as the value that faces see. */
export function runOf(row: Row): Run {
	const attempt = integerOf(row['attempt']);
	const deliveryAttempt = integerOf(row['delivery_attempt']);
	const createdAt = integerOf(row['created_at']);
	const delivery = nullableInteger(row['delivery']);
	const superseded = integerOf(row['superseded']);
	const dueAt = nullableInteger(row['due_at']);
	const waitsAgain = attempt > 0 || deliveryAttempt > 0 || (dueAt ?? 0) > createdAt;
	return {
		id: integerOf(row['id']),
		profile: textOf(row['profile']),
		route: textOf(row['route']),
		event: textOf(row['event']),
		target: textOf(row['target']),
		state: wordOf<RunState>(row['state']),
		attempt,
		deliveryAttempt,
		createdAt,
		toolCalls: integerOf(row['tool_calls']),
		...optional('delivery', delivery === null ? null : idOfNumber(delivery)),
		...optional('group', nullableInteger(row['grp'])),
		...optional('superseded', superseded === 0 ? null : superseded),
		...optional('job', jobOf(row)),
		...optional('startedAt', nullableInteger(row['started_at'])),
		...optional('finishedAt', nullableInteger(row['finished_at'])),
		...optional('nextAttemptAt', waitsAgain ? dueAt : null),
		...optional('model', nullableText(row['model'])),
		...optional('answer', shownOf(nullableText(row['preview']))),
		...optional('error', nullableText(row['error'])),
	};
}

const longestName = 200;

/** Its name is as its file has it. */
const jobOf = (row: Row): Run['job'] | null => {
	const id = nullableText(row['job']);
	return id === null ? null : {id, name: cell(textOf(row['job_name']), longestName).text};
};

/** A row of `runColumns, planColumn, answer.rest` and its transcript. What a run stands for beside its event is said in its prompt. */
export function storedRunOf(row: Row, transcript: readonly TranscriptEntry[]): StoredRun {
	const preview = nullableText(row['preview']);
	const plan = jsonOf<RunPlan>(row['plan']);
	return {
		...runOf(row),
		plan: {...plan, prompt: withSupersededNote(plan.prompt, integerOf(row['superseded']))},
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
