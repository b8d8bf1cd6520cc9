import assert from 'node:assert/strict';
import {expect, test} from 'vitest';
import {testPlatform} from './contract.ts';
import {openPlatform, type Speech} from './open-platform.ts';

const token = 'mattermost-token-0123456789';
const [channel, root] = ['4xp9fdt7pbgium38k0k9w9xcbr', 'ruy6bgcx4pnbzcq7ysg3dp6q5e'];

const failed = (status: number, id: string) => ({
	status,
	json: {id, message: 'No.', detailed_error: '', request_id: 'r', status_code: status},
});

const messageOf = ({body}: {readonly body: unknown}) => (body as {message: string}).message;

const withoutCode = (text: string) => text.replaceAll(/`[^`]*`/g, '');

const limited = (headers: Record<string, string>) => ({
	status: 429,
	text: 'limit exceeded\n',
	headers,
});

const speech: Speech = {
	kind: 'mattermost',
	settings: url => ({api_base: url, bot_token: token}),
	extra: {chat_id: channel},
	refused: ['', 'town-square', '@user', `${channel}x`, channel.toUpperCase(), '{chat}', 7, true],
	serve() {
		let last = 10;
		const known = new Map<unknown, string>();
		return ({method, path, headers, body}) => {
			assert.equal(headers['authorization'], `Bearer ${token}`);
			if (path === '/api/v4/users/me') {
				assert.equal(method, 'GET');
				return {status: 200, json: {id: root, username: 'svc'}};
			}

			assert.match(headers['content-type'] ?? '', /^application\/json/);
			const {message: _, pending_post_id: key, ...rest} = body as Record<string, unknown>;
			if (method === 'PUT') {
				assert.equal(path, `/api/v4/posts/post${last}/patch`);
				assert.deepEqual({key, ...rest}, {key: undefined});
				return {status: 200, json: {id: `post${last}`}};
			}

			assert.equal(method, 'POST');
			assert.equal(path, '/api/v4/posts');
			assert.deepEqual(rest, {channel_id: channel});
			assert.match(String(key), /^[0-9a-f]{25}$/);
			last += known.has(key) ? 0 : 1;
			const id = known.get(key) ?? `post${last}`;
			known.set(key, id);
			return {status: 201, json: {id, channel_id: channel}};
		};
	},
	isSending: ({method}) => method === 'POST',
	textOf: call => withoutCode(messageOf(call)),
	keyOf: ({body}) => (body as {pending_post_id: string}).pending_post_id,
	changes: {
		isChange: ({method}) => method === 'PUT',
		textOf: messageOf,
		refusals: [
			failed(403, 'api.context.permissions.app_error'),
			failed(400, 'api.post.update_post.permissions_time_limit.app_error'),
			failed(404, 'app.post.get.app_error'),
		],
	},
	failures: [
		{
			name: 'too many, with the next time and the last one',
			reply: limited({'retry-after': '2', 'x-ratelimit-reset': '9'}),
			code: 'platform_rate_limited',
			waitMs: 2000,
		},
		{
			name: 'too many, with the last time alone',
			reply: limited({'x-ratelimit-reset': '9'}),
			code: 'platform_rate_limited',
			waitMs: 9000,
		},
		{
			name: 'too many, with no time that could be read',
			reply: limited({'x-ratelimit-reset': 'soon'}),
			code: 'platform_rate_limited',
		},
		{
			name: 'too many, for a year',
			reply: limited({'x-ratelimit-reset': '31536000'}),
			code: 'platform_rate_limited',
			waitMs: 3_600_000,
		},
		{
			name: 'no such session',
			reply: failed(401, 'api.context.session_expired.app_error'),
			code: 'platform_unauthorized',
		},
		{
			name: 'too long',
			reply: failed(400, 'model.post.is_valid.message_length.app_error'),
			code: 'platform_rejected',
		},
		{
			name: 'no permission',
			reply: failed(403, 'api.context.permissions.app_error'),
			code: 'platform_rejected',
		},
		{
			name: 'no channel',
			reply: failed(404, 'app.channel.get.existing.app_error'),
			code: 'platform_rejected',
		},
		{
			name: 'an id in an error',
			reply: {status: 400, json: {id: 'post11'}},
			code: 'platform_rejected',
		},
		{
			name: 'an error inside of a success',
			reply: {...failed(500, 'app.post.save.app_error'), status: 200},
			code: 'platform_failed',
		},
		{
			name: 'their own trouble',
			reply: failed(500, 'app.post.save.app_error'),
			code: 'platform_failed',
		},
	],
	refusal: failed(401, 'api.context.session_expired.app_error'),
	secrets: [token],
	limit: 16_383,
	measure: call => Array.from(messageOf(call)).length,
	mention: /(?<![A-Za-z0-9])@\w|(?<!\\)\]\((?!https?:|mailto:)/,
};

testPlatform(speech);

test('an answer stands in the thread of its first post', async () => {
	await using open = await openPlatform({
		...speech,
		serve: () => () => ({status: 201, json: {id: 'p'}}),
	});
	await open.deliver('**yes**', {}, {chat_id: channel, thread_id: root});
	expect(open.service.calls.map(({body}) => body)).toEqual([
		{
			channel_id: channel,
			message: '**yes**',
			root_id: root,
			pending_post_id: expect.stringMatching(/^[0-9a-f]{25}$/),
		},
	]);
});

test('a message is repeated only while a server is sure to know its key: the third time is too late', async () => {
	await using open = await openPlatform(speech);
	open.service.react('breaks', 'breaks', 'breaks');
	const delivery = open.deliver('once').then(
		() => undefined,
		(error: {code: string}) => error.code,
	);
	await open.pass(1000);
	await open.pass(4000);

	expect(await delivery).toBe('delivery_uncertain');
	expect(open.service.calls).toHaveLength(3);
});
