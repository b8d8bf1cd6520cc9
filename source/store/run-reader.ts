import type {DatabaseSync} from 'node:sqlite';
import {idOfNumber} from '../core/ids.ts';
import {
	type Run,
	type RunPlan,
	type RunState,
	type StoredRun,
	type TranscriptEntry,
	sumOfCounts,
	type Usage,
} from '../core/run.ts';
import {escapeBlock, escapeLine} from '../core/untrusted.ts';
import {readRows} from './broken-rows.ts';
import {
	type Row,
	integerOf,
	jsonOf,
	nullableInteger,
	nullableText,
	optional,
	textOf,
	wordOf,
	newestFirst,
	pageOf,
	type Scan,
} from './columns.ts';
import {type Engine, createFloors, sqliteWords} from './engine.ts';
import type {Lease, Runs} from './port.ts';
import {transcriptEnd, transcriptStart} from './transcripts.ts';

/** Returns a function that synchronously reads a whole run. */
export function createRunLookup(database: DatabaseSync): (runId: number) => StoredRun | undefined {
	const one = database.prepare(
		`select ${runColumns}, ${planColumn}, answer.rest from ${runTables} where run.id = ?`,
	);
	const entries = database.prepare(
		'select at, kind, text, data from transcript where id >= ? and id < ? order by id',
	);
	return runId => {
		const row = one.get(runId);
		return (
			row &&
			storedRunOf(
				row,
				entries.all(transcriptStart(runId), transcriptEnd(runId)).map(transcriptEntryOf),
			)
		);
	};
}

/** Reads runs for lists; needs no write access. */
export function createRunReader(engine: Engine): Pick<Runs, 'view' | 'list'> {
	const {prepare, among, onBroken} = engine;
	const select = `select ${runColumnsWith(engine.runSubject)} from ${runTables} where`;
	const one = prepare(`${select} run.id = $1`);
	const listing = (few: string) =>
		prepare(
			`${select} run.id >= $1 and run.id < $2 and (cast($3 as text) is null or run.route = $3)
				and ${among('run.state', '$4')} and (cast($5 as text) is null or run.job = $5)
				and (cast($6 as text) is null or run.profile = $6) and ${few}
			order by run.id desc limit $7`,
		);
	const all = listing('true');
	const floorOf = createFloors(engine, 'run')();

	return {
		async view(runId) {
			const [row] = await one(runId);
			return row && runOfRow(row);
		},
		async list({
			states,
			profile = null,
			route = null,
			job = null,
			before = Number.MAX_SAFE_INTEGER,
			limit,
		}) {
			const few = engine.fewOf?.(states);
			const ask = few === undefined ? all : listing(few);
			const find: Scan<Run>['find'] = async ({floor, top, count}) =>
				readRows(await ask(floor, top, route, states ?? null, job, profile, count), runOfRow, {
					table: 'run',
					onBroken,
				});
			const most = pageOf(limit);
			return few === undefined
				? newestFirst({floorOf, find}, {before, limit: most, rows: engine.stretches.run})
				: find({floor: 0, top: before, count: most});
		},
	};
}

/** The condition of the index. */
export const isToDecide = "run.state in ('interrupted', 'uncertain', 'dead')";

/** Reads the runs that wait for a person by an index of only those: they may be the oldest of many. */
export function createRunsToDecide(engine: Engine): {
	readonly list: Runs['toDecide'];
	count(): Promise<number>;
} {
	const {prepare, indexedBy, onBroken} = engine;
	const run = `run ${indexedBy('run_to_decide')}`;
	const list = prepare(
		`select ${runColumnsWith(engine.runSubject)} from ${runTablesOf(run)} where ${isToDecide} order by run.id desc limit $1`,
	);
	const count = prepare(`select count(*) as count from ${run} where ${isToDecide}`);
	return {
		list: async limit => readRows(await list(pageOf(limit)), runOfRow, {table: 'run', onBroken}),
		count: async () => integerOf((await count())[0]?.['count']),
	};
}

/** Columns of a listing, with the SQL for its subject; `runTables` joins the tables. */
export const runColumnsWith = (subject: string): string =>
	`run.id, run.delivery, run.profile, run.route, coalesce(delivery.event, job_run.event) as event, ${subject} as subject, run.target, run.state, run.attempt, run.delivery_attempt, run.created_at, run.due_at, run.started_at, run.finished_at, run.tool_calls, run.grp, run.superseded, run.job, run.job_name, run.model, run.usage, run.error, run.awaits_logins, run.conversation, run.dropped, answer.preview`;

/** The columns on SQLite. */
export const runColumns = runColumnsWith(sqliteWords.runSubject);

/** The columns of the plan, for `storedRunOf`. */
export const planColumn = 'coalesce(delivery.plan, job_run.plan) as plan, run.handed';

/** A run, its delivery or what it has instead, and its answer if there is one. `run`: the table, optionally with the index to use. */
const runTablesOf = (
	run: string,
) => `${run} left join delivery on delivery.id = run.delivery left join job_run on job_run.run = run.id
	left join answer on answer.run = run.id`;

export const runTables = runTablesOf('run');

/** A model's text may be anything; it is stored unchanged and shown cleaned. */
const shownOf = (preview: string | null): string | null => preview && escapeBlock(preview);

/** Converts a row of `runColumns` to the value for faces. */
export function runOfRow(row: Row): Run {
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
		...optional('subject', nullableText(row['subject'])),
		...optional('delivery', delivery === null ? null : idOfNumber(delivery)),
		...optional('group', nullableInteger(row['grp'])),
		...optional('superseded', superseded === 0 ? null : superseded),
		...optional('job', jobOf(row)),
		...optional('chat', chatOf(row)),
		...optional('conversation', partOf<NonNullable<Run['conversation']>>(row['conversation'])),
		...optional('startedAt', nullableInteger(row['started_at'])),
		...optional('finishedAt', nullableInteger(row['finished_at'])),
		...optional('nextAttemptAt', waitsAgain ? dueAt : null),
		...optional('awaitsLogins', serversOf(row)),
		...optional('model', nullableText(row['model'])),
		...optional('usage', usageOf(nullableText(row['usage']))),
		...optional('answer', shownOf(nullableText(row['preview']))),
		...optional('error', nullableText(row['error'])),
		...optional('dropped', partOf<NonNullable<Run['dropped']>>(row['dropped'])),
	};
}

function usageOf(text: string | null): Usage | null {
	if (text === null) {
		return null;
	}

	const usage = jsonOf<Usage>(text);
	return {
		...usage,
		inputTokens: sumOfCounts(usage.inputTokens),
		outputTokens: sumOfCounts(usage.outputTokens),
	};
}

const maxNameLength = 200;

const serversOf = (row: Row): readonly string[] | null => {
	const names = nullableText(row['awaits_logins']);
	return names === null
		? null
		: jsonOf<readonly string[]>(names).map(each => escapeLine(each, maxNameLength));
};

/** The name comes from the job's file, so it is cleaned. */
const jobOf = (row: Row): Run['job'] | null => {
	const id = nullableText(row['job']);
	return id === null ? null : {id, name: escapeLine(textOf(row['job_name']), maxNameLength)};
};

/** Only a turn of a chat has neither an event nor a job. */
const chatOf = (row: Row): Run['chat'] | null => {
	const key = nullableText(row['job_name']);
	return key === null || row['job'] !== null || row['delivery'] !== null
		? null
		: {key: escapeLine(key, maxNameLength)};
};

/** Parses a JSON column that may be null. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type that the column was written from
const partOf = <Value>(column: Row[string] | undefined): Value | null => {
	const kept = nullableText(column);
	return kept === null ? null : jsonOf<Value>(kept);
};

/** The user message of a run that replaces `superseded` earlier events. @see manual/routes.md#coalescing */
export const withSupersededNote = (prompt: string, superseded: number): string =>
	superseded === 0
		? prompt
		: `${prompt}\n\n[${superseded} earlier ${superseded === 1 ? 'event' : 'events'} for this key ${superseded === 1 ? 'was' : 'were'} superseded by this one]`;

/** Converts a row of `runColumns, planColumn, answer.rest` and a transcript. Adds the note about superseded events to the prompt. */
export function storedRunOf(row: Row, transcript: readonly TranscriptEntry[]): StoredRun {
	const preview = nullableText(row['preview']);
	const plan = jsonOf<RunPlan>(row['plan']);
	const handed = partOf<Pick<RunPlan, 'again' | 'target'>>(row['handed']);
	return {
		...runOfRow(row),
		plan: {
			...plan,
			prompt: withSupersededNote(plan.prompt, integerOf(row['superseded'])),
			...(handed && {...handed, planned: plan.target}),
		},
		transcript,
		...optional('fullAnswer', preview === null ? null : preview + textOf(row['rest'])),
	};
}

/** Parses a transcript row of `at, kind, text, data`. */
export const transcriptEntryOf = (row: Row): TranscriptEntry => ({
	at: integerOf(row['at']),
	kind: wordOf<TranscriptEntry['kind']>(row['kind']),
	text: textOf(row['text']),
	...optional(
		'data',
		row['data'] === null ? null : jsonOf<NonNullable<TranscriptEntry['data']>>(row['data']),
	),
});

/** The lease of a run, from its row of `state, token, login_wait` after leasing. */
export const leaseOf = (run: StoredRun, row: Row): Lease => ({
	run,
	token: integerOf(row['token']),
	phase: row['state'] === 'running' ? 'agent' : 'deliver',
	...optional('loginWaitMs', nullableInteger(row['login_wait'])),
});
