import assert from 'node:assert/strict';
import {expect, test} from 'vitest';
import {failureOf} from '../delivery/delivery-fixture.ts';
import {testPlatform} from './contract.ts';
import {openPlatform, type Speech} from './open-platform.ts';

const token = 'rocketchat-token-0123456789';
const [user, room] = ['aobEdbYhXfu5hkeqG', 'ByehQjC44FwMeiLbX'];
const startMs = 1_700_000_000_000;

const failed = (status: number, error: string) => ({status, json: {success: false, error}});

const limited = (reset: number | string) => ({
	...failed(429, 'Error, too many requests. [error-too-many-requests]'),
	headers: {'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset)},
});

type Body = {
	readonly text?: string;
	readonly message?: {readonly msg: string};
};

const textOf = ({body}: {readonly body: unknown}) => {
	const {text, message} = body as Body;
	return text ?? message?.msg ?? '';
};

const isSending: Speech['isSending'] = ({path}) => /chat\.(?:send|post)Message$/.test(path);

const speech: Speech = {
	kind: 'rocketchat',
	settings: url => ({api_base: url, user_id: user, auth_token: token}),
	extra: {chat_id: room},
	refused: ['', 'a room', '#', '@a/b', '../me', '{chat}', '#{chat}', true],
	serve() {
		const stored = new Map<unknown, string>();
		return ({method, path, query, headers, body}) => {
			assert.equal(headers['x-auth-token'], token);
			assert.equal(headers['x-user-id'], user);
			if (path === '/api/v1/me') {
				assert.equal(method, 'GET');
				return {status: 200, json: {success: true, _id: user, username: 'svc'}};
			}

			if (path === '/api/v1/chat.getMessage') {
				assert.equal(method, 'GET');
				const id = query['msgId'] ?? '';
				return stored.has(id)
					? {status: 200, json: {success: true, message: {_id: id, rid: room}}}
					: failed(400, 'no');
			}

			assert.equal(method, 'POST');
			assert.match(headers['content-type'] ?? '', /^application\/json/);
			if (path === '/api/v1/chat.update') {
				const {text, ...rest} = body as Record<string, string>;
				const [id] = [...stored.keys()].slice(-1);
				assert.deepEqual(rest, {roomId: room, msgId: id, previewUrls: []});
				return {status: 200, json: {success: true, message: {_id: String(id), msg: text ?? ''}}};
			}

			assert.equal(path, '/api/v1/chat.sendMessage');
			const {message, ...rest} = body as {message: Record<string, string>};
			const {_id: id = '', msg = '', ...others} = message;
			assert.deepEqual([rest, others], [{previewUrls: []}, {rid: room}]);
			assert.match(id, /^[0-9a-f]{25}$/);
			if (stored.has(id)) {
				return failed(400, "Cannot read properties of undefined (reading 'starred')");
			}

			stored.set(id, msg);
			return {status: 200, json: {success: true, message: {_id: id, rid: room, msg}}};
		};
	},
	isSending,
	textOf: call => textOf(call).replaceAll(/`[^`]*`/g, ''),
	keyOf: ({body}) => (body as Body).message,
	changes: {
		isChange: ({path}) => path.endsWith('chat.update'),
		textOf,
		refusals: [
			failed(400, 'No message found with the id of "x".'),
			failed(400, 'Message editing is blocked [error-message-editing-blocked]'),
			failed(400, 'Message editing not allowed [error-action-not-allowed]'),
		],
	},
	failures: [
		{
			name: 'too many',
			reply: limited(startMs + 33_000),
			code: 'platform_rate_limited',
			waitMs: 33_000,
		},
		{
			name: 'too many, by a clock that is behind',
			reply: limited(startMs - 33_000),
			code: 'platform_rate_limited',
		},
		{
			name: 'too many, by a clock that is far ahead',
			reply: limited(startMs * 2),
			code: 'platform_rate_limited',
			waitMs: 3_600_000,
		},
		{name: 'too many, until soon', reply: limited('soon'), code: 'platform_rate_limited'},
		{
			name: 'no such token',
			reply: {
				status: 401,
				json: {status: 'error', message: 'You must be logged in to do this.'},
			},
			code: 'platform_unauthorized',
		},
		{
			name: 'too long',
			reply: failed(400, 'Message size exceeds [error-message-size-exceeded]'),
			code: 'platform_rejected',
		},
		{name: 'no permission', reply: failed(403, 'unauthorized'), code: 'platform_rejected'},
		{
			name: 'a message without success',
			reply: {status: 200, json: {message: {_id: 'x'}}},
			code: 'platform_failed',
		},
		{
			name: 'their own trouble',
			reply: failed(500, 'Internal server error'),
			code: 'platform_failed',
		},
	],
	refusal: {status: 401, json: {status: 'error', message: 'You must be logged in to do this.'}},
	secrets: [token],
	limit: 5000,
	measure: call => textOf(call).length,
	mention: /(?<![A-Za-z0-9])@\w|\]\((?!https?:|mailto:)/,
};

testPlatform(speech);

const byName: Speech = {
	...speech,
	serve: () => () => ({
		status: 200,
		json: {success: true, channel: 'general', message: {_id: 'abc', rid: room}},
	}),
};

test('a channel or a user by name is written to by another method, in a thread, too, and changed in its room', async () => {
	await using open = await openPlatform(byName, {written: {per_minute: 0}});
	const place = {chat_id: '#general', thread_id: 'jC9chsFddTvsbFQG7', sticky: true};
	expect(await open.deliver('one', {runId: 1}, place)).toEqual({
		summary: `rocketchat #general (message ${room}/abc)`,
	});
	await open.deliver('two', {runId: 2}, place);

	expect(open.service.calls.map(({path, body}) => [path, body])).toEqual([
		[
			'/api/v1/chat.postMessage',
			{channel: '#general', text: 'one', tmid: 'jC9chsFddTvsbFQG7', parseUrls: false},
		],
		['/api/v1/chat.update', {roomId: room, msgId: 'abc', text: 'two', previewUrls: []}],
	]);
});

test('what goes to a name has no key: when it breaks off it is not sent again', async () => {
	await using open = await openPlatform(byName);
	open.service.react('breaks');

	expect(await failureOf(open.deliver('once', {}, {chat_id: '@ada'}))).toMatchObject({
		code: 'delivery_uncertain',
		retryable: false,
	});
	expect(open.service.calls).toHaveLength(1);
});

test('a message that the server stumbles over is looked up, and is none when it is not there', async () => {
	await using open = await openPlatform(speech);
	const stumbled = failed(400, "Cannot read properties of undefined (reading 'starred')");
	open.service.react(stumbled);

	expect(
		await failureOf(open.deliver('x', {}, {...speech.extra, thread_id: 'abc123'})),
	).toMatchObject({code: 'platform_rejected'});
	expect(open.service.calls.map(({path}) => path.split('/').at(-1))).toEqual([
		'chat.sendMessage',
		'chat.getMessage',
	]);
	expect(open.service.calls[0]?.body).toMatchObject({message: {tmid: 'abc123'}});
});
