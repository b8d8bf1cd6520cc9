import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {dueOf} from '../../source/core/group.ts';
import {makeRoute, startReceiver} from './start-receiver.ts';
import type {TestReceiver} from './start-receiver.ts';

const coalesce = {
	key: '{repository.full_name}#{pull_request.number}',
	windowMs: 30_000,
	maxWaitMs: 300_000,
};

const grouped = makeRoute({coalesce, prompt: '{action}', rateLimit: 1000});

const event = (number: number, action = 'opened') => ({
	action,
	repository: {full_name: 'acme/api'},
	pull_request: {number},
});

const id = (value: string) => ({'X-Forge-Delivery': value, 'X-Forge-Event': 'pull_request'});

const dispatchAll = async ({store}: TestReceiver) => store.groups.dispatch('all', 'person');

test('202: coalesced event: `status` = `coalesced`, `route`, `event`, `delivery_id`', async () => {
	await using receiver = await startReceiver({routes: [grouped]});
	const answer = await receiver.post(event(7), id('d-1'));
	expect([answer.status, answer.json]).toEqual([
		202,
		{status: 'coalesced', route: 'hook', event: 'pull_request', delivery_id: 'd-1'},
	]);
	const [group] = receiver.groups;
	expect(group).toMatchObject({
		profile: 'default',
		route: 'hook',
		key: 'acme/api#7',
		state: 'pending',
		count: 1,
		latest: receiver.last().id,
	});
	expect(receiver.last()).toMatchObject({outcome: 'coalesced', status: 202, group: group?.id});
	expect(receiver.step('dispatch')).toBe(
		`opened group ${group?.id} of key "acme/api#7", due in 30 s`,
	);
	expect(await receiver.storedStep('dispatch')).toBe('joins the group of key "acme/api#7"');
	expect(receiver.woken).toEqual([]);
	expect(await receiver.store.journal.get(receiver.last().id)).toMatchObject({
		outcome: 'coalesced',
		group: group?.id,
	});
});

test('pending, another event, same key: replaces the buffered event; quiet timer restarts; superseded count grows', async () => {
	await using receiver = await startReceiver({routes: [grouped]});
	await receiver.post(event(7, 'opened'), id('d-1'));
	receiver.clock.advance(20_000);
	await receiver.post(event(7, 'labeled'), id('d-2'));
	await receiver.post(event(8, 'opened'), id('d-3'));
	expect(receiver.groups.map(({key, count}) => [key, count])).toEqual([
		['acme/api#7', 1],
		['acme/api#7', 2],
		['acme/api#8', 1],
	]);
	const [first, second] = receiver.groups;
	expect([second?.id, second?.firstAt, second?.capAt]).toEqual([
		first?.id,
		first?.firstAt,
		first?.capAt,
	]);
	expect((second?.quietAt ?? 0) - (first?.quietAt ?? 0)).toBe(20_000);

	const [dispatched] = await dispatchAll(receiver);
	const run = await receiver.store.runs.get(dispatched?.runId ?? 0);
	expect(run?.plan.prompt).toBe(
		'labeled\n\n[1 earlier event for this key was superseded by this one]',
	);
});

test('the cap counts from the first event: the trace says when a group is due', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({coalesce: {...coalesce, maxWaitMs: 45_000}})],
	});
	await receiver.post(event(7));
	receiver.clock.advance(25_000);
	await receiver.post(event(7));
	const [, group] = receiver.groups;
	expect(group && dueOf(group).reason).toBe('cap');
	expect(receiver.step('dispatch')).toBe(
		`joined group ${group?.id} of key "acme/api#7" as event 2, due in 20 s`,
	);
});

test('an event after the window of its group was over opens a new one; the old one is dispatched and reported first', async () => {
	await using receiver = await startReceiver({routes: [grouped]});
	await receiver.post(event(7));
	receiver.clock.advance(30_001);
	await receiver.post(event(7));
	const [first, dispatched, second] = receiver.groups;
	expect(dispatched).toMatchObject({id: first?.id, state: 'dispatched', reason: 'quiet'});
	expect(second).toMatchObject({state: 'pending', count: 1});
	expect(second?.id).not.toBe(first?.id);
	expect(receiver.woken).toEqual([dispatched?.runId]);
});

test.for([
	['a missing field', {repository: {full_name: 'acme/api'}}, '{pull_request.number}'],
	[
		'null',
		{repository: {full_name: 'acme/api'}, pull_request: {number: null}},
		'{pull_request.number}',
	],
	[
		'an empty string',
		{repository: {full_name: ''}, pull_request: {number: 1}},
		'{repository.full_name}',
	],
	['nothing at all', {}, '{repository.full_name} {pull_request.number}'],
] as const)(
	'none, event arrives, key does not resolve: dispatched immediately, not coalesced: %s',
	async ([, payload, missing]) => {
		await using receiver = await startReceiver({routes: [grouped]});
		const answer = await receiver.post(payload, id('d-1'));
		expect([answer.status, answer.json['status']]).toEqual([202, 'accepted']);
		expect(receiver.groups).toEqual([]);
		const [runId] = receiver.woken;
		expect(receiver.step('dispatch')).toBe(`key missing: ${missing}; run ${runId} queued`);
		expect(await receiver.storedStep('dispatch')).toBe(`key missing: ${missing}`);
	},
);

test('`key`: payload field (bare dotted path)', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({coalesce: {...coalesce, key: 'issue.id'}})],
	});
	await receiver.post({issue: {id: 12}});
	await receiver.post({issue: {id: {a: 1}}});
	await receiver.post({issue: {id: [1, 2]}});
	await receiver.post({'issue.id': 3});
	expect(receiver.groups.map(({key}) => key)).toEqual(['12', '{"a":1}', '[1,2]']);
	expect(receiver.step('dispatch')).toMatch(/^key missing: \{issue\.id\}; run \d+ queued$/);
});

test.for([
	['a key that is found', 'k', {k: 'x'.repeat(256)}],
	[
		'places that are missing',
		Array.from({length: 20}, (_, at) => `{${'x'.repeat(60)}${at}}`).join(''),
		{},
	],
] as const)('the decision stays within 300 characters: %s', async ([, key, payload]) => {
	await using receiver = await startReceiver({
		routes: [makeRoute({coalesce: {...coalesce, key}})],
	});
	await receiver.post(payload);
	const [shown = '', kept = ''] = [
		receiver.step('dispatch'),
		await receiver.storedStep('dispatch'),
	];
	expect(shown.length).toBeLessThanOrEqual(300);
	expect(shown).toMatch(/due in 30 s$|run \d+ queued$/);
	expect(kept.length).toBeGreaterThan(100);
	expect(kept.length).toBeLessThanOrEqual(300);
});

test('a key above 256 characters is cut, and two that differ only behind the cut stay two', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({coalesce: {...coalesce, key: 'k'}})],
	});
	await receiver.post({k: `${'x'.repeat(300)}1`});
	await receiver.post({k: `${'x'.repeat(300)}2`});
	await receiver.post({k: 'x'.repeat(256)});
	const keys = receiver.groups.map(({key}) => key);
	expect(keys.map(({length}) => length)).toEqual([256, 256, 256]);
	expect(new Set(keys).size).toBe(3);
	expect(keys[0]).toMatch(/^x{238}…~[0-9a-f]{16}$/);
});

test('a key of hostile characters is shown safely and stays apart from the text that it is shown as', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({coalesce: {...coalesce, key: 'k'}})],
	});
	await receiver.post({k: '\u001b[2J'});
	await receiver.post({k: '␛[2J'});
	expect(receiver.groups.map(({key}) => key)).toEqual([
		expect.stringMatching(/^␛\[2J~[0-9a-f]{16}$/),
		'␛[2J',
	]);
});

test('groups are per route and rendered key', async () => {
	await using receiver = await startReceiver({
		routes: [grouped, {...grouped, name: 'other'}],
	});
	await receiver.post(event(7), id('d-1'));
	await receiver.post(event(7), id('d-1'), '/webhooks/other');
	expect(receiver.groups.map(({route, count}) => [route, count])).toEqual([
		['hook', 1],
		['other', 1],
	]);
});

test('the duplicate rule holds for coalesced events; the id is free again once their run was cancelled', async () => {
	await using receiver = await startReceiver({routes: [grouped]});
	await receiver.post(event(7), id('d-1'));
	const first = receiver.last();
	const again = await receiver.post(event(7), id('d-1'));
	expect([again.status, again.json]).toEqual([200, {status: 'duplicate', delivery_id: 'd-1'}]);
	expect(receiver.step('duplicate')).toBe(`held by delivery ${first.id}`);
	expect(receiver.groups).toHaveLength(1);

	const [dispatched] = await dispatchAll(receiver);
	expect((await receiver.post(event(7), id('d-1'))).json['status']).toBe('duplicate');
	await receiver.store.runs.cancel(dispatched?.runId ?? 0);
	expect((await receiver.post(event(7), id('d-1'))).json['status']).toBe('coalesced');
});

test('queue full: a new group is refused with 503 and its id is not consumed; joining one never is', async () => {
	await using receiver = await startReceiver({routes: [grouped], maxQueued: 1});
	await receiver.post(event(7), id('d-1'));
	const answer = await receiver.post(event(8), id('d-2'));
	expect([answer.status, answer.json]).toEqual([503, {error: 'Too many runs are queued'}]);
	expect(answer.headers['retry-after']).toBe('30');
	expect((await receiver.post(event(7), id('d-2'))).json['status']).toBe('coalesced');
});

test('a journal that cannot be written: 503 with `Retry-After`, nothing is coalesced', async () => {
	await using receiver = await startReceiver({
		routes: [grouped],
		intake: {
			async accept() {
				throw new Error('disk full');
			},
		},
	});
	const answer = await receiver.post(event(7));
	expect([answer.status, answer.json]).toEqual([
		503,
		{error: 'Could not durably accept the delivery'},
	]);
	expect(answer.headers['retry-after']).toBe('10');
	expect(receiver.groups).toEqual([]);
});

test('of 64 requests with one identifier at once exactly one is coalesced', async () => {
	await using receiver = await startReceiver({routes: [grouped]});
	const answers = await Promise.all(
		Array.from({length: 64}, async () => receiver.post(event(7), id('d-1'))),
	);
	expect(answers.filter(({status}) => status === 202)).toHaveLength(1);
	expect(answers.filter(({json}) => json['status'] === 'duplicate')).toHaveLength(63);
	expect(receiver.groups.map(({count}) => count)).toEqual([1]);
});

test('`dedupe_body`: a body that was coalesced counts as handled', async () => {
	await using receiver = await startReceiver({routes: [{...grouped, dedupeBody: true}]});
	await receiver.post(event(7), id('d-1'));
	const answer = await receiver.post(event(7), id('d-2'));
	expect(answer.json).toEqual({status: 'duplicate', delivery_id: 'd-2'});
});

test('a script sees the event first: the key is that of the payload that it leaves', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({coalesce: {...coalesce, key: 'k'}, script: 'k.sh'})],
	});
	await writeFile(join(receiver.scripts, 'k.sh'), `echo '{"k": "from the script"}'`);
	await receiver.post({});
	expect(receiver.groups.map(({key}) => key)).toEqual(['from the script']);
});

test('a replay into a coalescing route joins the group of its key', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({name: 'plain'}), grouped],
	});
	await receiver.post(event(7), id('d-1'), '/webhooks/plain');
	const stored = await receiver.stored();
	await receiver.post(event(7), id('d-2'));
	expect(receiver.receiver.planReplay(stored, {route: 'hook'}).effects).toEqual([
		'coalesces with the group "acme/api#7" into one agent run',
		'writes the answer to the log',
	]);
	const answer = await receiver.receiver.replay(stored, {route: 'hook'});
	expect(JSON.parse(answer.body)).toMatchObject({status: 'coalesced', route: 'hook'});
	expect(receiver.groups.at(-1)).toMatchObject({key: 'acme/api#7', count: 2});
	expect(receiver.last().idSource).toBe('replay');
});

test('what is told of a group that cannot be reported stands: answered 202 and on disk', async () => {
	await using receiver = await startReceiver({routes: [grouped]});
	Object.freeze(receiver.groups);
	expect((await receiver.post(event(7))).status).toBe(202);
	expect(await receiver.store.groups.pending()).toBe(1);
	expect(receiver.log).toEqual([
		expect.stringMatching(/^error Cannot report delivery of route "hook"/),
	]);
});
