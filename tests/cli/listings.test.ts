import {expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
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
