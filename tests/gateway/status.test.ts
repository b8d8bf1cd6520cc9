import {expect, test} from 'vitest';
import {startTestGateway, testConfig} from '../helpers/gateway.ts';

test('the status says what waits, and nothing is wrong when nothing is', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {hook: {prompt: 'x', coalesce: {key: 'id'}}},
	});
	await gateway.send('hook', {id: 1});
	expect(await gateway.port.status()).toMatchObject({
		groups: 1,
		jobs: {count: 0, next_at: null},
		config_problems: [],
		restart_needed: [],
		model_problem: null,
	});
});

test('a broken file is in the status until it is mended', async () => {
	await using gateway = await startTestGateway();
	await gateway.home.write('config.yaml', 'platforms: [');
	await gateway.port.reload();
	expect((await gateway.port.status()).config_problems).toMatchObject([
		{severity: 'error', file: gateway.paths.config, line: 1},
	]);
	await gateway.home.write('config.yaml', testConfig({runs: {concurency: 3}}));
	await gateway.port.reload();
	expect((await gateway.port.status()).config_problems).toMatchObject([
		{severity: 'warning', key: 'runs.concurency'},
	]);
	await gateway.home.write('config.yaml', testConfig());
	await gateway.port.reload();
	expect((await gateway.port.status()).config_problems).toEqual([]);
});

test('"port and host need a restart and say so": until they are back, or the receiver was off', async () => {
	await using gateway = await startTestGateway();
	const set = async (webhook: object) => {
		const {secret} = {secret: 'correct horse battery staple'};
		await gateway.home.write(
			'config.yaml',
			JSON.stringify({
				model: {provider: 'offline'},
				platforms: {webhook: {enabled: true, host: '127.0.0.1', port: 0, secret, ...webhook}},
			}),
		);
		await gateway.port.reload();
		return (await gateway.port.status()).restart_needed;
	};
	expect(await set({host: 'localhost'})).toEqual(['platforms.webhook.host']);
	// Another change does not make the one before it forgotten.
	expect(await set({host: 'localhost', rate_limit: 7})).toEqual(['platforms.webhook.host']);
	expect(await set({})).toEqual([]);
	expect(await set({host: 'localhost', enabled: false})).toEqual([]);
	expect(await set({host: 'localhost'})).toEqual([]);
	expect(await set({})).toEqual(['platforms.webhook.host']);
});

test('a model that cannot be used is in the status', async () => {
	await using gateway = await startTestGateway({config: {model: {provider: 'openai'}}});
	await gateway.until(({modelProblem}) => modelProblem !== undefined);
	expect(await gateway.port.status()).toMatchObject({
		model: null,
		model_problem: expect.stringContaining('OPENAI_API_KEY'),
	});
});

test('a gateway that has ended still says what stays queued: an interface that ends with it tells a person', async () => {
	const gateway = await startTestGateway({
		subscriptions: {hook: {prompt: 'x', rate_limit: 1, overflow: 'queue'}},
	});
	await gateway.send('hook', {n: 1});
	await gateway.send('hook', {n: 2});
	await gateway[Symbol.asyncDispose]();
	const {runs} = await gateway.port.status();
	expect(runs).toMatchObject({active: 0, queued: 1, queue: {rate_limit: 1, oldest_due_at: null}});
});
