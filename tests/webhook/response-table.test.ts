import {expect, test} from 'vitest';
import {SvcError} from '../../source/core/errors.ts';
import {makeRoute, send, startReceiver} from './start-receiver.ts';

const push = {'X-Forge-Event': 'push'};

test('GET /health: 200, `status` = `ok` and `platform` = `webhook`', async () => {
	await using receiver = await startReceiver();
	const answer = await send(receiver.url, {path: '/health'});
	expect([answer.status, answer.json]).toEqual([200, {status: 'ok', platform: 'webhook'}]);
	expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
});

test('202: agent-mode event accepted, with `status`, `route`, `event`, `delivery_id`', async () => {
	await using receiver = await startReceiver();
	const answer = await receiver.post({a: 1}, {...push, 'X-Forge-Delivery': 'd-1'});
	expect([answer.status, answer.json]).toEqual([
		202,
		{status: 'accepted', route: 'hook', event: 'push', delivery_id: 'd-1'},
	]);
	expect(receiver.woken).toHaveLength(1);
	const [runId = 0] = receiver.woken;
	expect(await receiver.store.runs.get(runId)).toMatchObject({
		state: 'queued',
		route: 'hook',
		event: 'push',
		plan: {prompt: '{\n  "a": 1\n}', target: {kind: 'log', extra: {}}},
	});
	expect(receiver.last()).toMatchObject({outcome: 'accepted', status: 202, runId});
	expect(receiver.last().trace.map(({step, verdict}) => `${step} ${verdict}`)).toEqual([
		'route pass',
		'size pass',
		'signature pass',
		'rate pass',
		'body pass',
		'event pass',
		'prompt pass',
		'duplicate pass',
		'journal pass',
		'dispatch pass',
	]);
});

test('what was answered 202 is in the journal with its body and allowed headers alone', async () => {
	await using receiver = await startReceiver();
	await receiver.post('{"a":1}', {...push, Authorization: 'Bearer x', Cookie: 'y'});
	const stored = await receiver.store.journal.get(receiver.last().id);
	expect(Buffer.from(stored?.body ?? []).toString()).toBe('{"a":1}');
	expect(stored?.headers).toEqual({'content-type': 'application/json', 'x-forge-event': 'push'});
});

test('200: event type not in route `events` (e.g. `ping`): `status` = `ignored`, `event`', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({events: ['push']})]});
	const answer = await receiver.post({}, {'X-Forge-Event': 'ping'});
	expect([answer.status, answer.json]).toEqual([
		200,
		{status: 'ignored', event: 'ping', route: 'hook'},
	]);
	expect(receiver.step('event')).toBe('ping (x-forge-event) is not in events');
});

test('`ping` of the code host is ignored unless listed, also by a route without `events`', async () => {
	await using receiver = await startReceiver();
	expect((await receiver.post({}, {'X-GitHub-Event': 'ping'})).json['status']).toBe('ignored');
	expect((await receiver.post({type: 'ping'})).json['status']).toBe('accepted');
	receiver.setRoutes(makeRoute({events: ['ping']}));
	expect((await receiver.post({}, {'X-GitHub-Event': 'ping'})).json['status']).toBe('accepted');
});

test('200: filter did not match: `status` = `ignored`, `reason` = `filter`; the id is not consumed', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({filters: [{field: 'action', in: ['opened', 'reopened']}]})],
	});
	const id = {'X-Forge-Delivery': 'd-1'};
	const answer = await receiver.post({action: 'closed'}, id);
	expect([answer.status, answer.json]).toEqual([
		200,
		{status: 'ignored', reason: 'filter', route: 'hook'},
	]);
	expect(receiver.step('filter')).toBe('filters[0] action in ["opened", "reopened"]: got "closed"');
	expect((await receiver.post({action: 'opened'}, id)).status).toBe(202);
});

test('200: duplicate delivery ID within 1 hour: `status` = `duplicate`', async () => {
	await using receiver = await startReceiver();
	const id = {'X-Forge-Delivery': 'd-1'};
	await receiver.post({a: 1}, id);
	const first = receiver.last();
	const answer = await receiver.post({a: 2}, id);
	expect([answer.status, answer.json]).toEqual([200, {status: 'duplicate', delivery_id: 'd-1'}]);
	expect(receiver.step('duplicate')).toBe(`held by delivery ${first.id}`);
	expect(receiver.woken).toHaveLength(1);

	receiver.clock.advance(3_600_001);
	expect((await receiver.post({a: 3}, id)).status).toBe(202);
});

test('the key of the duplicate rule holds the route: a fan-out to two routes is accepted twice', async () => {
	await using receiver = await startReceiver({routes: [makeRoute(), makeRoute({name: 'other'})]});
	const id = {'X-Forge-Delivery': 'd-1'};
	expect((await receiver.post({}, id)).status).toBe(202);
	expect((await receiver.post({}, id, '/webhooks/other')).status).toBe(202);
});

test('of 64 requests with one identifier at once exactly one is accepted', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({rateLimit: 100})]});
	const answers = await Promise.all(
		Array.from({length: 64}, async () => receiver.post({}, {'X-Forge-Delivery': 'd-1'})),
	);
	expect(answers.filter(({status}) => status === 202)).toHaveLength(1);
	expect(answers.filter(({json}) => json['status'] === 'duplicate')).toHaveLength(63);
	expect(receiver.woken).toHaveLength(1);
});

test('401: signature invalid or missing, message text `Invalid signature`, never why', async () => {
	await using receiver = await startReceiver();
	const wrong = await receiver.post({}, {'X-Webhook-Signature-V2': 'ab'.repeat(32)});
	expect([wrong.status, wrong.json]).toEqual([401, {error: 'Invalid signature'}]);
	expect(receiver.step('signature')).toBe('v2: does not match the secret');

	const missing = await send(receiver.url, {method: 'POST', path: '/webhooks/hook', body: '{}'});
	expect([missing.status, missing.json]).toEqual([401, {error: 'Invalid signature'}]);
	expect(receiver.step('signature')).toBe('no signature header; no header looks like a signature');
	expect(receiver.last()).toMatchObject({outcome: 'signature', event: '-'});
});

test.for([
	['not JSON', '{"a":', 'Malformed JSON body'],
	['JSON and more', '{} {}', 'Malformed JSON body'],
	['nothing', '', 'Empty body'],
	['white space', '  ', 'Malformed JSON body'],
])('400: malformed JSON body: %s', async ([, body = '', error]) => {
	await using receiver = await startReceiver();
	const answer = await receiver.post(body);
	expect([answer.status, answer.json]).toEqual([400, {error}]);
	expect(receiver.last().outcome).toBe('body');
});

test('JSON body of any shape', async () => {
	await using receiver = await startReceiver();
	for (const body of ['[1]', '"text"', '0', 'null', 'false', '{}']) {
		expect([body, (await receiver.post(body)).status]).toEqual([body, 202]);
	}
});

test('neither depth nor repetition of a payload harms: 400,000 nested lists', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({filters: [{field: '0.0', exists: true}], prompt: '{__raw__}{a}'})],
	});
	const deep = '['.repeat(400_000) + ']'.repeat(400_000);
	expect((await receiver.post(deep)).status).toBe(202);
	expect((await receiver.post('{"a":'.repeat(150_000) + '1' + '}'.repeat(150_000))).json).toEqual({
		status: 'ignored',
		reason: 'filter',
		route: 'hook',
	});
});

test.for([
	'/webhooks/nobody',
	'/webhooks/',
	'/webhooks',
	'/webhooks/hook/',
	'/webhooks/hook/more',
	'/webhooks/%',
	'/webhooks/%ff',
	'/webhooks/constructor',
	'/webhooks/__proto__',
	'/p/ops/webhooks/hook',
	'/',
])('404: unknown route name, message text `Unknown route`: %s', async path => {
	await using receiver = await startReceiver();
	const answer = await receiver.post({}, {}, path);
	expect([answer.status, answer.json]).toEqual([404, {error: 'Unknown route'}]);
	expect(receiver.last()).toMatchObject({outcome: 'route', bodyBytes: 0});
});

test('names are percent-decoded and the query does not count', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({name: 'a b'})]});
	expect((await receiver.post({}, {}, '/webhooks/a%20b?x=1')).status).toBe(202);
});

test.for(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])(
	'wrong method 405 with Allow: %s',
	async method => {
		await using receiver = await startReceiver();
		const answer = await send(receiver.url, {method, path: '/webhooks/hook'});
		expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
		expect(receiver.last().outcome).toBe('method');
		expect((await send(receiver.url, {method: 'POST', path: '/health'})).headers['allow']).toBe(
			'GET, HEAD',
		);
	},
);

test('413: body above `max_body_bytes`', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({maxBodyBytes: 10})]});
	const answer = await receiver.post('[1,2,3,4,5]');
	expect([answer.status, answer.json]).toEqual([413, {error: 'Payload too large'}]);
	expect(answer.headers['connection']).toBe('close');
	expect(receiver.step('size')).toBe('11 bytes declared, at most 10');
	expect((await receiver.post('[1,2,3,45]')).status).toBe(202);
});

test('429: route rate limit exceeded, message text `Rate limit exceeded`, `Retry-After`', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({rateLimit: 2}), makeRoute({name: 'other', rateLimit: 2})],
	});
	await receiver.post({});
	receiver.clock.advance(20_000);
	await receiver.post({});
	const answer = await receiver.post({});
	expect([answer.status, answer.json]).toEqual([429, {error: 'Rate limit exceeded'}]);
	expect(answer.headers['retry-after']).toBe('40');
	expect(receiver.step('rate')).toBe(
		'3 of 2 in this minute: lost unless its sender tries again, overflow: queue keeps them',
	);
	expect((await receiver.post({}, {}, '/webhooks/other')).status).toBe(202);

	receiver.clock.advance(40_000);
	expect((await receiver.post({})).status).toBe(202);
});

test('bad signatures spend no rate quota', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({rateLimit: 1})]});
	for (let count = 0; count < 5; count++) {
		expect((await receiver.post({}, {'X-Webhook-Timestamp': '1'})).status).toBe(401);
	}

	expect((await receiver.post({})).status).toBe(202);
});

test('a route with its share of the queue: 503 says that the rest is for other routes, which still come in', async () => {
	const routes = [makeRoute({}), makeRoute({name: 'other'})];
	await using receiver = await startReceiver({routes, maxQueued: 10});
	for (let count = 0; count < 9; count++) {
		expect((await receiver.post({})).status).toBe(202);
	}

	expect((await receiver.post({})).status).toBe(503);
	expect(receiver.step('dispatch')).toBe(
		'9 runs of this route wait, at most 9 may: what is left of the queue is for other routes',
	);
	expect((await receiver.post({}, {}, '/webhooks/other')).status).toBe(202);
});

test('queue full: 503 with `Retry-After`; the id is not consumed', async () => {
	await using receiver = await startReceiver({maxQueued: 1});
	await receiver.post({});
	const id = {'X-Forge-Delivery': 'd-1'};
	const answer = await receiver.post({}, id);
	expect([answer.status, answer.json]).toEqual([503, {error: 'Too many runs are queued'}]);
	expect(answer.headers['retry-after']).toBe('30');
	expect(receiver.step('dispatch')).toBe('1 runs wait, at most 1 may');

	const [first = 0] = receiver.woken;
	await receiver.store.runs.cancel(first);
	expect((await receiver.post({}, id)).status).toBe(202);
});

test('journal cannot be written: 503 `Could not durably accept the delivery` with `Retry-After`', async () => {
	await using receiver = await startReceiver({
		intake: {
			async accept() {
				throw new SvcError('journal_unavailable', 'Cannot write the journal: the disk is full');
			},
		},
	});
	const answer = await receiver.post({});
	expect([answer.status, answer.json]).toEqual([
		503,
		{error: 'Could not durably accept the delivery'},
	]);
	expect(answer.headers['retry-after']).toBe('10');
	expect(receiver.last().outcome).toBe('journal');
	expect(receiver.step('journal')).toBe('Cannot write the journal: the disk is full');
	expect(receiver.woken).toEqual([]);
});

test('every delivery can be opened, also a rejected one; what a stranger sent is not kept', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({maxBodyBytes: 20, rateLimit: 3})],
		maxQueued: 1,
	});
	const bad = {
		'X-Webhook-Signature-V2': 'ab'.repeat(32),
		Authorization: 'Bearer x',
		'X-Other': 'y',
		'User-Agent': 'agent',
	};
	const json = {'content-type': 'application/json'};
	const stranger = {...json, 'user-agent': 'agent'};
	const cases = [
		[404, '{"a":1}', bad, '/webhooks/nobody', stranger, undefined],
		[413, '{"a":"far too many letters"}', bad, '/webhooks/hook', stranger, undefined],
		[401, '{"a":1}', bad, '/webhooks/hook', stranger, undefined],
		[400, '{"a":', {}, '/webhooks/hook', json, '{"a":'],
		[202, '{"a":2}', {}, '/webhooks/hook', json, '{"a":2}'],
		[503, '{"a":3}', {}, '/webhooks/hook', json, '{"a":3}'],
		[429, '{"a":4}', {}, '/webhooks/hook', json, undefined],
	] as const;
	for (const [status, sent, headers, path, keptHeaders, keptBody] of cases) {
		// oxlint-disable-next-line no-await-in-loop -- the order is what the quota and the queue depend on
		expect((await receiver.post(sent, headers, path)).status).toBe(status);
		const shown = receiver.last();
		// oxlint-disable-next-line no-await-in-loop -- as above
		const stored = await receiver.store.journal.get(shown.id);
		expect(stored).toMatchObject({status, outcome: shown.outcome, headers: keptHeaders});
		expect(stored?.headers).toEqual(keptHeaders);
		expect(stored?.trace.at(-1)?.detail).toBe(
			status === 202 ? 'on disk' : shown.trace.at(-1)?.detail,
		);
		expect(stored?.body && Buffer.from(stored.body).toString()).toBe(keptBody);
	}

	await send(receiver.url, {method: 'PUT', path: '/webhooks/hook', body: '{}'});
	expect(await receiver.store.journal.get(receiver.last().id)).toMatchObject({status: 405});
});

test('a path that names no route is kept without its query', async () => {
	await using receiver = await startReceiver();
	await receiver.post({}, {}, '/elsewhere?token=secret');
	expect(receiver.last().route).toBe('/elsewhere');
});

test('an id whose earlier attempt failed for good is accepted again', async () => {
	await using receiver = await startReceiver();
	const id = {'X-Forge-Delivery': 'd-1'};
	await receiver.post({}, id);
	const [lease] = await receiver.store.runs.lease(1, 60_000);
	if (!lease) {
		throw new Error('Nothing to lease');
	}

	await receiver.store.runs.settle(lease, {state: 'failed', error: 'no'});
	expect((await receiver.post({}, id)).status).toBe(202);
});

test('order: size before signature, signature before rate, rate before JSON, JSON before event', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({maxBodyBytes: 5, rateLimit: 1, events: ['push']})],
	});
	const bad = {'X-Webhook-Signature-V2': 'x'};
	expect((await receiver.post('too long', bad)).status).toBe(413);
	expect((await receiver.post('{', bad)).status).toBe(401);
	expect((await receiver.post('{')).status).toBe(400);
	expect((await receiver.post('{')).status).toBe(429);
});
