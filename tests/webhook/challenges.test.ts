import {createHmac} from 'node:crypto';
import {expect, test} from 'vitest';
import {makeRoute, secret, send, startReceiver} from './start-receiver.ts';
import type {TestReceiver} from './start-receiver.ts';

const hmac = (text: string, key = secret) => createHmac('sha256', key).update(text).digest('hex');

const json = {'Content-Type': 'application/json'};

const postSlack = async (
	receiver: TestReceiver,
	payload: unknown,
	{key = secret, headers = json}: {key?: string; headers?: Record<string, string>} = {},
) => {
	const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
	const time = String(Math.floor(receiver.clock.now() / 1000));
	return send(receiver.url, {
		method: 'POST',
		path: '/webhooks/hook',
		body,
		headers: {
			...headers,
			'X-Slack-Request-Timestamp': time,
			'X-Slack-Signature': `v0=${hmac(`v0:${time}:${body}`, key)}`,
		},
	});
};

const verification = {type: 'url_verification', token: 'x', challenge: '3eZbrw1aBm2rZgRNFdxV'};

test('slack: `url_verification` is answered with its challenge: no run, no identifier, no filter', async () => {
	await using receiver = await startReceiver({
		routes: [
			makeRoute({
				signature: {kind: 'slack'},
				events: ['event_callback'],
				filters: [{field: 'nothing', exists: true}],
				rateLimit: 2,
			}),
		],
	});
	for (const _ of ['first', 'again']) {
		// oxlint-disable-next-line no-await-in-loop -- in order
		const answer = await postSlack(receiver, verification);
		expect([answer.status, answer.json]).toEqual([200, {challenge: '3eZbrw1aBm2rZgRNFdxV'}]);
	}

	expect(receiver.last()).toMatchObject({event: 'url_verification', outcome: 'challenge'});
	expect(receiver.step('event')).toBe('a challenge of slack, answered');
	expect(receiver.woken).toEqual([]);
	// It has spent the rate of the route, as every request of a known sender does.
	expect((await postSlack(receiver, verification)).status).toBe(429);
});

test('slack: nobody is answered who does not know the secret', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({signature: {kind: 'slack'}})]});
	const answer = await postSlack(receiver, verification, {key: 'another'});
	expect([answer.status, answer.json]).toEqual([401, {error: 'Invalid signature'}]);
});

test.for([
	{type: 'url_verification'},
	{type: 'url_verification', challenge: 7},
	{type: 'url_verification', challenge: 'x'.repeat(1025)},
	{type: 'event_callback', challenge: 'x'},
	['url_verification'],
])('slack: anything else is an event: %j', async payload => {
	await using receiver = await startReceiver({routes: [makeRoute({signature: {kind: 'slack'}})]});
	expect((await postSlack(receiver, payload)).status).toBe(202);
});

test.for([
	[
		'/deploy',
		'command=%2Fdeploy&text=api&user_name=mo&trigger_id=13.37&response_url=https%3A%2F%2Fx',
	],
	[
		'block_actions',
		`payload=${encodeURIComponent(JSON.stringify({type: 'block_actions', trigger_id: '13.37', actions: [{action_id: 'yes'}]}))}`,
	],
])(
	'slack: the event of a form is %s, and its identifier `trigger_id`',
	async ([event = '', body]) => {
		await using receiver = await startReceiver({
			routes: [makeRoute({signature: {kind: 'slack'}, events: [event]})],
		});
		const headers = {'Content-Type': 'application/x-www-form-urlencoded'};
		const told =
			event === '/deploy' ? JSON.stringify({response_type: 'ephemeral', text: 'Accepted'}) : '';
		const first = await postSlack(receiver, body, {headers});
		expect([first.status, first.text]).toEqual([200, told]);
		expect(receiver.last()).toMatchObject({event, deliveryId: '13.37', outcome: 'accepted'});
		const again = await postSlack(receiver, body, {headers: {...headers, 'X-Request-Id': 'new'}});
		expect([again.status, again.text]).toEqual([200, told]);
		expect(receiver.last().outcome).toBe('duplicate');
		receiver.setRoutes(makeRoute({signature: {kind: 'slack'}, enabled: false}));
		expect((await postSlack(receiver, body, {headers})).status).toBe(503);
	},
);

test.for([
	[{events: []}, {'X-GitHub-Event': 'sync'}],
	[{event_type: 'synced', events: []}, {}],
	[{events: {}}, {}],
	[{events: [{}]}, {}],
	[[{}], {}],
	[{}, {}],
] as const)('what is no empty list, or has a name, is an event: %j', async ([payload, headers]) => {
	await using receiver = await startReceiver();
	expect((await receiver.post(payload, headers)).status).toBe(202);
});

const greetings = [
	['meta', '?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=correct%20horse', {}],
	['dropbox', '?challenge=1158201444', {}],
	['okta', '', {'X-Okta-Verification-Challenge': '1158201444'}],
] as const;

const greet = async (receiver: TestReceiver, query: string, headers = {}) =>
	send(receiver.url, {method: 'GET', path: `/webhooks/hook${query}`, headers});

test.for(greetings)(
	'%s: its question by GET is answered, and not kept',
	async ([kind, query, headers]) => {
		await using receiver = await startReceiver({
			routes: [makeRoute({signature: {kind}, secrets: ['battery', 'correct horse'], rateLimit: 1})],
		});
		for (let count = 0; count < 3; count += 1) {
			// oxlint-disable-next-line no-await-in-loop -- in order
			const answer = await greet(receiver, query, headers);
			expect([
				answer.status,
				answer.headers['content-type'],
				answer.headers['x-content-type-options'],
				answer.text,
			]).toEqual([
				200,
				kind === 'okta' ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8',
				'nosniff',
				kind === 'okta' ? '{"verification":"1158201444"}' : '1158201444',
			]);
		}

		expect(receiver.last()).toMatchObject({route: 'hook', outcome: 'challenge'});
		expect(receiver.step('event')).toBe(`a challenge of ${kind}, answered`);
		expect(await receiver.store.journal.get(receiver.last().id)).toBeUndefined();
	},
);

test('any other GET is answered as if there were no route, byte for byte', async () => {
	await using receiver = await startReceiver({
		routes: [
			makeRoute(),
			...greetings.map(([kind]) => makeRoute({name: kind, signature: {kind}})),
			makeRoute({name: 'bound', profile: 'work', signature: {kind: 'dropbox'}}),
		],
	});
	const exchange = async (path: string, headers: Record<string, string> = {}) => {
		const {
			status,
			text,
			headers: answered,
		} = await send(receiver.url, {
			method: 'GET',
			path: `/webhooks/${path}`,
			headers,
		});
		return {status, text, others: {...answered, date: ''}};
	};

	const none = await exchange('none');
	expect(none).toMatchObject({status: 405, text: '{"error":"Method not allowed"}'});
	const token = encodeURIComponent(secret);
	for (const [path, headers] of [
		['meta'],
		['meta?hub.mode=subscribe&hub.challenge=1&hub.verify_token=wrong'],
		['meta?hub.mode=subscribe&hub.challenge=1'],
		[`meta?hub.mode=subscribe&hub.verify_token=${token}`],
		[`meta?hub.mode=subscribe&hub.challenge=%3Cb%3E%0A&hub.verify_token=${token}`],
		[`meta?hub.mode=unsubscribe&hub.challenge=1&hub.verify_token=${token}`],
		[`none?hub.mode=subscribe&hub.challenge=1&hub.verify_token=${token}`],
		[`hook?hub.mode=subscribe&hub.challenge=1&hub.verify_token=${token}`],
		['dropbox'],
		['dropbox?challenge='],
		[`dropbox?challenge=${'x'.repeat(1025)}`],
		['dropbox?challenge=caf%C3%A9'],
		['hook?challenge=1'],
		['bound?challenge=1'],
		['okta'],
		['okta', {'x-okta-verification-challenge': 'x'.repeat(1025)}],
		['hook', {'x-okta-verification-challenge': '1'}],
	] as const) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other, to read what failed
		expect([path, await exchange(path, headers)]).toEqual([path, none]);
	}

	expect(
		(await send(receiver.url, {method: 'PUT', path: '/webhooks/dropbox?challenge=1'})).status,
	).toBe(405);
	await exchange('meta?hub.mode=subscribe&hub.challenge=1&hub.verify_token=wrong');
	expect(receiver.step('event')).toBe(
		'a challenge of meta, refused: hub.verify_token is no secret of the route',
	);
});

test('twitch: the challenge of a subscription is answered as plain text', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({signature: {kind: 'twitch'}})]});
	const post = async (payload: unknown, id: string) => {
		const body = JSON.stringify(payload);
		const time = new Date(receiver.clock.now()).toISOString();
		return send(receiver.url, {
			method: 'POST',
			path: '/webhooks/hook',
			body,
			headers: {
				...json,
				'Twitch-Eventsub-Message-Id': id,
				'Twitch-Eventsub-Message-Timestamp': time,
				'Twitch-Eventsub-Message-Signature': `sha256=${hmac(`${id}${time}${body}`)}`,
				'X-Request-Id': `${id}-${receiver.deliveries.length}`,
			},
		});
	};

	const subscription = {type: 'stream.online'};
	const answer = await post({challenge: 'pogchamp-kappa', subscription}, '1');
	expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
		200,
		'text/plain; charset=utf-8',
		'pogchamp-kappa',
	]);
	const event = {event: {broadcaster_user_name: 'cool_user'}, subscription};
	expect((await post(event, '2')).json).toEqual({
		status: 'accepted',
		route: 'hook',
		event: 'stream.online',
		delivery_id: '2',
	});
	expect((await post(event, '2')).json['status']).toBe('duplicate');
});

test('on a route of another sender it is an event as any', async () => {
	await using receiver = await startReceiver();
	expect((await receiver.post(verification)).json['status']).toBe('accepted');
});

const shake = async (receiver: TestReceiver, headers: Record<string, string>, path = 'hook') =>
	send(receiver.url, {method: 'OPTIONS', path: `/webhooks/${path}`, headers});

test('cloudevents: the handshake of a sender is answered on routes that ask for it', async () => {
	await using receiver = await startReceiver({
		routes: [
			makeRoute({cloudevents: true, rateLimit: 120}),
			makeRoute({name: 'some', cloudevents: ['EventGrid.azure.net'], overflow: 'queue'}),
			makeRoute({name: 'none'}),
		],
	});
	const origin = {'WebHook-Request-Origin': 'eventgrid.azure.net', 'WebHook-Request-Rate': '100'};
	const answer = await shake(receiver, origin);
	expect([answer.status, answer.text]).toEqual([200, '']);
	expect(answer.headers).toMatchObject({
		'webhook-allowed-origin': 'eventgrid.azure.net',
		'webhook-allowed-rate': '120',
		allow: 'POST',
	});
	expect(receiver.last()).toMatchObject({route: 'hook', outcome: 'challenge', status: 200});
	expect(receiver.step('event')).toBe('a handshake of eventgrid.azure.net: its events may come');

	// Any stranger can ask: what is not signed fills no journal.
	expect(await receiver.store.journal.list({limit: 10})).toEqual([]);

	expect((await shake(receiver, origin, 'some')).headers['webhook-allowed-rate']).toBe('*');
	const withoutRate = await shake(receiver, {'WebHook-Request-Origin': 'x.example'});
	expect(withoutRate.headers['webhook-allowed-rate']).toBeUndefined();
	expect(receiver.woken).toEqual([]);

	const other = {'WebHook-Request-Origin': 'x.example'};
	const refused = await Promise.all([
		shake(receiver, other, 'some'),
		shake(receiver, origin, 'none'),
		shake(receiver, origin, 'unknown'),
		shake(receiver, {'WebHook-Request-Origin': 'a b\u00e9'}),
		shake(receiver, {}),
		send(receiver.url, {method: 'PUT', path: '/webhooks/hook', headers: origin}),
	]);
	for (const {status, text, headers} of refused) {
		expect([status, text, headers['webhook-allowed-origin']]).toEqual([
			405,
			'{"error":"Method not allowed"}',
			undefined,
		]);
	}
});

test('cloudevents: below the prefix of another profile there is no such route', async () => {
	await using receiver = await startReceiver({
		routes: [makeRoute({cloudevents: true, profile: 'work'})],
		multiplexing: true,
	});
	const origin = {'WebHook-Request-Origin': 'x.example'};
	expect((await shake(receiver, origin)).status).toBe(405);
	const found = await send(receiver.url, {
		method: 'OPTIONS',
		path: '/p/work/webhooks/hook',
		headers: origin,
	});
	expect(found.status).toBe(200);
});

const postZoom = async (receiver: TestReceiver, payload: unknown, key = secret) => {
	const body = JSON.stringify(payload);
	const time = String(Math.floor(receiver.clock.now() / 1000));
	return send(receiver.url, {
		method: 'POST',
		path: '/webhooks/hook',
		body,
		headers: {
			...json,
			'X-Zm-Request-Timestamp': time,
			'X-Zm-Signature': `v0=${hmac(`v0:${time}:${body}`, key)}`,
		},
	});
};

const validation = {
	event: 'endpoint.url_validation',
	payload: {plainToken: 'qgg8vlvZRS6UYooatFL8Aw'},
};

test('zoom: `endpoint.url_validation` is answered with the secret that the request was signed with', async () => {
	await using receiver = await startReceiver({
		routes: [
			makeRoute({
				signature: {kind: 'zoom'},
				secrets: ['new', secret],
				retiredSecrets: [{secret: 'old', until: 1_750_000_000_000 + 3_600_000}],
			}),
		],
	});
	for (const key of ['new', secret, 'old']) {
		// oxlint-disable-next-line no-await-in-loop -- in order
		const answer = await postZoom(receiver, validation, key);
		expect([answer.status, answer.json]).toEqual([
			200,
			{
				plainToken: 'qgg8vlvZRS6UYooatFL8Aw',
				encryptedToken: hmac('qgg8vlvZRS6UYooatFL8Aw', key),
			},
		]);
	}

	expect(receiver.last()).toMatchObject({event: 'endpoint.url_validation', outcome: 'challenge'});
	const event = {event: 'meeting.started', payload: {plainToken: 'x'}};
	expect((await postZoom(receiver, event)).json).toMatchObject({event: 'meeting.started'});
});
