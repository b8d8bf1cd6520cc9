import {expect, test} from 'vitest';
import {installForgeClient} from '../helpers/forge-client.ts';
import {gatewayHome, startTestGateway} from '../helpers/gateway.ts';
import {until} from '../helpers/processes.ts';
import {startScriptedModel, type ScriptedAnswer} from '../helpers/scripted-model.ts';
import {command, commandJson} from './command.ts';

/** A gateway with a scripted model and a code host's client, and commands against its home. */
async function open(answers: readonly ScriptedAnswer[]) {
	const stack = new AsyncDisposableStack();
	const model = stack.use(await startScriptedModel(answers));
	const client = stack.use(await installForgeClient());
	const home = stack.use(
		await gatewayHome({
			config: {
				model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
				runs: {delivery_tries: 1},
			},
			subscriptions: {
				gh: {prompt: 'Say what {name} did'},
				slow: {
					prompt: 'All of {pr}',
					coalesce: {key: 'pr', window_seconds: 600, max_wait_seconds: 900},
				},
				forge: {
					prompt: 'Review',
					deliver: 'forge_comment',
					deliver_extra: {repo: 'acme/api', pr_number: '7'},
				},
			},
		}),
	);
	const gateway = await startTestGateway({home, environment: {PATH: client.path}});
	let runs = true;
	const stop = async () => {
		if (runs) {
			runs = false;
			await gateway[Symbol.asyncDispose]();
		}
	};
	stack.defer(stop);
	const world = {home: home.path, environment: {PATH: client.path}};
	return {
		home,
		client,
		stop,
		/** Resolves once the log has such a line. */
		logs: async (line: RegExp) => until(() => gateway.log.some(one => line.test(one))),
		run: async (...args: readonly string[]) => command(args, world),
		json: async (...args: readonly string[]) => commandJson(args, world),
		send: async (route: string, payload: unknown, headers = {}) =>
			(await gateway.send(route, payload, headers)).json,
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

test('a group is listed while it waits, dispatched by a person, and shown with what its run stands for', async () => {
	await using setup = await open([{text: 'All done'}]);
	const {run, json} = setup;
	for (const step of [1, 2, 3]) {
		expect(await setup.send('slow', {pr: 7, step})).toMatchObject({status: 'coalesced'});
	}

	expect(await json('gateway', 'status')).toMatchObject({groups: 1, jobs: {count: 0}});
	expect((await run('gateway', 'status')).stdout).toMatch(/^groups +1 waiting$/m);
	const [group] = await json('groups', 'list', '--state', 'pending');
	expect(group).toMatchObject({route: 'slow', key: '7', count: 3});
	expect(await json('groups', 'dispatch', String(group.id))).toEqual({group: group.id, run: 1});
	await setup.logs(/Answer of route "slow": All done/);

	expect((await run('groups', 'dispatch', String(group.id))).stderr).toContain(
		'(group_dispatched)',
	);
	expect((await run('groups', 'show', String(group.id))).stdout).toMatch(
		/dispatched .*a person asked for it[^]*events \(3, 2 superseded by the latest\)/,
	);
	expect((await run('runs', 'show', '1')).stdout).toMatch(
		/^group +\d+, 2 earlier events superseded/m,
	);
	expect((await run('runs', 'list')).stdout).toContain('push (+2)');
	const [latest] = await json('deliveries', 'list');
	expect((await run('deliveries', 'show', latest.id)).stdout).toMatch(/^group +\d+ /m);

	await setup.stop();
	expect(await json('groups', 'list')).toMatchObject([{state: 'dispatched', reason: 'person'}]);
});

test('"dead, visible and replayable": dead deliveries are listed with the reason, and replayed to another route', async () => {
	await using setup = await open([{text: 'One'}, {text: 'Two'}]);
	const {run, json} = setup;
	await setup.client.fail('HTTP 403: forbidden');
	await setup.send('forge', {name: 'Alex'});
	await setup.logs(/forbidden/);
	const [dead, ...others] = await json('deliveries', 'list', '--dead');
	expect(dead).toMatchObject({route: 'forge', outcome: 'accepted'});
	expect(others).toEqual([]);
	expect((await run('deliveries', 'list', '--dead')).stdout).toMatch(/#1 dead .*forbidden/);
	expect(await json('deliveries', 'list', '--run-state', 'done')).toEqual([]);
	expect(await json('deliveries', 'list', '--outcome', 'ignored:event')).toEqual([]);

	const replayed = await run('deliveries', 'replay', dead.id, '--to', 'gh');
	expect(replayed).toMatchObject({code: 0, stdout: expect.stringMatching(/^202 /)});
	expect(replayed.stderr).toContain('to "gh": starts an agent run');
	await setup.logs(/Answer of route "gh": Two/);
	const [replay] = await json('deliveries', 'list');
	expect(replay).toMatchObject({route: 'gh', replayOf: dead.id});
	expect((await run('deliveries', 'replay', dead.id, '--to', 'nobody')).stderr).toContain(
		'(route_not_found)',
	);
});

test('what came back from the code host is in the journal with its identifier, and is not taken twice', async () => {
	await using setup = await open([{text: 'One'}]);
	const {run, json} = setup;
	const at = new Date().toISOString();
	await setup.client.serve({
		'repos/acme/api/hooks?per_page=100': {
			body: [{id: 1, config: {url: 'https://h.example/webhooks/gh'}}],
		},
		'repos/acme/api/hooks/1/deliveries?per_page=100': {
			body: [{id: 9, guid: 'guid-9', delivered_at: at, status_code: 0, status: 'x', event: 'push'}],
		},
		'repos/acme/api/hooks/1/deliveries/9': {
			body: {request: {headers: {'X-GitHub-Event': 'push'}, payload: {name: 'Alex'}}},
		},
	});
	const recover = async () => run('webhook', 'recover', 'gh', '--repo', 'acme/api', '--yes');
	expect(await recover()).toMatchObject({
		code: 0,
		stdout: expect.stringMatching(/guid-9 {2}202 accepted\n1 event: 1 accepted\n$/),
	});
	await setup.logs(/Answer of route "gh": One/);
	expect(await json('deliveries', 'list')).toMatchObject([
		{deliveryId: 'guid-9', idSource: 'recovered', event: 'push', outcome: 'accepted'},
	]);
	expect(await recover()).toMatchObject({code: 0, stdout: ''});
	expect(await json('deliveries', 'list')).toHaveLength(1);
	const shown = await run('deliveries', 'show', (await json('deliveries', 'list'))[0].id);
	expect(shown.stdout).toContain('"name": "Alex"');
});

test('the person at the terminal sees why a signature was refused, a line for each reason', async () => {
	await using setup = await open([]);
	const {run, json} = setup;
	await setup.send('gh', {a: 1}, {'x-hub-signature-256': 'sha256=00'});
	const [refused] = await json('deliveries', 'list', '--outcome', 'signature');
	expect(refused).toMatchObject({status: 401, outcome: 'signature'});
	expect((await run('deliveries', 'show', refused.id)).stdout).toMatch(/✗ signature +\S/);
});

test('an import into a gateway that runs is listed, and can be replayed', async () => {
	await using setup = await open([{text: 'One'}, {text: 'Two'}]);
	const {run, json, home} = setup;
	await setup.send('gh', {name: 'Alex'});
	await setup.logs(/Answer of route "gh": One/);
	const {stdout} = await run('deliveries', 'export');
	await home.write('in.jsonl', stdout);
	expect(await json('deliveries', 'import', home.file('in.jsonl'))).toEqual({
		imported: 1,
		leftOut: 0,
	});
	const [imported] = await json('deliveries', 'list');
	expect(imported).toMatchObject({idSource: 'import', route: 'gh'});
	expect(imported).not.toHaveProperty('runId');
	expect((await run('deliveries', 'replay', imported.id)).code).toBe(0);
	await setup.logs(/Answer of route "gh": Two/);
});
