import {spawnSync} from 'node:child_process';
import {expect, test} from 'vitest';
import {gatewayHome, startTestGateway} from '../helpers/gateway.ts';
import {post} from '../helpers/post.ts';
import {until} from '../helpers/processes.ts';
import {startScriptedModel, type ScriptedAnswer} from '../helpers/scripted-model.ts';
import {startSvc, svcCommand, svcEnvironment} from '../helpers/svc.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {command} from './command.ts';

/** A scripted model and a home that asks it. */
async function openHome(answers: readonly ScriptedAnswer[]) {
	const stack = new AsyncDisposableStack();
	const model = stack.use(await startScriptedModel(answers));
	const home = stack.use(
		await gatewayHome({
			config: {
				model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
				runs: {concurrency: 1},
			},
			subscriptions: {
				gh: {prompt: 'Say what {name} did'},
				forge: {
					prompt: 'Review',
					deliver: 'forge_comment',
					deliver_extra: {repo: 'acme/api', pr_number: '7'},
				},
			},
		}),
	);
	return {home, model, [Symbol.asyncDispose]: () => stack.disposeAsync()};
}

/** A gateway with a scripted model, and commands against its home. */
async function open(answers: readonly ScriptedAnswer[]) {
	const stack = new AsyncDisposableStack();
	const {home, model} = stack.use(await openHome(answers));
	const gateway = await startTestGateway({home});
	let runs = true;
	const stop = async () => {
		if (runs) {
			runs = false;
			await gateway[Symbol.asyncDispose]();
		}
	};
	stack.defer(stop);
	const run = async (...args: readonly string[]) => command(args, {home: home.path});
	return {
		model,
		stop,
		/** Resolves once the log has such a line. */
		logs: async (line: RegExp) => until(() => gateway.log.some(one => line.test(one))),
		run,
		send: async (route: string, payload: unknown) => (await gateway.send(route, payload)).json,
		// oxlint-disable-next-line typescript/no-explicit-any -- tests read it by path
		json: async (...args: readonly string[]): Promise<any> => {
			const {code, stdout, stderr} = await run(...args, '--json');
			expect({code, stderr}).toEqual({code: 0, stderr: ''});
			return JSON.parse(stdout);
		},
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

test('deliveries and runs are listed and shown, of a gateway that runs and of one that does not', async () => {
	await using setup = await open([{text: 'Alex pushed\u001B[2J'}]);
	const {run, json} = setup;
	await setup.send('gh', {name: 'Alex\u001B]0;x\u0007'});
	await setup.logs(/Answer of route "gh"/);
	expect((await setup.send('nobody', {})).error).toBe('Unknown route');

	const look = async () => {
		const [delivery] = await json('deliveries', 'list', '--route', 'gh');
		const [ofRun] = await json('runs', 'list', '--state', 'done', '--route', 'gh', '--limit', '5');
		return {
			delivery,
			run: ofRun,
			shownDelivery: await json('deliveries', 'show', delivery.id.slice(-5)),
			shownRun: await json('runs', 'show', String(ofRun.id)),
			texts: [
				await run('deliveries', 'list'),
				await run('deliveries', 'show', delivery.id),
				await run('runs', 'list'),
				await run('runs', 'show', '1'),
			],
		};
	};
	const live = await look();
	expect(live.delivery).toMatchObject({route: 'gh', event: 'push', status: 202, runId: 1});
	expect(live.run).toMatchObject({id: 1, state: 'done', target: 'log', model: 'scripted-1'});
	expect(JSON.parse(live.shownDelivery.body)).toEqual({name: 'Alex\u001B]0;x\u0007'});
	expect(live.shownRun).toMatchObject({
		plan: {prompt: 'Say what Alex\u001B]0;x\u0007 did'},
		fullAnswer: 'Alex pushed\u001B[2J',
	});
	expect(live.texts[1]?.stdout).toContain('  ✓ dispatch   run 1 queued');
	for (const {code, stdout} of live.texts) {
		expect(code).toBe(0);
		expect(stdout).toContain('gh');
		// oxlint-disable-next-line no-control-regex -- they are what must not be there
		expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F]/);
		expect(stdout).not.toContain('correct horse');
	}

	await setup.stop();
	const offline = await look();
	expect(offline).toEqual(live);
	expect(await run('deliveries', 'replay', live.delivery.id)).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('(gateway_not_running)'),
	});
});

test('what does not exist is a failure with a name, what does not parse is wrong usage', async () => {
	await using setup = await open([]);
	const {run} = setup;
	for (const [args, code, words] of [
		[['runs', 'show', '99'], 1, '(run_not_found)'],
		[
			['runs', 'cancel', '99'],
			1,
			'Cannot cancel run 99: it does not exist, see "svc runs list" (run_not_found)',
		],
		[
			['runs', 'retry', '99'],
			1,
			'Cannot retry run 99: it does not exist, see "svc runs list" (run_not_found)',
		],
		[['deliveries', 'show', 'zzzzzz'], 1, '(delivery_not_found)'],
		[['deliveries', 'show', 'zzz'], 1, 'give at least its last 4 characters'],
		[['deliveries', 'list', '--output', 'json'], 2, 'listings and status commands have --json'],
		[['--output', 'json', 'runs', 'list'], 2, 'listings and status commands have --json'],
		[['deliveries', 'replay', 'zzzzzz'], 1, '(delivery_not_found)'],
		[['runs', 'cancel', 'x'], 2, 'whole number'],
		[['deliveries', 'list', '--limit', '9999'], 2, 'whole number'],
	] as const) {
		expect(await run(...args)).toMatchObject({
			code,
			stdout: '',
			stderr: expect.stringContaining(words),
		});
	}

	expect(await run('runs', 'list')).toMatchObject({code: 0, stdout: ''});
	expect(await setup.json('deliveries', 'list')).toEqual([]);
});

test('"svc runs cancel" ends a run under way and a queued one; "svc runs retry" runs it again', async () => {
	await using setup = await open([{hang: true}, {text: 'Second'}, {text: 'First again'}]);
	const {run, json, model} = setup;
	await setup.send('gh', {name: 'first'});
	await setup.send('gh', {name: 'second'});
	await setup.send('gh', {name: 'third'});
	const {closed} = await model.request(0);
	expect((await run('runs', 'cancel', '3')).code).toBe(0);
	expect(await run('runs', 'cancel', '1')).toMatchObject({
		code: 0,
		stdout: 'Run #1 is cancelled\n',
	});
	expect(await closed).toBe(true);
	await setup.logs(/Answer of route "gh": Second/);
	const states = async () =>
		Object.fromEntries(
			(await json('runs', 'list')).map(({id, state}: {id: number; state: string}) => [id, state]),
		);
	expect(await states()).toEqual({1: 'cancelled', 2: 'done', 3: 'cancelled'});
	expect(await run('runs', 'retry', '2')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('(run_not_retryable)'),
	});
	expect(await run('runs', 'cancel', '2')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('Cannot cancel run 2: it has ended (run_ended)'),
	});
	expect(await run('runs', 'retry', '1')).toMatchObject({
		code: 0,
		stdout: 'Run #1 is queued again\n',
	});
	await setup.logs(/Answer of route "gh": First again/);
	expect((await states())[1]).toBe('done');
	expect(model.requests).toHaveLength(3);
});

test('"svc deliveries replay" runs it again; what reaches others must be confirmed', async () => {
	await using setup = await open([{text: 'One'}, {text: 'Two'}, {text: 'Three'}]);
	const {run, json} = setup;
	await setup.send('gh', {name: 'Alex'});
	await setup.logs(/Answer of route "gh": One/);
	const [{id}] = await json('deliveries', 'list');
	const replayed = await run('deliveries', 'replay', id);
	expect(replayed).toMatchObject({code: 0, stdout: expect.stringMatching(/^202 /)});
	await setup.logs(/Answer of route "gh": Two/);
	const [replay] = await json('deliveries', 'list');
	expect(replay).toMatchObject({replayOf: id, idSource: 'replay'});

	await setup.send('forge', {});
	await setup.logs(/The run failed|comment/);
	const [comment] = await json('deliveries', 'list', '--route', 'forge');
	const unconfirmed = await run('deliveries', 'replay', comment.id);
	expect(unconfirmed).toMatchObject({code: 1, stdout: ''});
	expect(unconfirmed.stderr).toContain('acme/api#7');
	expect(unconfirmed.stderr).toContain('--yes');
	expect(await json('runs', 'list', '--route', 'forge')).toHaveLength(1);
	expect((await run('deliveries', 'replay', comment.id, '--yes')).code).toBe(0);
	expect(await json('runs', 'list', '--route', 'forge')).toHaveLength(2);
});

test('"secrets never in listings or logs"', async () => {
	await using setup = await openHome([{text: 'The secret is correct horse battery staple'}]);
	const {home} = setup;
	const run = async (...args: readonly string[]) => command(args, {home: home.path});
	await using gateway = startSvc(['gateway', 'run'], {home: home.path});
	const [, url = ''] = await gateway.waitFor(/Listening on (\S+)/);
	await post(`${url}/webhooks/gh`, {payload: {name: 'correct horse battery staple'}});
	await gateway.waitFor(/Answer of route "gh"/);
	const texts = await Promise.all([
		run('webhook', 'list', '--json'),
		run('deliveries', 'list', '--json'),
		run('runs', 'list', '--json'),
		run('gateway', 'status', '--json'),
	]);
	gateway.kill('SIGTERM');
	const {stderr} = await gateway.finished;
	for (const text of [stderr, await home.read('logs/gateway.log')]) {
		expect(text).toContain('Answer of route');
		expect(text).not.toContain('correct horse');
	}

	// The answer of a run is shown as it is kept: what the payload itself said.
	for (const {code, stdout} of [texts[0], texts[1], texts[3]]) {
		expect(code).toBe(0);
		expect(stdout).not.toContain('correct horse');
	}
});

test('a result that cannot be written anywhere is a failure; wrong usage repeats nothing that a terminal obeys', async () => {
	await using home = await temporaryHome();
	const [node, script] = svcCommand;
	const full = spawnSync('bash', ['-c', `"${node}" "${script}" config path > /dev/full`], {
		env: svcEnvironment({home: home.path}),
		encoding: 'utf8',
	});
	expect(full.status).toBe(1);
	expect(full.stderr).toContain('Cannot write the result');

	const usage = await command(['deliveries', 'list', '--limit', '\u001b[31mx'], {home: home.path});
	expect(usage.code).toBe(2);
	expect(usage.stderr).toContain('␛[31mx');
	expect(usage.stderr).not.toContain('\u001b');
});
