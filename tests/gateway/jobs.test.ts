import {readdir, readFile, rename, stat} from 'node:fs/promises';
import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {startGatewayProcess} from '../helpers/gateway-process.ts';
import {advanceUntil, gatewayHome, startTestGateway, type TestGateway} from '../helpers/gateway.ts';
import {post} from '../helpers/post.ts';
import {
	type ScriptedAnswer,
	type ScriptedModel,
	startScriptedModel,
} from '../helpers/scripted-model.ts';
import {startMs} from '../store/samples.ts';

const report = {
	id: 'job_report00',
	name: 'report',
	schedule: 'every 1h',
	prompt: 'Write the report',
	created_at: new Date(startMs).toISOString(),
};

const hook = {prompt: 'Alert {name}', cron_job: 'report', deliver: 'email', skills: ['none']};

const jobsText = (...jobs: readonly JsonObject[]) => JSON.stringify({jobs});

const modelOf = ({baseUrl}: ScriptedModel, name = 'scripted-1') => ({
	provider: 'openai-compatible',
	name,
	base_url: baseUrl,
});

/** A gateway whose clock is moved by hand, with jobs, and a route `hook` that fires the first. */
async function openGateway({
	jobs = [report],
	answers = [{text: 'Done'}, {text: 'Done again'}, {text: 'And again'}],
	subscriptions = {hook},
}: {
	readonly jobs?: readonly JsonObject[];
	readonly answers?: readonly ScriptedAnswer[];
	readonly subscriptions?: Readonly<Record<string, JsonObject>>;
} = {}) {
	const stack = new AsyncDisposableStack();
	const model = stack.use(await startScriptedModel(answers));
	const home = stack.use(await gatewayHome({config: {model: modelOf(model)}, subscriptions}));
	await home.write('cron/jobs.json', jobsText(...jobs));
	const clock = createFakeClock(startMs);
	const gateway = stack.use(await startTestGateway({home, clock}));
	return {
		...gateway,
		home,
		clock,
		model,
		/** Moves the clock to a moment at which something is due; who plans anew at a timer on the way sees it, too. */
		async pass(byMs: number) {
			clock.advance(byMs);
			for (let count = 0; count < 20; count++) {
				await turn();
			}

			clock.advance(0);
		},
		/** Resolves when the first job waits for a time to come. */
		async planned() {
			while ((gateway.port.getState().jobs[0]?.nextAt ?? 0) <= clock.now()) {
				clock.advance(0);
				await turn();
			}
		},
		prompts: () => model.requests.map(({body}) => body.messages.at(-1).content as string),
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

const outputs = async ({home}: Pick<TestGateway, 'home'>, job = report.id) =>
	readdir(home.file(`cron/output/${job}`)).catch(() => []);

test('a schedule fires its job, again and again, and its answers are kept', async () => {
	await using gateway = await openGateway();
	expect(gateway.port.getState().jobs).toMatchObject([
		{id: report.id, name: 'report', state: 'active', nextAt: startMs + 3_600_000, open: 0},
	]);
	await gateway.pass(3_600_000);
	expect(await gateway.ended(1)).toMatchObject({
		state: 'done',
		route: '-',
		event: 'schedule',
		profile: 'default',
		job: {id: report.id, name: 'report'},
		plan: {prompt: 'Write the report', target: {kind: 'log'}},
	});
	expect(await gateway.port.getRun(1)).not.toHaveProperty('delivery');
	await gateway.pass(3_600_000);
	await gateway.ended(2);
	await gateway.pass(250);
	await gateway.until(({jobs: [job]}) => job?.lastRunId === 2 && job.open === 0);
	expect(gateway.port.getState().jobs).toMatchObject([
		{lastAt: startMs + 7_200_000, nextAt: startMs + 10_800_000},
	]);

	const files = await outputs(gateway);
	expect(files).toHaveLength(2);
	const first = gateway.home.file(`cron/output/${report.id}/${files[0]}`);
	expect(await readFile(first, 'utf8')).toContain('Done');
	expect((await stat(first)).mode & 0o777).toBe(0o600);
	expect(gateway.log.join('\n')).toContain('Answer of job "report": Done');
});

test('a job of which a run has not ended is not fired by its schedule', async () => {
	const gate = Promise.withResolvers<ScriptedAnswer>();
	await using gateway = await openGateway({
		jobs: [{...report, schedule: 'every 10s'}],
		answers: [() => gate.promise, {text: 'Second'}],
	});
	await gateway.pass(10_000);
	await gateway.model.request(0);
	for (let count = 0; count < 5; count++) {
		await gateway.pass(10_000);
		await gateway.planned();
	}

	expect(gateway.port.getState().jobs).toMatchObject([{open: 1, nextAt: startMs + 70_000}]);
	gate.resolve({text: 'First'});
	await gateway.ended(1);
	await gateway.pass(10_000);
	await gateway.ended(2);
	expect(await gateway.port.listRuns({job: report.id, limit: 10})).toHaveLength(2);
});

test('"the rendered prompt becomes transient per-run context; the job\'s own prompt, skills, model and delivery apply"', async () => {
	await using gateway = await openGateway({
		jobs: [{...report, skills: ['reporting'], model: 'scripted-2'}],
	});
	await gateway.home.write(
		'skills/reporting/SKILL.md',
		'---\nname: reporting\ndescription: How to report\n---\nBe brief.\n',
	);
	const answer = await gateway.send('hook', {name: 'disk'}, {'x-github-delivery': 'one'});
	expect(answer.status).toBe(202);
	expect(answer.json).toEqual({
		status: 'accepted',
		route: 'hook',
		cron_job: 'report',
		event: 'push',
		delivery_id: 'one',
	});
	expect(await gateway.ended(1)).toMatchObject({
		state: 'done',
		route: 'hook',
		event: 'push',
		job: {id: report.id, name: 'report'},
		plan: {
			prompt: 'Write the report\n\nContext from webhook route "hook":\nAlert disk',
			target: {kind: 'log'},
			skills: ['reporting'],
		},
		model: 'scripted-2',
	});
	const [request] = gateway.model.requests;
	expect(request?.body.model).toBe('scripted-2');
	expect(JSON.stringify(request?.body.messages[0])).toContain('Be brief.');
	expect(await outputs(gateway)).toHaveLength(1);

	await gateway.port.runJob('report');
	await gateway.ended(2);
	expect(gateway.prompts()[1]).toBe('Write the report');
});

test('events that come while the job runs wait for it, in their order, each with its own context', async () => {
	const gate = Promise.withResolvers<ScriptedAnswer>();
	await using gateway = await openGateway({
		answers: [() => gate.promise, {text: 'Second'}, {text: 'Third'}],
	});
	for (const name of ['one', 'two', 'three']) {
		expect((await gateway.send('hook', {name})).status).toBe(202);
	}

	await gateway.model.request(0);
	const openIs = async (count: number) =>
		advanceUntil(
			gateway.until(({jobs: [job]}) => job?.open === count),
			gateway.clock,
		);
	await openIs(3);
	expect(gateway.model.requests).toHaveLength(1);
	expect(gateway.port.getState().runs.map(({job}) => job?.name)).toEqual([
		'report',
		'report',
		'report',
	]);
	expect((await gateway.port.status()).runs).toMatchObject({active: 1, queued: 2});
	gate.resolve({text: 'First'});
	await gateway.ended(3);
	expect(gateway.prompts().map(prompt => prompt.split('\n').at(-1))).toEqual([
		'Alert one',
		'Alert two',
		'Alert three',
	]);
	await openIs(0);
});

test('"at most 20 waiting runs per job": the next is 503 with Retry-After, and its identifier is free', async () => {
	const gate = Promise.withResolvers<ScriptedAnswer>();
	await using gateway = await openGateway({
		answers: [() => gate.promise, ...Array.from({length: 25}, () => ({text: 'Done'}))],
		subscriptions: {hook: {...hook, rate_limit: 100}},
	});
	await gateway.send('hook', {name: 'first'});
	await gateway.model.request(0);
	for (let count = 0; count < 20; count++) {
		expect((await gateway.send('hook', {name: `waiting ${count}`})).status).toBe(202);
	}

	const full = await gateway.send('hook', {name: 'late'}, {'x-github-delivery': 'late'});
	expect(full.status).toBe(503);
	expect(full.json).toEqual({error: 'Cron job is not available'});
	expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0);
	gate.resolve({text: 'First'});
	await gateway.ended(21);
	expect((await gateway.send('hook', {name: 'late'}, {'x-github-delivery': 'late'})).status).toBe(
		202,
	);
	await gateway.ended(22);
});

test.for([
	['unknown', []],
	['paused', [{...report, paused: true}]],
	['called like another', [report, {...report, id: 'job_report01'}]],
	['broken', [{...report, schedule: 'every blue moon'}]],
] as const)('a job that is %s: 503, and the identifier is free for later', async ([, jobs]) => {
	await using gateway = await openGateway({jobs});
	const headers = {'x-github-delivery': 'same'};
	const refused = await gateway.send('hook', {name: 'x'}, headers);
	expect([refused.status, refused.json]).toEqual([503, {error: 'Cron job is not available'}]);
	const {deliveries} = await gateway.until(state => state.deliveries.length === 1);
	expect(deliveries[0]?.delivery).toMatchObject({outcome: 'job', status: 503});
	expect(deliveries[0]?.delivery.trace.at(-1)?.detail).toMatch(/report/);

	await gateway.home.write('cron/jobs.json', jobsText(report));
	await gateway.port.reload();
	expect((await gateway.send('hook', {name: 'x'}, headers)).status).toBe(202);
	await gateway.ended(1);
});

test('a job is run, paused and resumed by its identifier or its name', async () => {
	await using gateway = await openGateway();
	const {port} = gateway;
	await port.setJobPaused(report.id, {paused: true});
	expect(port.getState().jobs).toMatchObject([{state: 'paused'}]);
	expect(JSON.parse(await gateway.home.read('cron/jobs.json'))).toMatchObject({
		jobs: [{paused: true}],
	});
	await gateway.pass(7_200_000);
	await gateway.gateway.idle();
	expect(await port.listRuns({limit: 1})).toEqual([]);

	expect(await port.runJob('report')).toEqual({runId: 1});
	expect(await gateway.ended(1)).toMatchObject({event: 'person', state: 'done'});
	await port.setJobPaused('report', {paused: false});
	expect((await port.listJobs())[0]).toMatchObject({state: 'active', lastRunId: 1});
	expect((await port.status()).jobs).toEqual({
		count: 1,
		next_at: port.getState().jobs[0]?.nextAt,
	});

	await expect(port.runJob('nobody')).rejects.toMatchObject({code: 'job_not_found'});
	await expect(port.runJob('report', {profile: 'work'})).rejects.toMatchObject({
		code: 'profile_not_served',
	});
	await expect(port.setJobPaused('nobody', {paused: true})).rejects.toMatchObject({
		code: 'job_not_found',
	});
});

test('"the offline model stays": a job that names a model runs without one, too', async () => {
	await using home = await gatewayHome();
	await home.write('cron/jobs.json', jobsText({...report, model: 'gpt-9'}));
	await using gateway = await startTestGateway({home});
	await gateway.port.runJob('report');
	expect(await gateway.ended(1)).toMatchObject({state: 'done', model: 'svc-offline-1'});
});

test('a file of jobs that changes on disk is read again', async () => {
	await using home = await gatewayHome();
	await using gateway = await startTestGateway({home});
	expect(gateway.port.getState().jobs).toEqual([]);
	const replace = async (text: string) => {
		await home.write('cron/jobs.json.new', text);
		await rename(home.file('cron/jobs.json.new'), home.file('cron/jobs.json'));
	};
	await replace(jobsText(report));
	await gateway.until(({jobs}) => jobs.length === 1);
	await replace(jobsText(report, {...report, id: 'job_other000', name: 'other'}));
	await gateway.until(({jobs}) => jobs.length === 2);
	await replace('{"jobs": [');
	await gateway.port.reload();
	expect(gateway.port.getState().jobs).toHaveLength(2);
	expect(gateway.log.join('\n')).toContain('jobs.json');
});

test('a job that was due while nothing ran is run once after the start: "misfire: once"', async () => {
	await using model = await startScriptedModel([{text: 'Done'}]);
	await using home = await gatewayHome({config: {model: modelOf(model)}});
	const {created_at: _, ...lasting} = report;
	await home.write(
		'cron/jobs.json',
		jobsText(lasting, {...lasting, id: 'job_skipping', name: 'skipping', misfire: 'skip'}),
	);
	{
		await using killed = await startGatewayProcess(home.path);
		expect((await post(`${killed.url}/webhooks/nobody`, {payload: {}})).status).toBe(404);
	}

	const clock = createFakeClock(Date.now() + 5 * 3_600_000);
	await using gateway = await startTestGateway({home, clock});
	expect(await gateway.ended(1)).toMatchObject({job: {name: 'report'}, event: 'schedule'});
	await gateway.gateway.idle();
	expect(await gateway.port.listRuns({limit: 10})).toHaveLength(1);
});
