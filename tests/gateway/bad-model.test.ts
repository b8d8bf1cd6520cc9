import {once} from 'node:events';
import {createServer} from 'node:net';
import type {AddressInfo} from 'node:net';
import {expect, test} from 'vitest';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {startTestGateway} from '../helpers/gateway.ts';
import {startScriptedModel, type ScriptedAnswer} from '../helpers/scripted-model.ts';
import {startMs} from '../store/samples.ts';

const subscriptions = {hook: {prompt: 'Say hello to {name}'}};

/** A gateway on a clock that stands still, with a model that says `answers`. */
async function open(answers: readonly ScriptedAnswer[]) {
	const stack = new AsyncDisposableStack();
	const model = stack.use(await startScriptedModel(answers));
	const clock = createFakeClock(startMs);
	const gateway = stack.use(
		await startTestGateway({
			config: {
				model: {
					provider: 'openai-compatible',
					name: 'scripted-1',
					base_url: model.baseUrl,
					api_key: 'sk-live-1234567890abcdef',
				},
				runs: {timeout_seconds: 60},
			},
			subscriptions,
			clock,
		}),
	);
	return {model, clock, gateway, [Symbol.asyncDispose]: () => stack.disposeAsync()};
}

test.for([
	['garbage', {garbage: '<html>Welcome to the captive portal</html>'}],
	['JSON of another shape', {garbage: '{"choices": "none"}'}],
	['an empty object', {garbage: '{}'}],
	['the beginning of an answer, then the line is cut', {cut: '{"id": "chatcmpl-1", "choi'}],
] as const)(
	'a model that answers %s is asked again later, then the run has failed',
	async ([, bad]) => {
		await using setup = await open([bad, bad, bad]);
		const {gateway, clock, model} = setup;
		await gateway.send('hook', {name: 'Alex'});
		await gateway.gateway.idle();
		const waiting = await gateway.port.getRun(1);
		expect(waiting).toMatchObject({state: 'queued', attempt: 1, nextAttemptAt: startMs + 120_000});
		clock.advance(120_000);
		await gateway.gateway.idle();
		clock.advance(480_000);
		await gateway.gateway.idle();
		const run = await gateway.port.getRun(1);
		expect(run).toMatchObject({state: 'failed', attempt: 3});
		expect(run?.error).toMatch(/^Cannot (?:read the answer of|reach) model "scripted-1"/);
		expect(model.requests).toHaveLength(3);
		expect(gateway.log.join('\n')).toMatch(
			/warn +agent +The run failed and is tried again in 120 s/,
		);
		expect(gateway.log.join('\n')).toMatch(/error +agent +The run failed/);
		expect((await gateway.send('hook', {name: 'Sam'})).status).toBe(202);
	},
);

test('a model that is well again answers the run that waited for it, and while it was not the state said so', async () => {
	await using setup = await open([{cut: '{'}, {text: 'Hello Alex'}]);
	const {gateway, clock} = setup;
	const silence = () => gateway.port.getState().modelSilence;
	await gateway.send('hook', {name: 'Alex'});
	await gateway.gateway.idle();
	expect(silence()).toEqual({
		since: startMs,
		reason: expect.stringMatching(/^Cannot reach model "scripted-1"/),
	});
	expect(gateway.log.join('\n')).toMatch(/error +agent +Runs fail until the model answers: Cannot/);
	clock.advance(120_000);
	await gateway.gateway.idle();
	expect(await gateway.port.getRun(1)).toMatchObject({
		state: 'done',
		attempt: 2,
		fullAnswer: 'Hello Alex',
	});
	expect(silence()).toBeUndefined();
	expect(gateway.log.join('\n')).toMatch(/note +agent +The model answers again/);
});

test('a failure that may be about the request alone does not make the model silent, three in a row do', async () => {
	const broken = {status: 500, message: 'out of memory'};
	await using setup = await open([broken, broken, {text: 'Hello'}, broken, broken, broken]);
	const {gateway} = setup;
	const silent: boolean[] = [];
	for (const name of ['1', '2', '3', '4', '5', '6']) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await gateway.send('hook', {name});
		// oxlint-disable-next-line no-await-in-loop
		await gateway.gateway.idle();
		silent.push(gateway.port.getState().modelSilence !== undefined);
	}

	expect(silent).toEqual([false, false, false, false, false, true]);
});

test("a model that hangs is left when the run's time is over, and is not asked again", async () => {
	await using setup = await open([{hang: true}]);
	const {gateway, clock, model} = setup;
	await gateway.send('hook', {name: 'Alex'});
	const {closed} = await model.request(0);
	clock.advance(59_999);
	expect((await gateway.port.getRun(1))?.state).toBe('running');
	clock.advance(1);
	expect(await closed).toBe(true);
	await gateway.gateway.idle();
	expect(await gateway.port.getRun(1)).toMatchObject({
		state: 'failed',
		attempt: 1,
		error: expect.stringContaining('60'),
	});
});

test('a run that is cancelled while the model hangs lets go of it at once', async () => {
	await using setup = await open([{hang: true}]);
	const {gateway, model} = setup;
	await gateway.send('hook', {name: 'Alex'});
	const {closed} = await model.request(0);
	expect(await gateway.port.cancelRun(1)).toBe(true);
	expect(await closed).toBe(true);
	await gateway.gateway.idle();
	expect((await gateway.port.getRun(1))?.state).toBe('cancelled');
	await gateway.until(({runs: [run]}) => run?.state === 'cancelled');
	expect(await gateway.port.cancelRun(1)).toBe(false);
	expect(await gateway.port.retryRun(1)).toBe(true);
});

test('a key that the model refuses is not tried again, and is never shown', async () => {
	await using setup = await open([
		{status: 401, message: 'Incorrect API key provided: sk-live-1234567890abcdef'},
	]);
	const {gateway} = setup;
	await gateway.send('hook', {name: 'Alex'});
	await gateway.gateway.idle();
	const run = await gateway.port.getRun(1);
	expect(run).toMatchObject({state: 'failed', attempt: 1});
	expect(run?.error).toContain('check model.api_key');
	const everything = [
		JSON.stringify(run),
		JSON.stringify(gateway.port.getState()),
		JSON.stringify(gateway.events),
		gateway.log.join('\n'),
	].join('\n');
	expect(everything).not.toContain('sk-live');
});

test("strangers' text in an answer is text: it reaches neither terminal nor log as control codes", async () => {
	const nasty =
		'Hello\u001B]0;pwned\u0007\u001B[2J\u202Eevil\r\n2026-01-01T00:00:00.000Z error forged line';
	await using setup = await open([{text: nasty}]);
	const {gateway} = setup;
	await gateway.send('hook', {name: 'Alex'});
	await gateway.gateway.idle();
	await gateway.until(({runs: [run]}) => run?.state === 'done');
	const shown = JSON.stringify([gateway.port.getState(), gateway.events]);
	// oxlint-disable-next-line no-control-regex -- they are what must not be there
	expect(shown).not.toMatch(/\\u001b|\\u0007|\u202E/);
	// oxlint-disable-next-line no-control-regex -- as above
	expect(gateway.log.join('\n')).not.toMatch(/\u001B|\u202E/);
	expect(gateway.log.filter(line => line.startsWith('2026-01-01'))).toEqual([]);
	expect((await gateway.port.getRun(1))?.fullAnswer).toBe(nasty);
});

test('a server that is not there: a run waits for it instead of failing at once', async () => {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const {port} = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	const clock = createFakeClock(startMs);
	await using gateway = await startTestGateway({
		config: {
			model: {provider: 'openai-compatible', name: 'm', base_url: `http://127.0.0.1:${port}/v1`},
		},
		subscriptions,
		clock,
	});
	await gateway.send('hook', {name: 'Alex'});
	await gateway.gateway.idle();
	expect(await gateway.port.getRun(1)).toMatchObject({state: 'queued', attempt: 1});
	const [run] = (await gateway.until(({runs}) => runs.length > 0)).runs;
	expect(run?.error).toContain('is it running');
});
