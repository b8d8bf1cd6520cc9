import {createHmac} from 'node:crypto';
import {connect} from 'node:net';
import {text} from 'node:stream/consumers';
import {Webhook as StandardWebhook} from 'standardwebhooks';
import {expect, test} from 'vitest';
import {signV2} from './sign.ts';
import {makeRoute, secret, send, startReceiver} from './start-receiver.ts';

const v1 = (body: string) => ({
	'X-Webhook-Signature': createHmac('sha256', secret).update(body).digest('hex'),
});

test('V1: a deprecation warning is logged once per route', async () => {
	await using receiver = await startReceiver({routes: [makeRoute(), makeRoute({name: 'other'})]});
	for (const path of ['/webhooks/hook', '/webhooks/hook', '/webhooks/other']) {
		const answer = await send(receiver.url, {method: 'POST', path, headers: v1('{}'), body: '{}'});
		expect(answer.status).toBe(202);
	}

	const warnings = receiver.log.filter(line => line.includes('deprecated'));
	expect(warnings).toHaveLength(2);
	expect(warnings[0]).toContain('Route "hook"');
});

test.for(['svix', 'webhook'])(
	'Standard Webhooks (%s): the identifier is the signed one, whatever other headers a captured request is given',
	async family => {
		const whsec = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
		await using receiver = await startReceiver({routes: [makeRoute({secrets: [whsec]})]});
		const now = receiver.clock.now();
		const post = async (headers: Readonly<Record<string, string>>) =>
			send(receiver.url, {
				method: 'POST',
				path: '/webhooks/hook',
				body: '{}',
				headers: {
					[`${family}-id`]: 'msg_1',
					[`${family}-timestamp`]: String(now / 1000),
					[`${family}-signature`]: new StandardWebhook(whsec).sign('msg_1', new Date(now), '{}'),
					...headers,
				},
			});
		const first = await post({'X-Forge-Delivery': 'fresh-1'});
		expect([first.status, first.json['delivery_id']]).toEqual([202, 'msg_1']);
		expect(receiver.last()).toMatchObject({deliveryId: 'msg_1', idSource: `${family}-id`});

		const other = family === 'svix' ? 'webhook-id' : 'svix-id';
		for (const name of ['X-Forge-Delivery', 'X-GitHub-Delivery', 'X-Request-ID', other]) {
			const again = await post({[name]: 'fresh-2'});
			expect([again.status, again.json]).toEqual([
				200,
				{status: 'duplicate', delivery_id: 'msg_1'},
			]);
		}
	},
);

test('`dedupe_body` is for schemes that do not sign the id: two signed identifiers are two events, whatever the bodies', async () => {
	const whsec = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
	await using receiver = await startReceiver({
		routes: [makeRoute({secrets: [whsec, secret], dedupeBody: true})],
	});
	const now = receiver.clock.now();
	const post = async (id: string) => {
		const signature = new StandardWebhook(whsec).sign(id, new Date(now), '{}');
		const {json} = await send(receiver.url, {
			method: 'POST',
			path: '/webhooks/hook',
			body: '{}',
			headers: {
				'webhook-id': id,
				'webhook-timestamp': String(now / 1000),
				'webhook-signature': signature,
			},
		});
		return json['status'];
	};

	expect(await post('msg_1')).toBe('accepted');
	expect(await post('msg_2')).toBe('accepted');
	expect(await post('msg_2')).toBe('duplicate');

	// The same route, a sender that signs none.
	expect((await receiver.post('{}', {'X-Forge-Delivery': 'd-1'})).json['status']).toBe('accepted');
	expect((await receiver.post('{}', {'X-Forge-Delivery': 'd-2'})).json['status']).toBe('duplicate');
});

test('delivery identifier, first present wins, where the signature covers none', async () => {
	await using receiver = await startReceiver();
	await receiver.post({}, {'X-Forge-Delivery': 'first', 'webhook-id': 'second'});
	expect(receiver.last()).toMatchObject({deliveryId: 'first', idSource: 'x-forge-delivery'});
});

test('`INSECURE_NO_AUTH` skips validation on a loopback host', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({insecure: true, secrets: ['INSECURE_NO_AUTH']})],
	});
	const sending = {method: 'POST', path: '/webhooks/hook', body: '{}'};
	expect((await send(receiver.url, sending)).status).toBe(202);
	expect(receiver.step('signature')).toBe('INSECURE_NO_AUTH');
});

test.for([
	[401, {origin: 'https://evil.example'}],
	[401, {origin: 'http://rebound.example:8644', 'sec-fetch-site': 'same-origin'}],
	[401, {origin: 'http://127.0.0.1.evil.example'}],
	[401, {origin: 'null'}],
	[401, {'sec-fetch-site': 'cross-site'}],
	[401, {'sec-fetch-site': 'cross-site, none'}],
	[202, {origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site'}],
	[202, {origin: 'http://[::1]:3000'}],
	[202, {'sec-fetch-site': 'none'}],
] as const)(
	'a route with `INSECURE_NO_AUTH` answers %d to a page in a browser with %j',
	async ([status, headers]) => {
		await using receiver = await startReceiver({
			routes: [makeRoute({insecure: true, secrets: ['INSECURE_NO_AUTH']})],
		});
		// Needs no preflight.
		const sent = {'content-type': 'text/plain', ...headers};
		const answer = await send(receiver.url, {
			method: 'POST',
			path: '/webhooks/hook',
			body: '{}',
			headers: sent,
		});
		expect(answer.status).toBe(status);
	},
);

test('`INSECURE_NO_AUTH` is accepted only when the server is bound to a loopback host', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({insecure: true, secrets: ['INSECURE_NO_AUTH']})],
		host: '0.0.0.0',
	});
	const sending = {method: 'POST', path: '/webhooks/hook', body: '{}'};
	expect((await send(receiver.url, sending)).status).toBe(401);
});

test.for([
	['INSECURE_NO_AUTH', ['INSECURE_NO_AUTH']],
	['INSECURE_NO_AUTH', [secret, 'INSECURE_NO_AUTH']],
	[secret, [secret, 'INSECURE_NO_AUTH']],
] as const)(
	'off loopback nothing passes for a route with `INSECURE_NO_AUTH`: the token %s of %j',
	async ([token, secrets]) => {
		await using receiver = await startReceiver({
			routes: [makeRoute({insecure: true, secrets})],
			host: '0.0.0.0',
		});
		const sending = {method: 'POST', path: '/webhooks/hook', body: '{}'};
		for (const headers of [
			{'X-Gitlab-Token': token},
			signV2(token, '{}', receiver.clock.now()),
			{'X-Webhook-Signature': createHmac('sha256', token).update('{}').digest('hex')},
		]) {
			expect((await send(receiver.url, {...sending, headers})).status).toBe(401);
		}

		expect(receiver.step('signature')).toContain('loopback');
	},
);

test('never 500 for a strange header: duplicated, empty, not ASCII', async () => {
	await using receiver = await startReceiver();
	for (const lines of [
		'X-Hub-Signature-256: sha256=00\r\nX-Hub-Signature-256: sha256=00',
		'X-Hub-Signature-256:',
		'X-Webhook-Signature: \u00ff\u00fe',
		`X-Forge2-Token: ${secret}\r\nX-Forge2-Token: ${secret}`,
		'webhook-signature: v1,\u00e9\r\nwebhook-id: a\r\nwebhook-id: b\r\nwebhook-timestamp: 1',
	]) {
		const socket = connect(receiver.port, '127.0.0.1');
		socket.end(
			`POST /webhooks/hook HTTP/1.1\r\nHost: x\r\n${lines}\r\nContent-Length: 2\r\n\r\n{}`,
			'latin1',
		);
		expect(await text(socket)).toMatch(/^HTTP\/1.1 401 Unauthorized\r\n/);
	}
});

test('neither secret nor signature is in a stored delivery, an event or the log', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({filters: [{field: 'headers.X-Forge2-Token', equals: 'x'}]})],
	});
	await receiver.post({note: secret}, {'X-Forge2-Token': secret, 'X-Webhook-Signature-V2': ''});
	await receiver.post({note: secret}, {'X-Forge2-Token': secret});
	expect(receiver.step('filter')).toContain('got a value that is not shown');
	expect(JSON.stringify([receiver.events, receiver.log])).not.toContain(secret);
});

test('401: the person at the terminal sees why, the client gets the same bytes whatever it was', async () => {
	const whsec = `whsec_${Buffer.from('another secret of 32 characters!').toString('base64')}`;
	await using receiver = await startReceiver({
		routes: [
			makeRoute({retiredSecrets: [{secret: 'the one before', until: 1_749_999_999_999}]}),
			makeRoute({name: 'other', secrets: ['the secret of other']}),
			makeRoute({name: 'standard', secrets: [whsec]}),
		],
	});
	const bodies = new Set<string>();
	const detailOf = async (key: string, skewMs = 0) => {
		const answer = await receiver.post('{}', signV2(key, '{}', receiver.clock.now() + skewMs));
		bodies.add(JSON.stringify([answer.status, answer.text, {...answer.headers, date: ''}]));
		return receiver.step('signature');
	};

	expect(await detailOf(secret, 412_000)).toContain('skew +412 s');
	expect(await detailOf('the one before')).toContain('previous secret');
	expect(await detailOf('the secret of other')).toContain('route "other"');
	expect(await detailOf('nobody knows')).toBe('v2: does not match the secret');
	expect([...bodies]).toHaveLength(1);
	const told = JSON.stringify(receiver.events);
	expect(told).not.toContain('the one before');
	expect(told).not.toContain('the secret of other');
});

test('a retired secret passes until its time is over', async () => {
	const until = 1_750_000_060_000;
	await using receiver = await startReceiver({
		routes: [makeRoute({retiredSecrets: [{secret: 'the one before', until}]})],
	});
	const post = async () =>
		receiver.post('{}', signV2('the one before', '{}', receiver.clock.now()));
	expect((await post()).status).toBe(202);
	expect(receiver.step('signature')).toContain('retired secret');
	receiver.clock.advance(60_001);
	expect((await post()).status).toBe(401);
});
