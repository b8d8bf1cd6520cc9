import {expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import type {Usage} from '../../source/core/run.ts';
import type {HistoryQuestion} from '../../source/store/history/port.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import type {Lease} from '../../source/store/port.ts';
import {openSqliteReader} from '../../source/store/sqlite-reader.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {gatewayHome} from '../helpers/gateway.ts';
import {makeDelivery, makeJob, makeRun} from '../helpers/make.ts';
import {temporaryHome, type TemporaryHome} from '../helpers/temporary-home.ts';
import {command, commandJson, serveControl} from './command.ts';

test.for([
	[['deliveries', 'list', '--run-state', 'bogus'], 'dead'],
	[['deliveries', 'list', '--run-state', 'dead', 'bogus'], 'queued'],
	[['deliveries', 'list', '--outcome', 'bogus'], 'ignored:filter'],
	[['runs', 'list', '--state', 'bogus'], 'uncertain'],
] as const)(
	'"2 wrong usage": %j asks for what cannot be, and is told what can',
	async ([args, known]) => {
		await using home = await temporaryHome();
		const {code, stdout, stderr} = await command(args, {home: home.path});
		expect({code, stdout}).toEqual({code: 2, stdout: ''});
		expect(stderr).toContain("'bogus' is invalid");
		expect(stderr).toContain(known);
	},
);

test('several outcomes and states can be asked for at once', async () => {
	await using home = await temporaryHome();
	expect(
		await commandJson(
			'deliveries list --outcome accepted job --run-state dead uncertain'.split(' '),
			{home: home.path},
		),
	).toEqual([]);
});

test('--dead and --run-state, and --edit and --body-file, exclude each other', async () => {
	await using home = await temporaryHome();
	for (const line of [
		'deliveries list --dead --run-state done',
		'deliveries replay abcd --edit --body-file x',
	]) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const {code, stderr} = await command(line.split(' '), {home: home.path});
		expect(code, '"2 wrong usage"').toBe(2);
		expect(stderr).toContain('cannot be used with');
	}
});

/** A home whose oldest event came to nothing, and so did a thousand others after it. */
async function manyFailed(): Promise<AsyncDisposable & {home: TemporaryHome; second: string}> {
	const home = await temporaryHome();
	await using store = await openSqliteStore({clock: systemClock}, {file: home.file('state.db')});
	const deliveries = Array.from({length: 1002}, (_, index) =>
		makeDelivery({route: index === 0 ? 'old' : 'gh', receivedAt: systemClock.now()}),
	);
	await Promise.all(
		deliveries.map(async delivery =>
			store.intake.accept({
				delivery: {...delivery, headers: {}},
				plan: {prompt: '', target: {kind: 'log', extra: {}}, skills: []},
				maxQueued: 2000,
				idempotencyMs: 0,
			}),
		),
	);
	for (let leases = await store.runs.lease(100, 60_000); leases.length > 0;) {
		// oxlint-disable-next-line no-await-in-loop -- a bounded number at a time
		await Promise.all(
			leases.map(async lease =>
				store.runs.settle(lease, {state: 'failed', error: `why of ${lease.run.id}`}),
			),
		);
		// oxlint-disable-next-line no-await-in-loop
		leases = await store.runs.lease(100, 60_000);
	}

	const [, second = ''] = deliveries.map(({id}) => id);
	return {home, second, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]()};
}

test('the reason stands beside each listed delivery, also when a thousand newer runs came to nothing', async () => {
	await using setup = await manyFailed();
	const {home, second} = setup;
	for (const flags of [
		['--route', 'old'],
		['--before', second],
	]) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const {code, stdout} = await command(['deliveries', 'list', '--dead', ...flags], {
			home: home.path,
		});
		expect(code).toBe(0);
		expect(stdout).toMatch(/ old .* #1 failed +why of 1\n$/);
	}

	const all = await command(['deliveries', 'list', '--dead', '--limit', '1000'], {
		home: home.path,
	});
	expect(all.stdout.split('\n').filter(line => / failed +why of \d+$/.test(line))).toHaveLength(
		1000,
	);
});

const idsOf = (items: ReadonlyArray<{readonly id: string | number}>) => items.map(({id}) => id);

test('--filter searches all that is stored with the words of the screen, of a gateway that runs and of one that does not', async () => {
	await using setup = await manyFailed();
	const {home, second} = setup;
	const look = async () => {
		const json = async (...args: readonly string[]) => commandJson(args, {home: home.path});
		const [oldest] = await json('deliveries', 'list', '--filter', 'route:old');
		const dead = ['deliveries', 'list', '--filter', '-route:none', '--dead', '--before', second];
		const page = await json('runs', 'list', '--filter', 'state:failed -route:old', '--limit', '3');
		return {
			oldest: oldest.runId,
			dead: idsOf(await json(...dead)),
			none: [
				await json('deliveries', 'list', '--filter', 'route:old', '--since', '2999-01-01'),
				await json('deliveries', 'list', '--filter', 'route:old', '--run-state', 'done'),
				await json('deliveries', 'list', '--filter', 'route:old', '--route', 'gh'),
				await json('deliveries', 'list', '--filter', 'route:old', '--before', '!'),
				await json('runs', 'list', '--filter', 'route:old', '--state', 'done'),
			].flat(),
			whole: (await json('runs', 'list', '--filter', 'route:gh', '--limit', '1000')).length,
			page: idsOf(page),
			next: idsOf(
				await json('runs', 'list', '--filter', 'state:failed', '--before', '3', '--limit', '3'),
			),
			plain: idsOf(await json('runs', 'list', '--before', '3')),
			said: (await command(['runs', 'list', '--filter', 'route:none'], {home: home.path})).stderr,
		};
	};
	const stored = await look();
	expect(stored).toMatchObject({
		oldest: 1,
		none: [],
		whole: 1000,
		page: [1002, 1001, 1000],
		next: [2, 1],
		plain: [2, 1],
		said: expect.stringMatching(/No such runs/),
	});
	expect(stored.dead).toHaveLength(1);

	await using reader = await openSqliteReader(home.file('state.db'));
	const port = createFakePort();
	const now = systemClock.now();
	let steps = 0;
	const step = (question: Partial<HistoryQuestion> | undefined) => {
		steps += 1;
		return {filter: '', limit: 100, ...question, now};
	};
	port.searchDeliveries = async question => reader.history.search('deliveries', step(question));
	port.searchRuns = async question => reader.history.search('runs', step(question));
	port.listRuns = async question => reader.runs.list(question);
	await using _ = await serveControl(home.path, port);
	expect(await look()).toEqual(stored);
	expect(steps, 'a thousand rows come in several steps').toBeGreaterThan(10);
});

test('a search that is answered with the cursor it asked from ends', async () => {
	await using home = await gatewayHome();
	const port = createFakePort();
	const asked: unknown[] = [];
	port.searchRuns = async question => {
		asked.push(question?.before);
		return {items: [makeRun({id: 8 - asked.length})], scanned: 1, searchedTo: 5};
	};
	await using _ = await serveControl(home.path, port);
	const runs = await commandJson(['runs', 'list', '--filter', 'x'], {home: home.path});
	expect({ids: idsOf(runs), asked}).toEqual({ids: [7, 6], asked: [undefined, 5]});
});

test.for([
	[['deliveries', 'list', '--filter', 'colour:red'], 'Unknown filter key colour: use route:,'],
	[['runs', 'list', '--filter', 'route:a ms>5'], 'Unknown filter key ms: use route:,'],
	[['runs', 'list', '--filter', '~ text'], 'there are none here'],
	[['runs', 'list', '--filter', '"x'], 'the closing " is missing'],
	[['runs', 'list', '--filter', 'x'.repeat(1001)], 'at most 1000 characters'],
	[['runs', 'list', '--before', '0'], 'Use a whole number from 1'],
] as const)('"2 wrong usage": %j is no filter, and the hint says why', async ([args, hint]) => {
	await using home = await temporaryHome();
	const {code, stdout, stderr} = await command(args, {home: home.path});
	expect({code, stdout}).toEqual({code: 2, stdout: ''});
	expect(stderr).toContain(hint);
});

/** A gateway that fires jobs of two profiles; the home's own is written in its file. */
async function withJobs() {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await gatewayHome());
	await home.write(
		'cron/jobs.json',
		JSON.stringify({
			jobs: [{id: 'job_own00000', name: 'both', schedule: 'every 1h', prompt: 'x'}],
		}),
	);
	const port = createFakePort({
		jobs: [
			makeJob({id: 'job_own00000', name: 'both'}),
			makeJob({id: 'job_acme0001', name: 'both', profile: 'acme'}),
			makeJob({id: 'job_acme0002', name: 'theirs', profile: 'acme'}),
			makeJob({id: 'job_acme0003', name: 'twice', profile: 'acme'}),
			makeJob({id: 'job_beta0001', name: 'twice', profile: 'beta'}),
		],
	});
	const asked: unknown[] = [];
	port.listRuns = async ({job}) => {
		asked.push(job);
		return [makeRun()];
	};
	return {
		asked,
		serve: async () => stack.use(await serveControl(home.path, port)),
		list: async (job: string) => command(['runs', 'list', '--job', job], {home: home.path}),
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

test('the runs of a job are found by its name, also that of another profile, or by its identifier', async () => {
	await using setup = await withJobs();
	await setup.serve();
	for (const job of ['both', 'theirs', 'job_gone0000']) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		expect((await setup.list(job)).code).toBe(0);
	}

	expect(setup.asked).toEqual(['job_own00000', 'job_acme0002', 'job_gone0000']);
});

test('a name that no job has, or several, is said', async () => {
	await using setup = await withJobs();
	const alone = await setup.list('theirs');
	expect(alone).toMatchObject({code: 1, stdout: ''});
	expect(alone.stderr).toMatch(/other profiles are known only while .*\(job_not_found\)/);
	expect((await setup.list('both')).code).toBe(0);

	await setup.serve();
	const nobody = await setup.list('nobody');
	expect(nobody).toMatchObject({code: 1, stdout: ''});
	expect(nobody.stderr).toContain('(job_not_found)');
	expect((await setup.list('twice')).stderr).toMatch(
		/use job_acme0003 \(acme\) or job_beta0001 \(beta\) \(job_ambiguous\)/,
	);
	expect(setup.asked).toEqual([]);
});

/** A home in whose journal two runs of a route and one of a key have ended. */
async function withUsedTokens() {
	const home = await temporaryHome();
	const clock = createFakeClock(Date.UTC(2026, 10, 23, 12));
	await using store = await openSqliteStore({clock}, {file: home.file('state.db')});
	const plan = {prompt: '', target: {kind: 'log', extra: {}}, skills: []};
	const end = async (lease: Lease, usage: Usage, tookMs: number) => {
		store.runs.work(lease, {model: 'evil\u{1B}[2J', toolCalls: 0, usage});
		clock.advance(tookMs);
		await store.runs.settle(lease, {state: 'done'});
	};

	const counts = {inputTokens: 1204, outputTokens: 380};
	for (const tookMs of [12_300, 300_000]) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await store.intake.accept({
			delivery: {...makeDelivery({route: 'gh', receivedAt: clock.now()}), headers: {}},
			plan,
			maxQueued: 10,
			idempotencyMs: 0,
		});
		// oxlint-disable-next-line no-await-in-loop
		const [lease] = await store.runs.lease(1, 3_600_000);
		if (lease) {
			const usage = {...counts, ...(tookMs > 20_000 && {cost: {amount: 1.2, currency: 'USD'}})};
			// oxlint-disable-next-line no-await-in-loop
			await end(lease, usage, tookMs);
		}
	}

	const origin = {kind: 'key', name: 'laptop'} as const;
	const turn = await store.runs.beginChat({profile: 'default', origin, plan}, 3_600_000);
	await end(turn, {...counts, cost: {amount: 0.000_000_1, currency: 'EUR'}}, 2000);
	return {
		usage: async (...flags: readonly string[]) =>
			command(['usage', ...flags], {home: home.path, clock}),
		keys: async (...args: readonly string[]) =>
			command(['keys', ...args], {home: home.path, clock}),
		[Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
	};
}

const cellsOf = (text: string) => text.split('\n').map(row => row.split(/ {2,}/));

test('usage sums the runs of a week by route; what is not known of the cost is said', async () => {
	await using home = await withUsedTokens();
	const {code, stdout, stderr} = await home.usage();
	expect({code, stderr}).toEqual({code: 0, stderr: ''});
	expect(cellsOf(stdout)).toEqual([
		['ROUTE', 'RUNS', 'SUCCESS', 'IN', 'OUT', 'COST', 'MEDIAN', 'LONGEST'],
		['gh', '2', '100%', '2,408', '760', '$1.20 + ?', '2:36', '5:00'],
		['', 'cost unknown: 1 run without a known price'],
		['- (no route)', '1', '100%', '1,204', '380', '<€0.000001', '2.0s', '2.0s'],
		[''],
	]);
});

test('usage by model is clean of what a stranger called it, and as JSON an array of rows', async () => {
	await using home = await withUsedTokens();
	const {stdout} = await home.usage('--by', 'model', '--json');
	expect(JSON.parse(stdout)).toEqual([
		{
			model: 'evil␛[2J',
			runs: 3,
			open: 0,
			done: 3,
			silent: 0,
			failed: 0,
			cancelled: 0,
			interrupted: 0,
			uncertain: 0,
			dead: 0,
			dropped: 0,
			success: 1,
			inputTokens: 3612,
			outputTokens: 1140,
			costs: expect.arrayContaining([{amount: 1.2, currency: 'USD'}]),
			unpriced: 1,
			uncounted: 0,
			medianMs: 12_300,
			longestMs: 300_000,
		},
	]);
});

test('usage says when it has no runs, and when it is asked for more than is kept', async () => {
	await using home = await withUsedTokens();
	const none = await home.usage('--since', '1s', '--by', 'job');
	expect(none).toMatchObject({code: 0, stdout: ''});
	expect(none.stderr).toMatch(/^No runs since Nov 23 /);
	const old = await home.usage('--since', '5w', '--by', 'key');
	expect(cellsOf(old.stdout).map(([key, runs]) => [key, runs])).toEqual([
		['KEY', 'RUNS'],
		['- (no key)', '2'],
		['', 'cost unknown: 1 run without a known price'],
		['laptop', '1'],
		['', undefined],
	]);
	expect(old.stderr).toBe(
		'Runs are kept for 30d (retention.row_days): what was removed is not in these sums\n',
	);
	expect(await home.usage('--by', 'moon')).toMatchObject({code: 2, stdout: ''});
});

test('what is shown of a key has the sums of the runs under its name', async () => {
	await using home = await withUsedTokens();
	for (const name of ['laptop', 'other']) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await home.keys('create', '--name', name);
	}

	const {stdout} = await home.keys('show', 'laptop');
	expect(stdout.slice(stdout.indexOf('Runs under its name'))).toBe(`Runs under its name, 7d
runs        1: 1 done
success     100%
tokens      1,204 in · 380 out
cost        <€0.000001
took        median 2.0s, longest 2.0s
`);
	expect((await home.keys('show', 'other')).stdout).toContain('runs        none\n');
	const {runs} = JSON.parse((await home.keys('show', 'laptop', '--json')).stdout);
	expect(runs).toMatchObject({key: 'laptop', runs: 1, done: 1, success: 1});
});
