import assert from 'node:assert/strict';
import {expect, test} from 'vitest';
import {testPlatform} from './contract.ts';
import {openPlatform, openSender, type Speech} from './open-platform.ts';
import type {Call} from './service.ts';

const email = 'svc-bot@acme.zulipchat.com';
const key = 'zulip-key-0123456789abcdef';
const basic = Buffer.from(`${email}:${key}`).toString('base64');

type Form = {readonly content: string};

const failed = (status: number, code: string, more = {}) => ({
	status,
	json: {result: 'error', msg: 'No', code, ...more},
});

const speech: Speech = {
	kind: 'zulip',
	settings: url => ({api_base: url, bot_email: email, api_key: key}),
	extra: {chat_id: 'ops'},
	refused: ['', 'user:', 'user:9,x', 'user:ann', 'x'.repeat(61), 'two\nlines', '{channel}', true],
	serve() {
		let last = 40;
		return ({method, path, headers, body}) => {
			assert.equal(headers['authorization'], `Basic ${basic}`);
			if (path === '/api/v1/users/me') {
				assert.equal(method, 'GET');
				return {status: 200, json: {result: 'success', msg: '', email, user_id: 3, is_bot: true}};
			}

			assert.equal(headers['content-type'], 'application/x-www-form-urlencoded');
			const {content} = body as Form;
			assert.ok(content.trim());
			if (method === 'PATCH') {
				assert.match(path, /^\/api\/v1\/messages\/\d+$/);
				assert.deepEqual(body, {content});
				return {status: 200, json: {result: 'success', msg: ''}};
			}

			assert.equal(`${method} ${path}`, 'POST /api/v1/messages');
			assert.deepEqual(body, {type: 'channel', to: '"ops"', topic: 'svc', content});
			last += 1;
			return {status: 200, json: {result: 'success', msg: '', id: last}};
		};
	},
	isSending: ({method}) => method === 'POST',
	// What is code mentions nobody.
	textOf: ({body}) => (body as Form).content.replaceAll(/`[^`]*`/g, ''),
	failures: [
		{
			name: 'too many',
			reply: failed(429, 'RATE_LIMIT_HIT', {'retry-after': 28.7}),
			code: 'platform_rate_limited',
			waitMs: 28_700,
		},
		{
			name: 'no such key',
			reply: failed(401, 'INVALID_API_KEY'),
			code: 'platform_unauthorized',
		},
		{
			name: 'no such channel',
			reply: failed(400, 'STREAM_DOES_NOT_EXIST'),
			code: 'platform_rejected',
		},
		{
			name: 'an error inside of a success',
			reply: failed(200, 'BAD_REQUEST'),
			code: 'platform_failed',
		},
		{name: 'their own trouble', reply: failed(502, 'BAD_GATEWAY'), code: 'platform_failed'},
	],
	refusal: failed(401, 'INVALID_API_KEY'),
	secrets: [key, basic],
	limit: 10_000,
	measure: ({body}) => Array.from((body as Form).content).length,
	mention: /(?<![A-Za-z0-9])@[\w*_]/,
};

testPlatform(speech);

const anywhere = {...speech, serve: () => () => ({status: 200, json: {result: 'success', id: 9}})};

const formsIn = (calls: readonly Call[]) => calls.map(({body}) => body);

test.for<[string | number, object]>([
	['ops', {type: 'channel', to: '"ops"', topic: 'svc'}],
	['Ops & more: [1, 2]', {type: 'channel', to: '"Ops & more: [1, 2]"', topic: 'svc'}],
	[12, {type: 'channel', to: '12', topic: 'svc'}],
	['user:9,10', {type: 'direct', to: '[9,10]'}],
	['ann@acme.example', {type: 'direct', to: '["ann@acme.example"]'}],
	[
		'ann@acme.example, bob@acme.example',
		{type: 'direct', to: '["ann@acme.example","bob@acme.example"]'},
	],
])('zulip: chat_id %j is %j', async ([chat, recipient]) => {
	await using open = await openSender(anywhere);
	await open.send('It works\\.', {chat_id: chat});
	expect(formsIn(open.service.calls)).toEqual([{...recipient, content: 'It works.'}]);
});

test('zulip: thread_id is the topic, and without one the topic of the settings counts', async () => {
	await using open = await openSender(anywhere, {written: {topic: 'alerts'}});
	await open.send('x', {chat_id: 'ops', thread_id: 'deploys of today'});
	await open.send('x', {chat_id: 'ops'});
	expect(formsIn(open.service.calls)).toMatchObject([
		{topic: 'deploys of today'},
		{topic: 'alerts'},
	]);
	await expect(open.send('x', {chat_id: 'ops', thread_id: 'x'.repeat(61)})).rejects.toThrow(
		'deliver_extra.thread_id must be a topic',
	);
});

test.for([
	[{chat_id: 'ops', thread_id: 'x', message_thread_id: 'y'}, 'message_thread_id'],
	[{chat_id: 'user:9', thread_id: 'x'.repeat(61)}, 'thread_id'],
	[{chat_id: 'ann@acme.example', message_thread_id: 'x'}, 'message_thread_id'],
	[
		{chat_id: 'user:9', thread_id: 'x', message_thread_id: 'y', reply_to: 7},
		'thread_id, message_thread_id, reply_to',
	],
] as const)('zulip: with %j the receipt says that %s is ignored', async ([extra, ignored]) => {
	await using open = await openPlatform(anywhere);
	const {summary} = await open.deliver('x', {}, extra);
	expect(summary).toBe(`zulip ${extra.chat_id} (message 9); ignored: ${ignored}`);
});

test('zulip: a sticky text changes one message, until that is too old', async () => {
	await using open = await openPlatform(speech, {written: {per_minute: 0}});
	const extra = {chat_id: 'ops', sticky: true};
	await open.deliver('one', {runId: 1}, extra);
	const changed = await open.deliver('two', {runId: 2}, extra);
	expect(changed.summary).toBe('zulip ops (message 41), edited');
	open.service.reactToChecks(
		failed(400, 'BAD_REQUEST', {msg: 'The time limit for editing this message has passed'}),
	);
	const sent = await open.deliver('three', {runId: 3}, extra);
	expect(sent.summary).toBe('zulip ops (message 42)');
	expect(open.service.faults).toEqual([]);
	expect(open.service.calls.map(({method, path}) => `${method} ${path}`)).toEqual([
		'POST /api/v1/messages',
		'PATCH /api/v1/messages/41',
		'PATCH /api/v1/messages/41',
		'POST /api/v1/messages',
	]);
});
