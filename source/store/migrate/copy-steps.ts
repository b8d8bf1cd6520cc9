import {integerOf, jsonOf, nullableInteger, nullableText, textOf, type Row} from '../columns.ts';
import {laneOf} from '../postgres/enqueue.ts';
import {indexedWords} from '../postgres/search-words.ts';
import {transcriptPlace, transcriptStart} from '../transcripts.ts';

/** A table, or a part of one, to copy from one engine to the other. Columns in both are copied unchanged. */
export type CopyStep = {
	/** The table in the target store. */
	readonly table: string;
	/** What messages call the rows. */
	readonly noun: string;
	/** The source of the rows, as SQL after `from`; defaults to the table. */
	readonly from?: string;
	/** The columns that rows are read in order of; together they are unique. */
	readonly key: readonly string[];
	/** Rows per page; 500 when absent. */
	readonly pageSize?: number;
	/** Computes the columns that only the other engine has. */
	readonly convert?: (row: Row) => Row;
	/** Of rows that agree in these columns, the one with the latest `at` is kept; absent when no two rows agree. */
	readonly newestOf?: readonly string[];
};

/** Rows per page of tables with bodies, which may be large. */
const wideRows = 50;

/** The steps of both directions, in order. */
const common = {
	delivery: {table: 'delivery', noun: 'deliveries', key: ['id'], pageSize: wideRows},
	claim: {table: 'claim', noun: 'identifiers', key: ['profile', 'route', 'delivery_id']},
	group: {table: 'coalesce_group', noun: 'groups', key: ['id']},
	run: {table: 'run', noun: 'runs', key: ['id']},
	jobRun: {table: 'job_run', noun: 'plans', key: ['run'], pageSize: wideRows},
	answer: {table: 'answer', noun: 'answers', key: ['run'], pageSize: wideRows},
	transcript: {
		table: 'transcript',
		noun: 'transcript entries',
		key: ['run', 'position'],
		pageSize: 100,
	},
	laneTurn: {table: 'lane_turn', noun: 'turns of lanes', key: ['lane']},
	job: {table: 'job', noun: 'times of jobs', key: ['profile', 'id']},
	approval: {table: 'approval', noun: 'approvals', key: ['id'], pageSize: 100},
	rule: {table: 'approval_rule', noun: 'rules', key: ['id']},
	tool: {
		table: 'approval_tool',
		noun: 'allowed tools',
		key: ['profile', 'server', 'tool'],
		pageSize: 100,
	},
	memo: {
		table: 'memo',
		noun: 'memos',
		key: ['id'],
		// Excludes which program wrote the file, the progress of a copy, and what a member added last.
		from: "(select * from memo where kind not in ('program', 'migration', 'key-uses')) as memo",
	},
	apiKey: {table: 'api_key', noun: 'keys', key: ['seq']},
	apiKeyUse: {table: 'api_key_use', noun: 'days of keys', key: ['key', 'day']},
	session: {table: 'session', noun: 'sessions', key: ['seq']},
	message: {table: 'session_message', noun: 'messages', key: ['id'], pageSize: 100},
	inbound: {table: 'inbound', noun: 'received messages', key: ['platform', 'message']},
} as const satisfies Record<string, CopyStep>;

/** In SQLite, identifiers of recent claims are also stored in two other places. */
const claimKey = common.claim.key;

/** The steps from SQLite to PostgreSQL. */
export const stepsToPostgres: readonly CopyStep[] = Object.values<CopyStep | readonly CopyStep[]>({
	...common,
	delivery: {...common.delivery, convert: row => ({...row, subject: subjectOf(row['trace'])})},
	claim: [
		{
			...common.claim,
			from: '(select profile, route, delivery_id, delivery, run as work, at from claim)',
			newestOf: claimKey,
		},
		{
			...common.claim,
			from: '(select id as seq, profile, route, delivery_id, delivery, run as work, at from fresh_claim)',
			key: ['seq'],
			newestOf: claimKey,
		},
		{
			...common.claim,
			from: `(select id as seq, profile, route, claimed_id as delivery_id, delivery, id as work, claimed_at as at from run
			where id > (select run_claim_floor from usage) and claimed_at is not null)`,
			key: ['seq'],
			newestOf: claimKey,
		},
	],
	run: {
		...common.run,
		from: `(select run.*, iif(conversation is null, null, (select json_extract(plan, '$.subject') from job_run where job_run.run = run.id)) as subject from run)`,
		convert: row => ({...row, ...waitOf(row), lane: laneOfRow(row)}),
	},
	transcript: {
		...common.transcript,
		key: ['id'],
		convert: row => ({...row, ...transcriptPlace(integerOf(row['id']))}),
	},
	approval: {
		...common.approval,
		convert: row => ({...row, owner: null, profile: memberOf(row['data'], 'profile') ?? 'default'}),
	},
	rule: {
		...common.rule,
		convert: row => ({...row, owner: null, used_at: memberOf(row['data'], 'usedAt') ?? null}),
	},
	message: {
		...common.message,
		convert: row => ({
			...row,
			role: memberOf(row['data'], 'role') ?? '',
			words: indexedWords(textOf(row['text'])),
		}),
	},
}).flat();

/** The steps from PostgreSQL to SQLite. */
export const stepsToSqlite: readonly CopyStep[] = Object.values<CopyStep>({
	...common,
	claim: {...common.claim, convert: row => ({...row, run: row['work'] ?? null})},
	transcript: {
		...common.transcript,
		convert: row => ({
			...row,
			id: transcriptStart(integerOf(row['run'])) + integerOf(row['position']),
		}),
	},
	rule: {
		...common.rule,
		convert: row => ({
			...row,
			data: JSON.stringify({
				...jsonOf<object>(row['data']),
				...(row['used_at'] !== null && {usedAt: integerOf(row['used_at'])}),
			}),
		}),
	},
});

/** Tables whose numbers are never given out twice, with the column. */
export const numbered: ReadonlyArray<readonly [table: string, column: string]> = [
	['coalesce_group', 'id'],
	['run', 'id'],
	['approval', 'id'],
	['approval_rule', 'id'],
	['memo', 'id'],
	['api_key', 'seq'],
	['session', 'seq'],
	['session_message', 'id'],
];

const laneOfRow = (row: Row): string => {
	const job = nullableText(row['job']);
	return laneOf(textOf(row['profile']), textOf(row['route']), job === null ? undefined : {id: job});
};

/** Columns that SQLite derives from the row itself when it opens. @see `readTimedRuns` */
function waitOf(row: Row): Row {
	const dueAt = nullableInteger(row['due_at']);
	const tries = integerOf(row['attempt']) + integerOf(row['delivery_attempt']);
	const waits = dueAt !== null && row['awaits_logins'] === null;
	return {
		is_promised: Number(waits && tries === 0 && dueAt > integerOf(row['created_at'])),
		is_retry: Number(waits && tries > 0 && row['state'] === 'queued'),
	};
}

function subjectOf(trace: Row[string] | undefined): string | null {
	const [first] = jsonOf<ReadonlyArray<{readonly subject?: string}>>(trace);
	return first?.subject ?? null;
}

/** A text or number in a JSON column's object. */
function memberOf(data: Row[string] | undefined, name: string): string | number | undefined {
	const value = jsonOf<Readonly<Record<string, unknown>>>(data)[name];
	return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}
