import {DatabaseSync} from 'node:sqlite';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {sumsBy, type RunSum, type SumsBy} from '../../../source/core/run-sums.ts';
import {runStates, type RunState, type Usage} from '../../../source/core/run.ts';
import {createHistory} from '../../../source/store/history/history.ts';
import type {StoredSums, SumQuestion} from '../../../source/store/history/port.ts';
import {createHistorySearch} from '../../../source/store/history/search.ts';
import {createSums} from '../../../source/store/history/sum.ts';
import {stepOf} from '../../../source/store/history/under-way.ts';
import {migrate} from '../../../source/store/migrations.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';
import {startMs} from '../samples.ts';
import {createSqliteHome} from '../sqlite-home.ts';

const anyRun: fc.Arbitrary<Kept> = fc.record({
	profile: fc.constantFrom('default', 'work'),
	delivery: fc.option(fc.constant(7)),
	route: fc.constantFrom('-', 'hook', 'forge'),
	job: fc.option(fc.constantFrom('job_1', 'job_2')),
	job_name: fc.option(fc.constantFrom('nightly', 'laptop', '', 'terminal')),
	model: fc.option(fc.constantFrom('small', 'large')),
	state: fc.constantFrom(...runStates),
	attempt: fc.nat(2),
	created_at: fc.integer({min: startMs - 1000, max: startMs + 1000}),
	started_at: fc.option(fc.integer({min: startMs, max: startMs + 1000})),
	finished_at: fc.option(fc.integer({min: startMs, max: startMs + 100_000})),
	usage: fc.option(
		fc.record(
			{
				inputTokens: fc.nat(1_000_000),
				outputTokens: fc.nat(1_000_000),
				// Of binary fractions the sum is the same in any order.
				cost: fc.record({
					amount: fc.nat(64).map(count => count / 64),
					currency: fc.constantFrom('USD', 'EUR'),
				}),
			},
			{requiredKeys: ['inputTokens', 'outputTokens']},
		),
	),
});

/** A row of runs. */
type Kept = {
	readonly profile: string;
	readonly delivery: number | null;
	readonly route: string;
	readonly job: string | null;
	readonly job_name: string | null;
	readonly model: string | null;
	readonly state: RunState;
	readonly attempt: number;
	readonly created_at: number;
	readonly started_at: number | null;
	readonly finished_at: number | null;
	readonly usage: Usage | null;
};

/** An empty journal in memory. */
function openJournal(): DatabaseSync {
	const database = new DatabaseSync(':memory:');
	migrate(database, ':memory:');
	return database;
}

function insert(database: DatabaseSync, runs: readonly Kept[]): void {
	const statement = database.prepare(
		`insert into run (profile, delivery, route, target, job, job_name, model, state, attempt, created_at, started_at, finished_at, usage)
		values (:profile, :delivery, :route, 'log', :job, :job_name, :model, :state, :attempt, :created_at, :started_at, :finished_at, :usage)`,
	);
	for (const {usage, ...run} of runs) {
		statement.run({...run, usage: usage && JSON.stringify(usage)});
	}
}

async function sumAll(database: DatabaseSync, question: SumQuestion): Promise<StoredSums> {
	const summing = createHistorySearch(database).sum(question);
	for (;;) {
		const sums = await summing.step();
		if (sums) {
			return sums;
		}
	}
}

const nameOf = ({route, delivery, job, job_name: name, model}: Kept, by: SumsBy) =>
	({
		route: route === '-' ? null : route,
		key: delivery === null && job === null ? name : null,
		model,
		job,
	})[by];

/** What one row of the sums should have, from all runs of its name, one property after the other. */
function naiveSum(runs: readonly Kept[]) {
	const count = (wanted: (run: Kept) => boolean) => runs.filter(wanted).length;
	const of = (...states: readonly string[]) => count(({state}) => states.includes(state));
	const usages = runs.flatMap(({usage}) => usage ?? []);
	const costs = usages.flatMap(({cost}) => cost ?? []);
	const succeeded = of('done', 'silent');
	const decided = succeeded + of('failed', 'interrupted', 'uncertain', 'dead', 'dropped');
	const isOpen = ({state}: Kept) => ['queued', 'running', 'delivering'].includes(state);
	const durations = runs
		.filter(run => !isOpen(run) && run.started_at !== null && run.finished_at !== null)
		.map(run => Math.max(0, (run.finished_at ?? 0) - (run.started_at ?? 0)))
		.toSorted((one, other) => one - other);
	const half = durations.length / 2;
	const around = Number.isInteger(half) ? [half - 1, half] : [half - 0.5];
	const total = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
	return {
		runs: runs.length,
		open: count(isOpen),
		...Object.fromEntries(
			['done', 'silent', 'failed', 'cancelled', 'interrupted', 'uncertain', 'dead', 'dropped'].map(
				state => [state, of(state)],
			),
		),
		...(decided > 0 && {success: succeeded / decided}),
		inputTokens: total(usages.map(({inputTokens}) => inputTokens)),
		outputTokens: total(usages.map(({outputTokens}) => outputTokens)),
		costs: new Map(
			[...Map.groupBy(costs, ({currency}) => currency)].map(([currency, parts]) => [
				currency,
				total(parts.map(({amount}) => amount)),
			]),
		),
		unpriced: usages.length - costs.length,
		uncounted: count(run => !isOpen(run) && run.attempt > 0 && run.usage === null),
		...(durations.length > 0 && {
			medianMs: total(around.map(index => durations[index] ?? Number.NaN)) / around.length,
			longestMs: durations.at(-1),
		}),
	};
}

const readRow = ({
	profile: _profile,
	route: _route,
	key: _key,
	model: _model,
	job: _job,
	costs,
	...sums
}: RunSum) => ({
	...sums,
	costs: new Map(costs.map(({currency, amount}) => [currency, amount])),
});

test('the sums of any runs are those that are added up one by one, whatever they are summed by', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(anyRun, {maxLength: 60}),
			fc.constantFrom(...sumsBy),
			fc.option(fc.constantFrom('default', 'work')),
			async (runs, by, profile) => {
				using database = openJournal();
				insert(database, runs);
				const {since, leftOut, rows} = await sumAll(database, {
					by,
					from: startMs,
					...(profile !== null && {profile}),
				});
				expect([since, leftOut]).toEqual([startMs, 0]);
				const asked = runs.filter(
					run => run.created_at >= startMs && (profile === null || run.profile === profile),
				);
				const isByProfile = by === 'route' || by === 'job';
				const groups = Map.groupBy(asked, run =>
					JSON.stringify([isByProfile ? run.profile : undefined, nameOf(run, by)]),
				);
				const found = rows.map(row => {
					const name = by === 'job' ? (row.job?.id ?? null) : row[by];
					return [JSON.stringify([row.profile, name]), readRow(row)] as const;
				});
				expect(new Map(found)).toEqual(
					new Map([...groups].map(([key, own]) => [key, naiveSum(own)])),
				);
				expect(found.map(([, row]) => row.runs)).toEqual(
					found.map(([, row]) => row.runs).toSorted((one, other) => other - one),
				);
			},
		),
		{numRuns: propertyRuns(400)},
	);
});

const plain: Kept = {
	profile: 'default',
	delivery: null,
	route: '-',
	job: null,
	job_name: null,
	model: null,
	state: 'done',
	attempt: 1,
	created_at: startMs,
	started_at: null,
	finished_at: null,
	usage: null,
};

test("a stranger's names are clean, those that look the same are one, and a job has the name of its newest run", async () => {
	using database = openJournal();
	insert(database, [
		{...plain, model: 'gpt\u{1B}[31m', job: 'job_1', job_name: 'before'},
		{...plain, model: 'gpt␛[31m', job: 'job_1', job_name: 'now\u{202E}'},
		{...plain, model: 'x'.repeat(5000)},
	]);
	const {rows: models} = await sumAll(database, {by: 'model', from: 0});
	expect(models.map(({model, runs}) => [model, runs])).toEqual([
		['gpt␛[31m', 2],
		[`${'x'.repeat(199)}…`, 1],
	]);
	const {rows: jobs} = await sumAll(database, {by: 'job', from: 0});
	expect(jobs.map(({job}) => job)).toEqual([{id: 'job_1', name: String.raw`now\u{202e}`}, null]);
});

test('a thousand names are told apart, and the runs of further ones are counted', async () => {
	using database = openJournal();
	insert(
		database,
		Array.from({length: 1005}, (_, index) => ({...plain, model: `model-${index}`})),
	);
	const {rows, leftOut} = await sumAll(database, {by: 'model', from: 0});
	expect([rows.length, leftOut]).toEqual([1000, 5]);
	expect(rows.some(({model}) => model === 'model-1004')).toBe(true);
});

test('counts above what a number holds stay what can be stored and sent', async () => {
	using database = openJournal();
	const usage = {inputTokens: Number.MAX_SAFE_INTEGER, outputTokens: 2 ** 60};
	insert(database, [
		{...plain, usage},
		{...plain, usage},
	]);
	expect((await sumAll(database, {by: 'route', from: 0})).rows).toMatchObject([
		{inputTokens: Number.MAX_SAFE_INTEGER, outputTokens: Number.MAX_SAFE_INTEGER},
	]);
});

test('runs are found by their number, and nothing is read behind the first stretch that is older', async () => {
	for (const by of sumsBy) {
		using database = openJournal();
		insert(
			database,
			Array.from({length: 9000}, (_, index) => ({...plain, created_at: startMs + index})),
		);
		const stretches: string[] = [];
		const ask = async (sql: string, bindings: readonly number[]) => {
			stretches.push(sql);
			return database.prepare(sql).all(...bindings);
		};

		const underWay = createSums({by, from: startMs + 8990});
		// A step may be over before its second stretch where the machine is busy.
		const sums = (await stepOf(ask, underWay)) ?? (await stepOf(ask, underWay));
		expect(sums?.rows).toMatchObject([{runs: 10}]);
		expect(stretches).toHaveLength(2);
		const plan = database.prepare(`explain query plan ${stretches[0]}`).all(1);
		expect(plan.map(({detail}) => detail)).toEqual([
			'SEARCH run USING INTEGER PRIMARY KEY (rowid<?)',
		]);
	}
});

test('sums of many runs are made step by step in the thread, and searches are answered between', async () => {
	await using home = await createSqliteHome();
	const clock = createFakeClock(startMs);
	await using _ = await home.open(clock);
	{
		using database = new DatabaseSync(home.file);
		database.exec(
			`insert into run (profile, route, target, state, attempt, created_at, started_at, finished_at)
			with recursive n (i) as (select 1 union all select i + 1 from n where i < 30000)
			select 'default', 'hook', 'log', 'done', 1, ${startMs} + i, ${startMs}, ${startMs} + i from n`,
		);
	}

	await using history = createHistory({clock, settle() {}}, {file: home.file});
	const leaving = new AbortController();
	const question = {by: 'route', from: startMs} as const;
	const left = history.sum(question, leaving.signal);
	const asked = [
		history.sum(question),
		history.sum({...question, from: startMs + 20_001}),
		history.search('runs', {filter: '', now: startMs, limit: 1}),
	];
	leaving.abort();
	await expect(left).rejects.toMatchObject({code: 'history_unreadable'});
	expect(await Promise.all(asked)).toMatchObject([
		{rows: [{route: 'hook', runs: 30_000, medianMs: 15_000.5, longestMs: 30_000}]},
		{rows: [{route: 'hook', runs: 10_000, medianMs: 25_000.5, longestMs: 30_000}]},
		{items: [{id: 30_000}]},
	]);
});
