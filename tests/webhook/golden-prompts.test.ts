// @module-tag slow
import {createHash} from 'node:crypto';
import {expect, test} from 'vitest';
import {hubSignature} from '../helpers/post.ts';
import {githubExamples} from './github-examples.ts';
import {makeRoute, secret, send, startReceiver} from './start-receiver.ts';
import type {TestReceiver} from './start-receiver.ts';

// `golden-prompts.json` holds digests of what 329 payloads of the code host become. After a change that is meant to alter prompts or keys, look at what
// changed and write it anew: npx vitest run tests/webhook/golden-prompts.test.ts --update

const digestOf = (text = '') => createHash('sha256').update(text).digest('hex').slice(0, 16);

const route = makeRoute({
	events: [...new Set(githubExamples.map(({event}) => event))],
	filters: [
		{field: 'headers.X-GitHub-Event', regex: '^[a-z0-9_]+$'},
		{
			any: [
				{field: 'payload.sender.login', exists: true},
				{field: 'sender', missing: true},
			],
		},
	],
	prompt: [
		'{event_type} {action} by {sender.login} in {repository.full_name}',
		'{pull_request.number} {pull_request.title} {pull_request.draft} {issue.labels}',
		'{repository.owner} {constructor} {labels.0.name}',
		'{__raw__}',
	].join('\n'),
	rateLimit: 1000,
});

const grouped = makeRoute({
	...route,
	name: 'grouped',
	coalesce: {
		key: '{repository.full_name}#{pull_request.number}',
		windowMs: 30_000,
		maxWaitMs: 300_000,
	},
});

/** Sends every payload to `path`, one after the other: their names and what was answered. */
async function sendAll({url}: TestReceiver, path: string) {
	const answers: Array<readonly [name: string, status: number, word: unknown]> = [];
	for (const [index, {event, body}] of githubExamples.entries()) {
		// oxlint-disable-next-line no-await-in-loop -- the order of the runs is that of the payloads
		const {status, json} = await send(url, {
			method: 'POST',
			path,
			body,
			headers: {
				'Content-Type': 'application/json',
				'X-GitHub-Event': event,
				'X-GitHub-Delivery': `golden-${index}`,
				'X-Hub-Signature-256': hubSignature(body, secret),
			},
		});
		answers.push([`${index} ${event}`, status, json['status']]);
	}

	return answers;
}

const promptOf = async ({store}: TestReceiver, runId: number) =>
	(await store.runs.get(runId))?.plan.prompt;

test('all 329 payloads, plain and coalescing: signature, filter, template, 202, and the prompts that they always had', async () => {
	await using receiver = await startReceiver({routes: [route, grouped]});

	const plain = await sendAll(receiver, '/webhooks/hook');
	expect(plain).toHaveLength(329);
	expect(plain.filter(([, status, word]) => status !== 202 || word !== 'accepted')).toEqual([]);
	const prompts = await Promise.all(
		receiver.woken.map(async (runId, index) => [
			plain[index]?.[0],
			digestOf(await promptOf(receiver, runId)),
		]),
	);

	const before = receiver.woken.length;
	const coalescing = await sendAll(receiver, '/webhooks/grouped');
	expect(coalescing.filter(([, status]) => status !== 202)).toEqual([]);
	const alone = coalescing.filter(([, , word]) => word === 'accepted').map(([name]) => name);
	expect(receiver.woken.length - before).toBe(alone.length);
	expect(alone.length + receiver.groups.length).toBe(329);
	const dispatched = await receiver.store.groups.dispatch('all', 'person');
	const groups = await Promise.all(
		dispatched.map(async ({key, count, runId = 0}) => [
			key,
			{events: count, prompt: digestOf(await promptOf(receiver, runId))},
		]),
	);

	await expect(
		`${JSON.stringify({prompts: Object.fromEntries(prompts), groups: Object.fromEntries(groups), alone}, null, '\t')}\n`,
	).toMatchFileSnapshot('golden-prompts.json');
});
