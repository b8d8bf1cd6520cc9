import {expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {installForgeClient} from '../helpers/forge-client.ts';
import {gatewayHome, startTestGateway, type TestGateway} from '../helpers/gateway.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';

const review: JsonObject = {
	prompt: 'Review {repository.full_name}#{number} at {after}',
	deliver: 'forge_comment',
	deliver_extra: {repo: '{repository.full_name}', pr_number: '{number}', sticky: true},
	rate_limit: 1_000_000,
	loop_limit: 0,
};

/** A gateway that can be started again, whose model says at which commit it was asked. */
async function openReview({route = {}, runs = {}}: {route?: JsonObject; runs?: JsonObject} = {}) {
	const stack = new AsyncDisposableStack();
	const forge = stack.use(await installForgeClient());
	const model = stack.use(
		await startScriptedModel([], {
			otherwise: ({body}) => ({
				text: `Reviewed ${String(body.messages.at(-1).content).split(' at ')[1]}`,
			}),
		}),
	);
	const home = stack.use(
		await gatewayHome({
			config: {
				model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
				runs,
			},
			subscriptions: {review: {...review, ...route}},
		}),
	);
	return {
		forge,
		open: async () => startTestGateway({home, environment: {PATH: forge.path}}),
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

const push = async (gateway: TestGateway, after: string, more: JsonObject = {}) => {
	const event = {repository: {full_name: 'acme/api'}, number: 7, after, ...more};
	return gateway.send('review', event);
};

test('a dozen pushes, one comment: each answer replaces the one before, also after a restart', async () => {
	await using world = await openReview({runs: {concurrency: 1}});
	for (const half of [0, 6]) {
		// oxlint-disable-next-line no-await-in-loop -- one gateway after the other
		await using gateway = await world.open();
		for (let index = half; index < half + 6; index += 1) {
			// oxlint-disable-next-line no-await-in-loop -- in order
			await push(gateway, `commit-${index}`);
		}

		// oxlint-disable-next-line no-await-in-loop -- one gateway after the other
		await gateway.gateway.idle();
		// oxlint-disable-next-line no-await-in-loop -- one gateway after the other
		expect(await world.forge.comments()).toEqual([
			{id: 1000, place: 'acme/api#7', text: `Reviewed commit-${half + 5}`},
		]);
	}

	const calls = await world.forge.calls();
	expect(calls).toHaveLength(12);
	expect(calls.slice(0, 2).map(({args}) => args)).toEqual([
		['api', '--method', 'POST', 'repos/acme/api/issues/7/comments', '-F', 'body=@-'],
		['api', '--method', 'PATCH', 'repos/acme/api/issues/comments/1000', '-F', 'body=@-'],
	]);
	expect(calls.every(({body}) => /\n\n<!-- svc:\S+ -->$/.test(body))).toBe(true);
});

test('runs that end at once make one comment, and the later run wins', async () => {
	await using world = await openReview({runs: {concurrency: 8}});
	await using gateway = await world.open();
	await Promise.all(Array.from({length: 8}, async (_, index) => push(gateway, `c${index}`)));
	await gateway.gateway.idle();
	const last = await gateway.port.getRun(8);
	expect(last?.state).toBe('done');
	expect(await world.forge.comments()).toEqual([
		{id: 1000, place: 'acme/api#7', text: last?.answer},
	]);
});

test('the answer of an earlier run that comes late changes nothing', async () => {
	await using world = await openReview();
	await using gateway = await world.open();
	await world.forge.fail('HTTP 401: Bad credentials');
	await push(gateway, 'old');
	expect((await gateway.ended(1)).state).toBe('dead');
	await world.forge.fail(undefined);
	await push(gateway, 'new');
	expect((await gateway.ended(2)).state).toBe('done');
	await gateway.port.retryRun(1);
	await gateway.gateway.idle();
	const late = await gateway.port.getRun(1);
	expect(late?.state).toBe('done');
	expect(late?.transcript.at(-1)?.text).toBe(
		'comment on acme/api#7: the answer of run 2, which is later, stays',
	);
	expect((await world.forge.comments()).map(({text}) => text)).toEqual(['Reviewed new']);
});

test('a comment that somebody deleted is made anew', async () => {
	await using world = await openReview();
	await using gateway = await world.open();
	await push(gateway, 'one');
	await gateway.gateway.idle();
	await world.forge.remove(1000);
	await push(gateway, 'two');
	await push(gateway, 'three');
	await gateway.gateway.idle();
	expect(await world.forge.comments()).toEqual([
		{id: 1000, place: 'acme/api#7', text: 'Reviewed three'},
	]);
	expect((await world.forge.calls()).map(({args}) => args[2])).toEqual([
		'POST',
		'PATCH',
		'POST',
		'PATCH',
	]);
});

test('each pull request has its own, and each key of a route that gathers events', async () => {
	await using world = await openReview({
		route: {coalesce: {key: '{number}:{job}', window_seconds: 0.001}},
	});
	await using gateway = await world.open();
	for (const more of [{job: 'lint'}, {job: 'test'}, {job: 'lint'}, {job: 'lint', number: 8}]) {
		// oxlint-disable-next-line no-await-in-loop -- one group after the other
		await push(gateway, 'one', more);
		// oxlint-disable-next-line no-await-in-loop -- one group after the other
		await gateway.until(({groups}) => groups.every(({state}) => state === 'dispatched'));
		// oxlint-disable-next-line no-await-in-loop -- one group after the other
		await gateway.gateway.idle();
	}

	expect((await world.forge.comments()).map(({place}) => place)).toEqual([
		'acme/api#7',
		'acme/api#7',
		'acme/api#8',
	]);
});

test('without `sticky` each answer is a comment of its own', async () => {
	await using world = await openReview({
		route: {
			deliver_extra: {repo: '{repository.full_name}', pr_number: '{number}', sticky: 'false'},
		},
	});
	await using gateway = await world.open();
	await push(gateway, 'one');
	await push(gateway, 'two');
	await gateway.gateway.idle();
	expect(await world.forge.comments()).toHaveLength(2);
});

test('what cannot be edited for another reason is tried again, and no second comment is made', async () => {
	await using world = await openReview();
	await using gateway = await world.open();
	await push(gateway, 'one');
	await gateway.gateway.idle();
	await world.forge.fail('HTTP 503: try again later');
	await push(gateway, 'two');
	await gateway.gateway.idle();
	expect(await gateway.port.getRun(2)).toMatchObject({state: 'delivering', deliveryAttempt: 1});
	await world.forge.fail(undefined);
	await gateway.port.retryRun(2);
	await gateway.gateway.idle();
	expect((await world.forge.comments()).map(({text}) => text)).toEqual(['Reviewed two']);
});

test('a comment whose making broke off is found by its mark, also after a restart, and edited', async () => {
	await using world = await openReview();
	{
		await using gateway = await world.open();
		await world.forge.failAfterwards('HTTP 502: Bad Gateway');
		await push(gateway, 'one');
		await gateway.gateway.idle();
		expect(await gateway.port.getRun(1)).toMatchObject({state: 'delivering', deliveryAttempt: 1});
		await world.forge.failAfterwards(undefined);
	}

	await using gateway = await world.open();
	// A look that fails makes no comment either.
	await world.forge.fail('HTTP 503: try again later');
	await push(gateway, 'two');
	await gateway.gateway.idle();
	await world.forge.fail(undefined);
	await gateway.port.retryRun(2);
	await gateway.gateway.idle();
	await push(gateway, 'three');
	await gateway.gateway.idle();
	expect(await world.forge.comments()).toEqual([
		{id: 1000, place: 'acme/api#7', text: 'Reviewed three'},
	]);
	expect((await world.forge.calls()).map(({args}) => args[2])).toEqual([
		'POST',
		'GET',
		'GET',
		'PATCH',
		'PATCH',
	]);
});

test('where no comment came of what broke off, one is made', async () => {
	await using world = await openReview();
	await using gateway = await world.open();
	await world.forge.failAfterwards('HTTP 502: Bad Gateway');
	await push(gateway, 'one');
	await gateway.gateway.idle();
	await world.forge.failAfterwards(undefined);
	await world.forge.remove(1000);
	await push(gateway, 'two');
	await gateway.gateway.idle();
	expect((await world.forge.comments()).map(({text}) => text)).toEqual(['Reviewed two']);
	expect((await world.forge.calls()).map(({args}) => args[2])).toEqual(['POST', 'GET', 'POST']);
});
