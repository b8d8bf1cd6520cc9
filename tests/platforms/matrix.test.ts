import assert from 'node:assert/strict';
import {expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {testPlatform} from './contract.ts';
import {openPlatform, openSender, type Speech} from './open-platform.ts';
import type {Call, Reply} from './service.ts';

const token = 'syt_c3Zj_matrix-token_0123456789';
const room = '!ops:example.org';
const alias = '#ops:example.org';

const api = '/_matrix/client/v3';
const events = `${api}/rooms/${encodeURIComponent(room)}/event/`;
const sending = `${api}/rooms/${encodeURIComponent(room)}/send/m.room.message/`;

type Content = {readonly body: string; readonly formatted_body?: string};

const failed = (status: number, errcode: string, more = {}) => ({
	status,
	json: {errcode, error: 'No', ...more},
});

/** What the texts of a message stand in. */
const contentOf = ({body, formatted_body}: Content) => ({
	msgtype: 'm.notice',
	body,
	...(formatted_body !== undefined && {format: 'org.matrix.custom.html', formatted_body}),
	'm.mentions': {},
});

const isChange = ({body}: Call) => Object.hasOwn(body as object, 'm.new_content');

const speech: Speech = {
	kind: 'matrix',
	settings: url => ({homeserver: `${url}/`, access_token: token}),
	extra: {chat_id: room},
	refused: ['', 'ops', '!', '#ops', '@ann:example.org', '! a:b', '../whoami', '{room}', true, 12],
	serve() {
		let last = 0;
		return call => {
			const {method, path, headers, body} = call;
			assert.equal(headers['authorization'], `Bearer ${token}`);
			if (method === 'GET') {
				switch (path) {
					case `${api}/account/whoami`:
						return {status: 200, json: {user_id: '@svc:example.org', device_id: 'ABC'}};
					case `${api}/directory/room/${encodeURIComponent(alias)}`:
						return {status: 200, json: {room_id: room, servers: ['example.org']}};
					default:
						assert.ok(path.startsWith(events));
						return {
							status: 200,
							json: {event_id: '$1', content: {msgtype: 'm.notice', body: 'x'}},
						};
				}
			}

			assert.equal(method, 'PUT');
			assert.ok(path.startsWith(sending));
			assert.match(path.slice(sending.length), /^[0-9a-f]{25}$/);
			assert.match(headers['content-type'] ?? '', /^application\/json/);
			if (!isChange(call)) {
				assert.deepEqual(body, contentOf(body as Content));
			}

			last += 1;
			return {status: 200, json: {event_id: `$${last}`}};
		};
	},
	isSending: call => call.method === 'PUT' && !isChange(call),
	textOf({body}) {
		const {body: plain, formatted_body: html} = body as Content;
		return html ?? plain;
	},
	keyOf: ({path}) => path,
	failures: [
		{
			name: 'too many, as the header tells',
			reply: {...failed(429, 'M_LIMIT_EXCEEDED'), headers: {'retry-after': '3'}},
			code: 'platform_rate_limited',
			waitMs: 3000,
		},
		{
			name: 'too many, as the body tells',
			reply: failed(429, 'M_LIMIT_EXCEEDED', {retry_after_ms: 2500}),
			code: 'platform_rate_limited',
			waitMs: 2500,
		},
		{
			name: 'no such token',
			reply: failed(401, 'M_UNKNOWN_TOKEN', {soft_logout: false}),
			code: 'platform_unauthorized',
		},
		{name: 'not in the room', reply: failed(403, 'M_FORBIDDEN'), code: 'platform_rejected'},
		{name: 'no such room', reply: failed(404, 'M_NOT_FOUND'), code: 'platform_rejected'},
		{name: 'too large', reply: failed(413, 'M_TOO_LARGE'), code: 'platform_rejected'},
		{
			name: 'a success without an event',
			reply: {status: 200, json: {}},
			code: 'platform_failed',
		},
		{
			name: 'a success of something else',
			reply: {status: 200, json: {room_id: room, user_id: '@svc:example.org'}},
			code: 'platform_failed',
		},
		{name: 'their own trouble', reply: failed(502, 'M_UNKNOWN'), code: 'platform_failed'},
	],
	refusal: failed(401, 'M_UNKNOWN_TOKEN'),
	secrets: [token],
	limit: 60_000,
	measure({body}) {
		const {body: plain, formatted_body} = body as Content;
		return Buffer.byteLength(JSON.stringify({body: plain, formatted_body}));
	},
	// `m.mentions`, which `serve` looks at, is the switch.
	mention: /href="(?:matrix|tg):/,
};

testPlatform(speech);

const changesIn = (calls: readonly Call[]) =>
	calls.filter(call => call.method === 'PUT' && isChange(call));

test('matrix: an alias is resolved once, and again after a failure', async () => {
	await using open = await openSender(speech);
	const extra = {chat_id: alias};
	await open.send('one', extra);
	await open.send('two', extra);
	const lookups = () => open.service.calls.filter(({path}) => path.includes('/directory/')).length;
	expect(open.service.faults).toEqual([]);
	expect(lookups()).toBe(1);

	open.service.react(failed(403, 'M_FORBIDDEN'));
	await expect(open.send('three', extra)).rejects.toMatchObject({code: 'platform_rejected'});
	await open.send('four', extra);
	expect(lookups()).toBe(2);
});

test('matrix: what is asked for has to be in the answer', async () => {
	await using open = await openSender(speech);
	const limits = {limitMs: 1000, signal: new AbortController().signal};
	const unread = {code: 'platform_failed', retryable: true};
	open.service.reactToChecks({status: 200, json: {room_id: room, event_id: '$1'}});
	await expect(open.sender.check?.(limits)).rejects.toMatchObject(unread);
	open.service.reactToChecks({status: 200, json: {user_id: '@svc:example.org', event_id: '$1'}});
	await expect(open.send('one', {chat_id: alias})).rejects.toMatchObject(unread);
});

test('matrix: a lookup that breaks off leaves nothing in doubt', async () => {
	await using open = await openSender(speech);
	open.service.reactToChecks('breaks');
	await expect(open.send('one', {chat_id: alias})).rejects.toMatchObject({
		code: 'platform_unreachable',
		isUncertain: false,
	});
});

test('matrix: a message in a thread says so to clients without threads, too', async () => {
	await using open = await openSender({
		...speech,
		serve: () => () => ({status: 200, json: {event_id: '$2'}}),
	});
	await open.send('It works.', {chat_id: room, thread_id: '$root:example.org', format: 'plain'});
	expect(open.service.calls.map(({body}) => body)).toEqual([
		{
			...contentOf({body: 'It works.'}),
			'm.relates_to': {
				rel_type: 'm.thread',
				event_id: '$root:example.org',
				is_falling_back: true,
				'm.in_reply_to': {event_id: '$root:example.org'},
			},
		},
	]);
});

test.for<[string, JsonObject, JsonObject]>([
	['a message', {}, {}],
	[
		'a message of a thread',
		{thread_id: '$root:example.org'},
		{rel_type: 'm.thread', event_id: '$root:example.org', is_falling_back: false},
	],
])('matrix: %s is answered', async ([, extra, relation]) => {
	await using open = await openSender({
		...speech,
		serve: () => () => ({status: 200, json: {event_id: '$2'}}),
	});
	await open.send('It works.', {chat_id: room, reply_to: '$asked', format: 'plain', ...extra});
	expect(open.service.calls.map(({body}) => body)).toEqual([
		{
			...contentOf({body: 'It works.'}),
			'm.relates_to': {...relation, 'm.in_reply_to': {event_id: '$asked'}},
		},
	]);
});

test('matrix: a sticky text changes one message, with room for its texts twice', async () => {
	await using open = await openPlatform(speech);
	const extra = {chat_id: room, sticky: true};
	await open.deliver('**one**', {runId: 1}, extra);
	const {summary} = await open.deliver('**two** '.repeat(10_000), {runId: 2}, extra);

	expect(open.service.faults).toEqual([]);
	expect(summary).toMatch(/\(message \$1\), edited; cut$/);
	expect(open.service.calls.filter(speech.isSending)).toHaveLength(1);
	const changes = changesIn(open.service.calls);
	expect(changes).toHaveLength(1);
	const [{body, raw}] = changes as [Call];
	const texts = (body as {'m.new_content': Content})['m.new_content'];
	assert.deepEqual(body, {
		...contentOf({...texts, body: `* ${texts.body}`}),
		'm.new_content': contentOf(texts),
		'm.relates_to': {rel_type: 'm.replace', event_id: '$1'},
	});
	expect(Buffer.byteLength(raw)).toBeGreaterThan(50_000);
	expect(Buffer.byteLength(raw)).toBeLessThan(62_000);
});

test('matrix: a long identifier of an event is asked for again as it came', async () => {
	const id = `$${'e'.repeat(60)}:${'long-name.'.repeat(18)}org`;
	await using open = await openPlatform({
		...speech,
		serve: () => () => ({status: 200, json: {event_id: id, content: {msgtype: 'm.notice'}}}),
	});
	const extra = {chat_id: room, sticky: true};
	await open.deliver('one', {runId: 1}, extra);
	await open.deliver('two', {runId: 2}, extra);

	const [{body}] = changesIn(open.service.calls) as [Call];
	expect(body).toMatchObject({'m.relates_to': {rel_type: 'm.replace', event_id: id}});
	expect(open.service.calls.map(({path}) => path)).toContain(events + encodeURIComponent(id));
});

test.for(['$\u001b[2J', `$${'x'.repeat(1001)}`, '$\u202e'])(
	'matrix: an event called %j is sent, and neither named nor changed',
	async id => {
		await using open = await openPlatform({
			...speech,
			serve: () => () => ({status: 200, json: {event_id: id}}),
		});
		const extra = {chat_id: room, sticky: true};
		expect(await open.deliver('one', {runId: 1}, extra)).toEqual({summary: `matrix ${room}`});
		expect(await open.deliver('two', {runId: 2}, extra)).toEqual({summary: `matrix ${room}`});
	},
);

const found = (content: JsonObject) => ({status: 200, json: {event_id: '$1', content}});

test.for<[string, number, readonly Reply[]]>([
	['was deleted', 0, [found({})]],
	['is gone', 0, [failed(404, 'M_NOT_FOUND')]],
	['may not be changed', 1, [found({msgtype: 'm.notice'}), failed(403, 'M_FORBIDDEN')]],
])('matrix: a message that %s is sent anew', async ([, changes, replies]) => {
	await using open = await openPlatform(speech);
	const extra = {chat_id: room, sticky: true};
	await open.deliver('one', {runId: 1}, extra);
	open.service.reactToChecks(...replies);
	const {summary} = await open.deliver('two', {runId: 2}, extra);
	expect(summary).toMatch(/\(message \$2\)$/);
	expect(changesIn(open.service.calls)).toHaveLength(changes);
});
