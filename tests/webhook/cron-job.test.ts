import {expect, test} from 'vitest';
import {makeJob, makeRoute, startReceiver} from './start-receiver.ts';

const route = makeRoute({
	cronJob: 'nightly',
	prompt: 'pushed to {ref}',
	deliver: 'email',
	deliverExtra: {chat_id: 'route@example.com'},
	skills: ['of-the-route'],
});

const push = {'X-Forge-Event': 'push', 'X-Forge-Delivery': 'd-1'};

test('202: `cron_job` route: `status` = `accepted`, `route`, `cron_job`, `event`, `delivery_id`', async () => {
	await using receiver = await startReceiver({routes: [route], jobs: {nightly: makeJob()}});
	const answer = await receiver.post({ref: 'main'}, push);
	expect([answer.status, answer.json]).toEqual([
		202,
		{status: 'accepted', route: 'hook', cron_job: 'nightly', event: 'push', delivery_id: 'd-1'},
	]);
	const [runId = 0] = receiver.woken;
	expect(receiver.last()).toMatchObject({outcome: 'accepted', runId});
	expect(receiver.step('dispatch')).toBe(`fires job "Nightly"; run ${runId} queued`);
	expect(await receiver.storedStep('dispatch')).toBe('fires job "Nightly"');
});

test('the rendered `prompt` becomes transient per-run context; the job’s own prompt, skills, model and delivery apply', async () => {
	await using receiver = await startReceiver({routes: [route], jobs: {nightly: makeJob()}});
	await receiver.post({ref: 'main'}, push);
	expect(await receiver.store.runs.get(receiver.woken[0] ?? 0)).toMatchObject({
		job: {id: 'job_abcd1234', name: 'Nightly'},
		route: 'hook',
		delivery: receiver.last().id,
		plan: {
			prompt: 'Look around.\n\nContext from webhook route "hook":\npushed to main',
			target: {kind: 'log', extra: {}},
			skills: ['nightly'],
		},
	});
});

test.for(['there is no job "nightly"', 'job "nightly" is paused'])(
	'a job that is unknown or paused: 503 `Cron job is not available` with `Retry-After`, id not consumed: %s',
	async reason => {
		await using receiver = await startReceiver({routes: [route], jobs: {nightly: reason}});
		const answer = await receiver.post({}, push);
		expect([answer.status, answer.json]).toEqual([503, {error: 'Cron job is not available'}]);
		expect(answer.headers['retry-after']).toBe('30');
		expect(receiver.last()).toMatchObject({outcome: 'job', status: 503});
		expect(receiver.step('dispatch')).toBe(reason);

		await using mended = await startReceiver({
			routes: [route],
			jobs: {nightly: makeJob()},
			intake: receiver.store.intake,
		});
		expect((await mended.post({}, push)).status).toBe(202);
	},
);

test('a job that is full: 503 `Cron job is not available`, id not consumed', async () => {
	await using receiver = await startReceiver({
		routes: [route],
		jobs: {nightly: makeJob({maxQueued: 1})},
	});
	await receiver.post({}, push);
	const next = {...push, 'X-Forge-Delivery': 'd-2'};
	const answer = await receiver.post({}, next);
	expect([answer.status, answer.json]).toEqual([503, {error: 'Cron job is not available'}]);
	expect(answer.headers['retry-after']).toBe('30');
	expect(receiver.step('dispatch')).toBe('1 runs of job "Nightly" wait already');
	await receiver.store.runs.cancel(receiver.woken[0] ?? 0);
	expect((await receiver.post({}, next)).status).toBe(202);
});

test('an event that was accepted stays a duplicate while its job cannot be fired', async () => {
	const jobs: Record<string, ReturnType<typeof makeJob> | string> = {nightly: makeJob()};
	await using receiver = await startReceiver({routes: [route], jobs});
	await receiver.post({}, push);
	jobs['nightly'] = 'job "nightly" is paused';
	const answer = await receiver.post({}, push);
	expect([answer.status, answer.json]).toEqual([200, {status: 'duplicate', delivery_id: 'd-1'}]);
});

test('of 64 requests with one identifier at once exactly one fires the job', async () => {
	await using receiver = await startReceiver({
		routes: [{...route, rateLimit: 100}],
		jobs: {nightly: makeJob()},
	});
	const answers = await Promise.all(Array.from({length: 64}, async () => receiver.post({}, push)));
	expect(answers.filter(({status}) => status === 202)).toHaveLength(1);
	expect(receiver.woken).toHaveLength(1);
});

test('`dedupe_body`: a body that fired a job counts as handled', async () => {
	await using receiver = await startReceiver({
		routes: [{...route, dedupeBody: true}],
		jobs: {nightly: makeJob()},
	});
	await receiver.post({}, push);
	expect((await receiver.post({}, {'X-Forge-Delivery': 'd-2'})).json['status']).toBe('duplicate');
});

test('a replay plan names the job and where its answer goes', async () => {
	const planWith = () => ({
		prompt: '',
		target: {kind: 'forge_comment', extra: {repo: 'acme/api', pr_number: 7}},
		skills: [],
	});
	await using receiver = await startReceiver({
		routes: [makeRoute({name: 'plain'}), route, makeRoute({name: 'lost', cronJob: 'gone'})],
		jobs: {nightly: makeJob({planWith})},
	});
	await receiver.post({}, {}, '/webhooks/plain');
	const stored = await receiver.stored();
	expect(receiver.receiver.planReplay(stored, {route: 'hook'})).toEqual({
		route: 'hook',
		effects: ['fires the job "Nightly"', 'posts a comment to acme/api#7'],
		needsConfirmation: true,
	});
	expect(receiver.receiver.planReplay(stored, {route: 'lost'})).toEqual({
		route: 'lost',
		effects: ['fires no job: there is no job "gone"'],
		needsConfirmation: false,
	});
	expect(receiver.woken).toHaveLength(1);
});
