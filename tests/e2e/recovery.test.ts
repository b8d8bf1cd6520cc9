// @module-tag slow
import {randomUUID} from 'node:crypto';
import {cp, rename, rm} from 'node:fs/promises';
import {Agent, request} from 'node:http';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {command} from '../cli/command.ts';
import {gatewayHome} from '../helpers/gateway.ts';
import {hookSecret, hubSignature, post} from '../helpers/post.ts';
import {startScriptedModel, type ScriptedModel} from '../helpers/scripted-model.ts';
import {startSvc} from '../helpers/svc.ts';

const homeFor = async (model: ScriptedModel) =>
	gatewayHome({
		config: {
			model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
			platforms: {
				webhook: {
					enabled: true,
					host: '127.0.0.1',
					port: 0,
					secret: hookSecret,
					rate_limit: 100_000,
				},
			},
		},
		subscriptions: {hook: {prompt: 'Event {n}'}},
	});

const start = async (home: {readonly path: string}, main?: string) => {
	const gateway = startSvc(['gateway', 'run'], {home: home.path, ...(main && {main})});
	const [, url = ''] = await gateway.waitFor(/Listening on (\S+)/);
	return {
		gateway,
		url: `${url}/webhooks/hook`,
		[Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
	};
};

const runsOf = async (home: {
	readonly path: string;
}): Promise<
	ReadonlyArray<{readonly id: number; readonly state: string; readonly delivery: string}>
> =>
	JSON.parse(
		(await command(['runs', 'list', '--limit', '1000', '--json'], {home: home.path})).stdout,
	);

/** How often the model was asked about each event and answered. */
const countByPrompt = (prompts: readonly string[]) => {
	const counts = new Map<string, number>();
	for (const prompt of prompts) {
		counts.set(prompt, (counts.get(prompt) ?? 0) + 1);
	}

	return counts;
};

const numbers = Array.from({length: 20}, (_, index) => index);

test('"whatever was answered 202 survives kill -9": 20 events run exactly once after the restart, none is lost, none comes twice', async () => {
	let isReady = false;
	const answered: string[] = [];
	await using model = await startScriptedModel([], {
		otherwise: ({body}) => {
			if (!isReady) {
				return {hang: true};
			}

			answered.push(body.messages.at(-1).content);
			return {text: 'Done'};
		},
	});
	await using home = await homeFor(model);
	{
		await using first = await start(home);
		const answers = await Promise.all(
			numbers.map(async n =>
				post(first.url, {payload: {n}, headers: {'x-github-delivery': `event-${n}`}}),
			),
		);
		expect(answers.map(({json}) => json.status)).toEqual(numbers.map(() => 'accepted'));
		first.gateway.kill('SIGKILL');
		await first.gateway.finished;
	}

	isReady = true;
	await using second = await start(home);
	await second.gateway.waitFor(/(?:Answer of route "hook"[^]*){20}/);
	expect(countByPrompt(answered)).toEqual(new Map(numbers.map(n => [`Event ${n}`, 1])));
	await expect
		.poll(async () => (await runsOf(home)).map(({state}) => state), {timeout: 20_000})
		.toEqual(numbers.map(() => 'done'));
	expect(new Set((await runsOf(home)).map(({delivery}) => delivery)).size).toBe(20);

	for (const n of numbers) {
		const again = await post(second.url, {
			payload: {n},
			headers: {'x-github-delivery': `event-${n}`},
		});
		expect([again.status, again.json]).toEqual([
			200,
			{status: 'duplicate', delivery_id: `event-${n}`},
		]);
	}

	expect(answered).toHaveLength(20);
});

test('SIGTERM under load: exit 0, and everything that was accepted runs, now or after the next start', async () => {
	const answered: string[] = [];
	await using model = await startScriptedModel([], {
		otherwise: ({body}) => {
			answered.push(body.messages.at(-1).content);
			return {text: 'Done'};
		},
	});
	await using home = await homeFor(model);
	const accepted: number[] = [];
	const refused: number[] = [];
	{
		await using first = await start(home);
		// Clients that keep their connections, as code hosts do.
		const agent = new Agent({keepAlive: true, maxSockets: 4});
		let isStopping = false;
		const client = async (number: number) => {
			for (let count = 0; !refused.includes(number) && count < 10_000; count++) {
				const n = number * 100_000 + count;
				const status = await send(agent, {url: first.url, n});
				if (status === 202) {
					accepted.push(n);
				} else {
					refused.push(number);
				}

				if (accepted.length > 40 && !isStopping) {
					isStopping = true;
					first.gateway.kill('SIGTERM');
				}
			}
		};
		await Promise.all([1, 2, 3, 4].map(async number => client(number)));
		agent.destroy();
		const {code, stderr} = await first.gateway.finished;
		expect(code).toBe(0);
		expect(stderr).not.toMatch(/ error /);
	}

	const left = (await runsOf(home)).filter(({state}) => state !== 'done').length;
	await using second = await start(home);
	if (left > 0) {
		await second.gateway.waitFor(new RegExp(`(?:Answer of route "hook"[^]*){${left}}`));
	}

	await expect
		.poll(async () => (await runsOf(home)).filter(({state}) => state !== 'done'), {timeout: 20_000})
		.toEqual([]);
	const wanted = accepted.map(n => `Event ${n}`);
	expect(wanted.filter(prompt => !answered.includes(prompt))).toEqual([]);
	expect(await runsOf(home)).toHaveLength(new Set(answered).size);
});

/** The status; 0 when the connection was cut or refused. */
async function send(agent: Agent, {url, n}: {readonly url: string; readonly n: number}) {
	const body = JSON.stringify({n});
	return new Promise<number>(resolve => {
		const outgoing = request(
			url,
			{
				agent,
				method: 'POST',
				headers: {
					'content-type': 'application/json',
					'content-length': body.length,
					'x-github-event': 'push',
					'x-github-delivery': randomUUID(),
					'x-hub-signature-256': hubSignature(body),
				},
			},
			response => {
				response.resume().on('end', () => {
					resolve(response.statusCode ?? 0);
				});
				response.on('error', () => {
					resolve(0);
				});
			},
		);
		outgoing.on('error', () => {
			resolve(0);
		});
		outgoing.end(body);
	});
}

test('a run that hangs does not keep a gateway from ending; it runs again at the next start', async () => {
	await using model = await startScriptedModel([{hang: true}, {text: 'Done'}]);
	await using home = await homeFor(model);
	{
		await using first = await start(home);
		await post(first.url, {payload: {n: 1}});
		await model.request(0);
		first.gateway.kill('SIGTERM');
		expect((await first.gateway.finished).code).toBe(0);
		expect((await runsOf(home)).map(({state}) => state)).toEqual(['running']);
	}

	await using second = await start(home);
	await second.gateway.waitFor(/Answer of route "hook": Done/);
	expect(model.requests).toHaveLength(2);
});

test('a second signal ends the drain at once, with 130', async () => {
	await using model = await startScriptedModel([{hang: true}]);
	await using home = await homeFor(model);
	await using first = await start(home);
	await post(first.url, {payload: {n: 1}});
	await model.request(0);
	first.gateway.kill('SIGTERM');
	await first.gateway.waitFor(/The gateway is stopping active_runs=1/);
	first.gateway.kill('SIGINT');
	expect((await first.gateway.finished).code).toBe(130);
	expect((await runsOf(home)).map(({id, state}) => [id, state])).toEqual([[1, 'running']]);
});

/** A build that may be replaced. */
async function copyOfBuild() {
	// Of one name, so that Node finds what it has compiled of it.
	const folder = 'node_modules/.cache/replaced-build';
	const [build, gone] = [join(folder, 'build'), join(folder, 'gone')];
	await rm(folder, {recursive: true, force: true});
	await cp('build', build, {recursive: true});
	return {
		build,
		gone,
		main: join(build, 'main.js'),
		[Symbol.asyncDispose]: async () => rm(folder, {recursive: true, force: true}),
	};
}

test('a program that is replaced before anybody asked it for anything says so, and can be stopped', async () => {
	await using model = await startScriptedModel([], {otherwise: {text: 'Done'}});
	await using home = await homeFor(model);
	await using copy = await copyOfBuild();
	await using running = await start(home, copy.main);
	await post(running.url, {payload: {n: 1}});
	await running.gateway.waitFor(/Answer of route "hook"/);
	await rename(copy.build, copy.gone);
	const listed = await command(['runs', 'list'], {home: home.path});
	expect(listed.code).not.toBe(0);
	expect(listed.stderr).toContain('the program was replaced while it ran');
	expect(await command(['gateway', 'stop'], {home: home.path})).toMatchObject({
		code: 0,
		stdout: 'The gateway has stopped\n',
	});
	expect((await running.gateway.finished).code).toBe(0);
});

test('a program that is replaced while it runs holds its runs, and loses none: they are done after the next start', async () => {
	const answered: string[] = [];
	await using model = await startScriptedModel([], {
		otherwise({body}) {
			answered.push(body.messages.at(-1).content);
			return {text: 'Done'};
		},
	});
	await using home = await homeFor(model);
	await using copy = await copyOfBuild();
	const {build, gone, main} = copy;
	{
		await using running = await start(home, main);
		// It listens before all of it is loaded.
		await expect
			.poll(async () => (await command(['gateway', 'status'], {home: home.path})).code)
			.toBe(0);
		await rename(build, gone);
		expect((await post(running.url, {payload: {n: 1}})).status).toBe(202);
		await running.gateway.waitFor(/The program was replaced while it ran/);
		expect((await post(running.url, {payload: {n: 2}})).status).toBe(202);
	}

	expect((await runsOf(home)).map(({state}) => state)).toEqual(['queued', 'queued']);
	await rename(gone, build);
	await using again = await start(home, main);
	// The one that was tried would wait for its time.
	await command(['runs', 'retry', '1'], {home: home.path});
	await again.gateway.waitFor(/(?:Answer of route "hook"[^]*){2}/);
	expect(answered.toSorted()).toEqual(['Event 1', 'Event 2']);
});
