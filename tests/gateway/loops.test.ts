import {expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {installForgeClient} from '../helpers/forge-client.ts';
import {gatewayHome, startTestGateway, type TestGateway} from '../helpers/gateway.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';

const answering = {
	events: ['issue_comment'],
	prompt: 'Answer: {comment.body}',
	deliver: 'forge_comment',
	deliver_extra: {repo: '{repository.full_name}', pr_number: '{issue.number}'},
	rate_limit: 1_000_000,
};

/** What a code host says of a new comment on `acme/api#7`. */
const commented = (body: string) => ({
	action: 'created',
	repository: {full_name: 'acme/api'},
	issue: {number: 7, body: 'Help'},
	comment: {body},
});

const asComment = {'x-github-event': 'issue_comment'};

test('a route that is fed with its own comment two hundred times runs once', async () => {
	await using forge = await installForgeClient();
	await using model = await startScriptedModel(
		Array.from({length: 9}, () => ({text: 'I can help.'})),
	);
	await using gateway = await startTestGateway({
		config: {
			model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
		},
		subscriptions: {answering},
		environment: {PATH: forge.path},
	});
	const first = await gateway.send('answering', commented('Help me, please'), asComment);
	expect(first.json['status']).toBe('accepted');
	expect((await gateway.ended(1)).state).toBe('done');
	const [call] = await forge.calls();
	expect(call?.text).toBe('I can help.');
	expect(call?.body).not.toBe(call?.text);

	for (let count = 0; count < 200; count += 1) {
		// oxlint-disable-next-line no-await-in-loop -- as a code host sends them
		const answer = await gateway.send('answering', commented(call?.body ?? ''), asComment);
		expect(answer.json).toEqual({status: 'ignored', reason: 'own', route: 'answering'});
	}

	await gateway.gateway.idle();
	expect(await gateway.port.listRuns({limit: 10})).toHaveLength(1);
	expect(await forge.calls()).toHaveLength(1);
	expect(model.requests).toHaveLength(1);
});

/** A gateway whose answers lose their mark on the way; what it posts comes back as an event, as a code host does it. */
async function openLoop(route: JsonObject = {}) {
	const stack = new AsyncDisposableStack();
	const forge = stack.use(await installForgeClient());
	const model = stack.use(await startScriptedModel([], {otherwise: () => ({text: 'I can help.'})}));
	const home = stack.use(
		await gatewayHome({
			config: {
				model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
				runs: {concurrency: 1},
			},
			subscriptions: {answering: {...answering, ...route}},
		}),
	);
	const open = async () => startTestGateway({home, environment: {PATH: forge.path}});
	return {forge, open, [Symbol.asyncDispose]: async () => stack.disposeAsync()};
}

const answerTo = async (
	gateway: TestGateway,
	{comment = 'I can help.', number = 7}: {comment?: string; number?: number} = {},
) => {
	const event = commented(comment);
	const {json} = await gateway.send('answering', {...event, issue: {number}}, asComment);
	expect(json['status']).toBe('accepted');
	await gateway.gateway.idle();
};

test('a route whose comments come back without their mark is stopped: what comes in waits for a person, nothing is lost', async () => {
	await using loop = await openLoop({loop_limit: 5});
	await using gateway = await loop.open();
	for (let count = 0; count < 12; count += 1) {
		// oxlint-disable-next-line no-await-in-loop -- each answer is the next event
		await answerTo(gateway);
	}

	expect(await loop.forge.calls()).toHaveLength(5);
	const runs = await gateway.port.listRuns({limit: 100});
	expect(runs.map(({state}) => state)).toEqual([
		...Array.from({length: 7}, () => 'interrupted'),
		...Array.from({length: 5}, () => 'done'),
	]);
	expect(runs[0]).toMatchObject({
		attempt: 1,
		error:
			'Held: this route has answered acme/api#7 5 times within 600 s, which may be a loop; a retry, a drop or a replay lets it go on',
	});
	expect(gateway.log.filter(line => line.includes('has answered acme/api#7 5 times'))).toHaveLength(
		1,
	);

	// Another subject is not concerned.
	await answerTo(gateway, {number: 8});
	expect(await loop.forge.calls()).toHaveLength(6);
});

test('a person lets the route go on: by a retry, whose run answers, or by a drop', async () => {
	await using loop = await openLoop({loop_limit: 2});
	await using gateway = await loop.open();
	for (let count = 0; count < 4; count += 1) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await answerTo(gateway);
	}

	expect(await loop.forge.calls()).toHaveLength(2);
	expect(await gateway.port.retryRun(3)).toBe(true);
	await gateway.gateway.idle();
	expect((await gateway.port.getRun(3))?.state).toBe('done');
	// It counts from zero: this is the second answer, the next is held.
	await answerTo(gateway);
	await answerTo(gateway);
	expect(await loop.forge.calls()).toHaveLength(4);
	expect((await gateway.port.getRun(6))?.state).toBe('interrupted');

	expect(await gateway.port.cancelRun(6)).toBe(false);
	expect(await gateway.port.dropRun(6)).toBe(true);
	expect((await gateway.port.getRun(6))?.state).toBe('dropped');
	await answerTo(gateway);
	expect(await loop.forge.calls()).toHaveLength(5);
	expect((await gateway.port.getRun(4))?.state).toBe('interrupted');
});

test('a restart does not let it go on', async () => {
	await using loop = await openLoop({loop_limit: 1});
	{
		await using gateway = await loop.open();
		await answerTo(gateway);
		await answerTo(gateway);
	}

	await using again = await loop.open();
	await answerTo(again);
	expect(await loop.forge.calls()).toHaveLength(1);
	expect((await again.port.getRun(3))?.state).toBe('interrupted');
	await again.port.dropRun(3);
	await answerTo(again);
	expect(await loop.forge.calls()).toHaveLength(2);
});

test('`loop_limit: 0` is no limit, and answers that nobody reads are none', async () => {
	await using loop = await openLoop({loop_limit: 0});
	await using quiet = await openLoop({loop_limit: 1, deliver: 'log'});
	for (const {open} of [loop, quiet]) {
		// oxlint-disable-next-line no-await-in-loop -- one gateway at a time
		await using gateway = await open();
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await answerTo(gateway);
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await answerTo(gateway);
		// oxlint-disable-next-line no-await-in-loop -- one gateway at a time
		const runs = await gateway.port.listRuns({limit: 9});
		expect(runs.map(({state}) => state)).toEqual(['done', 'done']);
	}
});

test('a group of events has one answer, and a group is held like an event', async () => {
	await using loop = await openLoop({
		loop_limit: 2,
		coalesce: {key: 'issue.number', window_seconds: 3600},
	});
	await using gateway = await loop.open();
	for (let group = 1; group <= 3; group += 1) {
		for (const comment of ['one', 'two', 'three']) {
			// oxlint-disable-next-line no-await-in-loop -- in order
			const {json} = await gateway.send('answering', commented(comment), asComment);
			expect(json['status']).toBe('coalesced');
		}

		// oxlint-disable-next-line no-await-in-loop -- one group after the other
		await gateway.port.dispatchGroup(group);
		// oxlint-disable-next-line no-await-in-loop -- as above
		await gateway.gateway.idle();
	}

	const runs = await gateway.port.listRuns({limit: 9});
	expect(runs.map(({state}) => state)).toEqual(['interrupted', 'done', 'done']);
	expect(await loop.forge.calls()).toHaveLength(2);
});

test('what `deliver_only` sends is held, too, until a person replays one', async () => {
	await using loop = await openLoop({loop_limit: 2, deliver_only: true});
	await using gateway = await loop.open();
	const statuses: number[] = [];
	for (let count = 0; count < 4; count += 1) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const {status} = await gateway.send('answering', commented(`${count}`), asComment);
		statuses.push(status);
	}

	expect(statuses).toEqual([200, 200, 502, 502]);
	expect(await loop.forge.calls()).toHaveLength(2);
	const [held] = await gateway.port.listDeliveries({outcomes: ['delivery'], limit: 1});
	expect(held?.trace.at(-1)?.detail).toContain('delivery_held: Cannot deliver: Held: this route');
	expect((await gateway.port.replay(held?.id ?? '')).status).toBe(200);
	expect(await loop.forge.calls()).toHaveLength(3);
	expect((await gateway.send('answering', commented('5'), asComment)).status).toBe(200);
	expect((await gateway.send('answering', commented('6'), asComment)).status).toBe(502);
});

test('one pull request is one subject, however its event writes the repository and the number', async () => {
	await using loop = await openLoop({loop_limit: 3, deliver_only: true});
	await using gateway = await loop.open();
	const statuses: number[] = [];
	for (const [repository, number] of [
		['acme/api', 7],
		['ACME/Api', 7],
		['acme/api ', '7'],
		['acme/api', ' 07'],
		['Acme/API', 7],
		['acme/api', 8],
	]) {
		const event = {...commented('Hi'), repository: {full_name: repository}, issue: {number}};
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const {status} = await gateway.send('answering', event, asComment);
		statuses.push(status);
	}

	expect(statuses).toEqual([200, 200, 200, 502, 502, 200]);
});
