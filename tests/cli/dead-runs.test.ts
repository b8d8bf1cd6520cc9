import {afterAll, beforeAll, expect, test} from 'vitest';
import {gatewayHome, startTestGateway, type TestGateway} from '../helpers/gateway.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';
import {command} from './command.ts';

let model: Awaited<ReturnType<typeof startScriptedModel>>;
let gateway: TestGateway;

beforeAll(async () => {
	model = await startScriptedModel([], {otherwise: () => ({text: 'Looks good.'})});
	const home = await gatewayHome({
		config: {
			model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
		},
		subscriptions: {
			review: {
				prompt: 'Review {id}',
				deliver: 'forge_comment',
				deliver_extra: {repo: 'acme/api', pr_number: '{id}'},
			},
			note: {prompt: 'Note {id}'},
		},
	});
	// No client of a code host is there.
	gateway = await startTestGateway({home, environment: {PATH: '/nowhere'}});
	for (const [route, id] of [
		['review', 1],
		['review', 2],
		['review', 3],
		['review', 4],
		['note', 5],
	] as const) {
		// oxlint-disable-next-line no-await-in-loop -- numbers in this order
		await gateway.send(route, {id});
	}

	await gateway.gateway.idle();
});

afterAll(async () => {
	await gateway[Symbol.asyncDispose]();
	await gateway.home[Symbol.asyncDispose]();
	await model[Symbol.asyncDispose]();
});

const run = async (...args: readonly string[]) => command(args, {home: gateway.home.path});

const states = async () =>
	(await gateway.port.listRuns({limit: 9})).toReversed().map(({state}) => state);

test('"svc runs drop": those that are named, with a reason, and what is refused beside them', async () => {
	expect(await states()).toEqual(['dead', 'dead', 'dead', 'dead', 'done']);
	expect(await run('runs', 'cancel', '1')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('it has ended, drop it: svc runs drop 1 (run_ended)'),
	});
	expect(await run('runs', 'drop', '1', '--reason', 'gh was missing')).toMatchObject({
		code: 0,
		stdout: 'Run #1 is dropped\n',
		stderr: '',
	});
	expect((await run('runs', 'show', '#1')).stdout).toMatch(/dropped .*, was dead: gh was missing/);
	expect((await run('runs', 'list', '--state', 'dropped')).stdout).toContain('#1');
	const {runs} = JSON.parse((await run('gateway', 'status', '--json')).stdout);
	expect(runs).toMatchObject({to_decide: 3});

	const several = await run('runs', 'drop', '2', '5', '99', '2', '--json');
	expect(several.code).toBe(1);
	expect(JSON.parse(several.stdout)).toEqual({
		done: [{run: 2}],
		refused: [
			{
				run: 5,
				code: 'run_not_droppable',
				message:
					'Cannot drop run 5: it is done: only failed, dead, interrupted and uncertain runs can be dropped',
			},
			{
				run: 99,
				code: 'run_not_found',
				message: 'Cannot drop run 99: it does not exist, see "svc runs list"',
			},
		],
	});
});

test('"--filter" says how many there are of what kind, and does nothing without a yes', async () => {
	const asked = await run('runs', 'drop', '--filter', 'route:review');
	expect(asked).toMatchObject({
		code: 1,
		stdout: '',
		stderr: expect.stringContaining('add --yes to do it'),
	});
	expect(asked.stderr).toContain('2 dead: Its answer is kept and goes nowhere.');
	expect(asked.stderr).toContain('2 runs cannot be dropped: left as they are');
	expect((await states()).slice(2)).toEqual(['dead', 'dead', 'done']);

	expect(await run('runs', 'drop', '--filter', 'id:3', '--yes')).toMatchObject({
		code: 0,
		stdout: '1 dropped\n',
	});
	expect(await run('runs', 'drop', '--filter', 'id:3', '--yes')).toMatchObject({
		code: 0,
		stdout: '0 dropped\n',
	});
	expect(await run('runs', 'retry', '3')).toMatchObject({code: 0});
	await gateway.gateway.idle();
	expect((await states())[2]).toBe('dead');
	for (const args of [[], ['3', '--filter', 'id:3'], ['x']]) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		expect((await run('runs', 'drop', ...args)).code).toBe(2);
	}

	expect(await run('runs', 'drop', '--filter', 'stat:dead')).toMatchObject({
		code: 2,
		stderr: expect.stringContaining('(filter_invalid)'),
	});
});

test('"svc runs deliver": to another target without the model; what may arrive twice is asked about', async () => {
	const requests = model.requests.length;
	expect(await run('runs', 'deliver', '3', '4', '--to', 'log', '--json')).toMatchObject({
		code: 0,
		stdout: expect.stringContaining('"target": "log"'),
	});
	await gateway.gateway.idle();
	expect(await states()).toEqual(['dropped', 'dropped', 'done', 'done', 'done']);

	const twice = await run('runs', 'deliver', '5');
	expect(twice).toMatchObject({code: 1, stdout: ''});
	expect(twice.stderr).toContain('run #5: It has arrived: it arrives a second time.');
	expect(twice.stderr).toContain('(confirmation_needed)');
	expect(await run('runs', 'deliver', '5', '--yes')).toMatchObject({
		code: 0,
		stdout: 'The answer of run #5 goes to log\n',
	});
	await gateway.gateway.idle();
	expect(gateway.log.filter(line => line.includes('Answer of route "note"'))).toHaveLength(2);
	expect(await run('runs', 'deliver', '2', '--to', 'telegarm')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('did you mean "telegram"? (target_unusable)'),
	});
	expect(model.requests).toHaveLength(requests);
});
