import {createHmac} from 'node:crypto';
import {writeFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import {silentLogger} from '../../source/core/log.ts';
import {createHttpServer} from '../../source/http/http-server.ts';
import {listen} from '../../source/http/listen.ts';
import {githubExamples} from './github-examples.ts';
import {makeRoute, secret, send, startReceiver} from './start-receiver.ts';

test('every example of the code host becomes a run whose event is the header', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({rateLimit: 1e6, prompt: '{sender.login} {__raw__}'})],
	});
	for (const {event, body} of githubExamples.filter(example => example.event !== 'ping')) {
		// oxlint-disable-next-line no-await-in-loop -- one at a time keeps the failure readable
		const {status, json} = await receiver.post(body, {'X-GitHub-Event': event});
		expect([status, json['event']]).toEqual([202, event]);
	}

	expect(receiver.deliveries.every(({flags}) => flags === 0)).toBe(true);
});

test('a webhook of the code host that sends forms (its default) is read as one that sends JSON', async () => {
	const hub = (body: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
	await using receiver = await startReceiver({
		routes: [
			makeRoute({
				prompt: '{action} {pull_request.head.ref}',
				filters: [{field: 'action', equals: 'opened'}],
				script: 'keep.sh',
			}),
		],
	});
	await writeFile(join(receiver.scripts, 'keep.sh'), 'cat');
	const payload = {action: 'opened', pull_request: {head: {ref: 'main'}}};
	const form = `payload=${encodeURIComponent(JSON.stringify(payload))}`;
	const postForm = async (body: string) =>
		send(receiver.url, {
			method: 'POST',
			path: '/webhooks/hook',
			headers: {
				'Content-Type': 'application/x-www-form-urlencoded',
				'X-GitHub-Event': 'pull_request',
				'X-Hub-Signature-256': hub(body),
			},
			body,
		});
	expect((await postForm(form)).status).toBe(202);
	const run = await receiver.store.runs.get(receiver.woken[0] ?? 0);
	expect(run?.plan.prompt).toBe('opened main');
	expect(receiver.step('body')).toBe('JSON in a form');

	const broken = await postForm(form.slice(0, -3));
	expect([broken.status, broken.json]).toEqual([400, {error: 'Malformed JSON body'}]);
});

test('`dedupe_body: true` also treats a byte-identical body within the hour as a duplicate', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({dedupeBody: true})]});
	await receiver.post({a: 1}, {'X-Forge-Delivery': 'd-1'});
	const first = receiver.last();
	const answer = await receiver.post({a: 1}, {'X-Forge-Delivery': 'd-2'});
	expect([answer.status, answer.json]).toEqual([200, {status: 'duplicate', delivery_id: 'd-2'}]);
	expect(receiver.step('duplicate')).toBe(`same body as delivery ${first.id}`);
	expect((await receiver.post({a: 2})).status).toBe(202);

	receiver.clock.advance(3_600_001);
	expect((await receiver.post({a: 1}, {'X-Forge-Delivery': 'd-3'})).status).toBe(202);
});

test('`dedupe_body`: of 16 identical bodies at once one is accepted', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({dedupeBody: true})]});
	const answers = await Promise.all(Array.from({length: 16}, async () => receiver.post({})));
	expect(answers.filter(({status}) => status === 202)).toHaveLength(1);
});

test('`dedupe_body`: a body whose run was cancelled is accepted again', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({dedupeBody: true})]});
	await receiver.post({});
	await receiver.store.runs.cancel(receiver.woken[0] ?? 0);
	expect((await receiver.post({})).status).toBe(202);
});

test('a replay goes through the pipeline after authentication, under a new id that names the old', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({rateLimit: 1, dedupeBody: true, prompt: '{event_type} {a}'})],
	});
	await receiver.post({a: 1}, {'X-Forge-Event': 'push', 'X-Forge-Delivery': 'd-1'});
	const stored = await receiver.stored();
	const answer = await receiver.receiver.replay(stored);
	const replayed = receiver.last();
	expect([answer.status, JSON.parse(answer.body)]).toEqual([
		202,
		{status: 'accepted', route: 'hook', event: 'push', delivery_id: `replay-${replayed.id}`},
	]);
	expect(replayed).toMatchObject({idSource: 'replay', replayOf: stored.id});
	expect(receiver.step('signature')).toBe(`replay of ${stored.id}`);
	expect((await receiver.receiver.replay(stored)).status).toBe(202);
	const run = await receiver.store.runs.get(receiver.woken[1] ?? 0);
	expect(run?.plan.prompt).toBe('push 1');
});

test('a replay may change body and route', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute(), makeRoute({name: 'other', prompt: '{a}'})],
	});
	await receiver.post({a: 1});
	const stored = await receiver.stored();
	await receiver.receiver.replay(stored, {body: '{"a":"é"}', route: 'other'});
	const run = await receiver.store.runs.get(receiver.woken[1] ?? 0);
	expect([run?.route, run?.plan.prompt]).toEqual(['other', 'é']);
	expect((await receiver.receiver.replay(stored, {body: '{'})).status).toBe(400);
});

test('a replay needs a route and a body', async () => {
	await using receiver = await startReceiver();
	await receiver.post({});
	const {body: _, ...bare} = await receiver.stored();
	await expect(receiver.receiver.replay(bare)).rejects.toMatchObject({code: 'body_not_kept'});
	await expect(receiver.receiver.replay(bare, {route: 'nobody', body: '{}'})).rejects.toMatchObject(
		{code: 'route_not_found'},
	);
});

test('a replay plan names the consequences and causes none', async () => {
	await using receiver = await startReceiver({
		routes: [
			makeRoute(),
			makeRoute({
				name: 'comment',
				script: 'x.sh',
				deliver: 'forge_comment',
				deliverExtra: {repo: '{repo}', pr_number: '{pr}'},
			}),
			makeRoute({name: 'mail', deliverOnly: true, deliver: 'email'}),
			makeRoute({name: 'script', script: 'x.sh'}),
		],
	});
	await receiver.post({repo: 'acme/api', pr: 7});
	const stored = await receiver.stored();
	expect(receiver.receiver.planReplay(stored)).toEqual({
		route: 'hook',
		effects: ['starts an agent run', 'writes the answer to the log'],
		needsConfirmation: false,
	});
	expect(receiver.receiver.planReplay(stored, {route: 'comment'})).toEqual({
		route: 'comment',
		effects: ['runs the script x.sh', 'starts an agent run', 'posts a comment to acme/api#7'],
		needsConfirmation: true,
	});
	// What a script does beyond its answer nobody knows.
	expect(receiver.receiver.planReplay(stored, {route: 'script'})).toEqual({
		route: 'script',
		effects: ['runs the script x.sh', 'starts an agent run', 'writes the answer to the log'],
		needsConfirmation: true,
	});
	expect(receiver.receiver.planReplay(stored, {route: 'mail'}).effects).toEqual([
		'sends a message to email home channel',
	]);
	expect(receiver.woken).toHaveLength(1);
});

test('a replay plan of a paused route says that nothing starts', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute(), makeRoute({name: 'off', enabled: false, script: 'x.sh'})],
	});
	await receiver.post({});
	const stored = await receiver.stored();
	const plan = receiver.receiver.planReplay(stored, {route: 'off'});
	expect(plan.effects).toEqual([expect.stringMatching(/answered 503 and kept as paused/)]);
	expect(plan.needsConfirmation).toBe(false);
	expect((await receiver.receiver.replay(stored, {route: 'off'})).status).toBe(503);
});

test('a port in use is refused by name', async () => {
	const other = createServer();
	await new Promise<void>(resolve => {
		other.listen(0, '127.0.0.1', resolve);
	});
	const {port} = other.address() as AddressInfo;
	try {
		const {server} = createHttpServer({
			handle: async () => {},
			clock: systemClock,
			log: silentLogger,
			onRefused() {},
			onEvicted() {},
			onDropped() {},
		});
		await expect(
			listen(server, {host: '127.0.0.1', port}, 'platforms.webhook'),
		).rejects.toMatchObject({
			code: 'port_in_use',
			message: `Cannot listen on "127.0.0.1:${port}": another process holds this port; stop it or set another platforms.webhook.port`,
		});
		await expect(
			listen(server, {host: '192.0.2.1', port: 0}, 'platforms.webhook'),
		).rejects.toMatchObject({
			code: 'host_unavailable',
		});
	} finally {
		other.close();
	}
});

test('stats say what was answered since the last call', async () => {
	await using receiver = await startReceiver();
	await receiver.post({});
	await receiver.post('{');
	expect(receiver.receiver.stats()).toMatchObject({answered: 2, p95Ms: 0, inFlight: 0});
	expect(receiver.receiver.stats()).toMatchObject({answered: 0});
	expect(receiver.receiver.stats()).not.toHaveProperty('p95Ms');
});

test('GET /metrics: Prometheus text, unknown routes share one label, other rooms are appended', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({rateLimit: 1}), makeRoute({name: 'a"b\\c\nd'})],
		metrics: () => 'svc_other 1\n',
	});
	await receiver.post('{}');
	await receiver.post('{}');
	await receiver.post('{}', {}, `/webhooks/${encodeURIComponent('a"b\\c\nd')}`);
	await receiver.post('{}', {}, '/webhooks/x');
	await receiver.post('{}', {}, '/webhooks/y');
	const {status, headers, text} = await send(receiver.url, {path: '/metrics'});
	expect([status, headers['content-type']]).toEqual([
		200,
		'text/plain; version=0.0.4; charset=utf-8',
	]);
	expect(text.split('\n')).toEqual(
		expect.arrayContaining([
			'# TYPE svc_webhook_requests_total counter',
			'svc_webhook_requests_total{profile="default",route="hook",outcome="accepted"} 1',
			'svc_webhook_requests_total{profile="default",route="hook",outcome="rate"} 1',
			String.raw`svc_webhook_requests_total{profile="default",route="a\"b\\c\nd",outcome="accepted"} 1`,
			'svc_webhook_requests_total{profile="-",route="(unknown)",outcome="route"} 2',
			'svc_webhook_rate_limited_total{profile="default",route="hook"} 1',
			'svc_webhook_body_bytes_total 6',
			'svc_webhook_in_flight_requests 0',
			'svc_webhook_rejected_connections_total 0',
			'# TYPE svc_webhook_request_duration_seconds histogram',
			'svc_webhook_request_duration_seconds_bucket{le="0.001"} 5',
			'svc_webhook_request_duration_seconds_bucket{le="+Inf"} 5',
			'svc_webhook_request_duration_seconds_count 5',
			'svc_other 1',
		]),
	);
});

test.for(['X-Forwarded-For', 'Forwarded', 'Via'])(
	'GET /metrics: loopback only, not through a proxy on this machine: %s',
	async header => {
		await using receiver = await startReceiver();
		const answer = await send(receiver.url, {path: '/metrics', headers: {[header]: 'x'}});
		expect([answer.status, answer.json]).toEqual([404, {error: 'Unknown route'}]);
	},
);

test('what is on disk is answered 202 and reported once, also when nobody can be woken for it', async () => {
	await using receiver = await startReceiver();
	// A frozen list takes nothing: whoever tells it something gets an error.
	Object.freeze(receiver.woken);
	const answer = await receiver.post({});
	expect(answer.status).toBe(202);
	expect(receiver.deliveries.map(({outcome}) => outcome)).toEqual(['accepted']);
	expect(receiver.log).toEqual([
		expect.stringMatching(/^error Cannot report delivery of route "hook": .*not extensible/),
	]);
	expect(await receiver.store.runs.counts()).toEqual({queued: 1, active: 0});
});

test('a face that fails keeps neither the answer nor the dispatcher from an event', async () => {
	await using receiver = await startReceiver();
	Object.freeze(receiver.events);
	expect((await receiver.post({})).status).toBe(202);
	expect(receiver.woken).toHaveLength(1);
});

test('what strangers name reaches events cleaned and bounded', async () => {
	await using receiver = await startReceiver();
	await receiver.post({}, {}, `/webhooks/${encodeURIComponent(`\u001b[2J${'x'.repeat(500)}`)}`);
	expect(receiver.last().route).toMatch(/^␛\[2Jx+…$/);
	expect(receiver.last().route.length).toBe(64);
	await receiver.post({event_type: '\u001b]0;owned\u0007'});
	expect(receiver.last()).toMatchObject({event: '␛]0;owned␇', flags: 2, status: 202});
});
