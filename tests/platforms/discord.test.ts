import assert from 'node:assert/strict';
import {expect, test} from 'vitest';
import {version} from '../../source/core/program.ts';
import {testPlatform} from './contract.ts';
import {openPlatform, openSender, type Speech} from './open-platform.ts';

const token = 'MTIzNDU2.discord-token.0123456789';
const channel = '123456789012345678';

const failed = (status: number, code: number, message: string) => ({
	status,
	json: {message, code},
});

const limited = (retry_after: number, global: boolean) => ({
	status: 429,
	json: {message: 'You are being rate limited.', code: 0, retry_after, global},
});

const contentOf = ({body}: {readonly body: unknown}) => (body as {content: string}).content;

const speech: Speech = {
	kind: 'discord',
	settings: url => ({bot_token: token, api_base: `${url}/`}),
	extra: {chat_id: channel},
	refused: ['', 'general', '#general', '1234', `${channel}/messages`, '{chat}', 2 ** 60, false],
	serve() {
		let last = 880;
		const known = new Map<unknown, string>();
		return ({method, path, headers, body}) => {
			assert.equal(headers['authorization'], `Bot ${token}`);
			assert.match(headers['user-agent'] ?? '', /^DiscordBot \(https:\/\/\S+, \S+\)$/);
			if (path === '/api/v10/users/@me') {
				assert.equal(method, 'GET');
				return {status: 200, json: {id: '1', bot: true, username: 'svc'}};
			}

			assert.match(headers['content-type'] ?? '', /^application\/json/);
			const {content: _, nonce, ...rest} = body as Record<string, unknown>;
			if (method === 'PATCH') {
				assert.equal(path, `/api/v10/channels/${channel}/messages/${last}`);
				assert.deepEqual(rest, {allowed_mentions: {parse: []}, flags: 4, components: []});
				assert.equal(nonce, undefined);
				return {status: 200, json: {id: String(last)}};
			}

			assert.equal(method, 'POST');
			assert.equal(path, `/api/v10/channels/${channel}/messages`);
			assert.deepEqual(rest, {allowed_mentions: {parse: []}, flags: 4, enforce_nonce: true});
			assert.match(String(nonce), /^[0-9a-f]{25}$/);
			last += known.has(nonce) ? 0 : 1;
			const id = known.get(nonce) ?? String(last);
			known.set(nonce, id);
			return {status: 200, json: {id, nonce: String(nonce)}};
		};
	},
	isSending: ({method}) => method === 'POST',
	textOf: contentOf,
	keyOf: ({body}) => (body as {nonce: string}).nonce,
	changes: {
		isChange: ({method}) => method === 'PATCH',
		textOf: contentOf,
		refusals: [
			failed(404, 10_008, 'Unknown Message'),
			failed(403, 50_005, 'Cannot edit a message authored by another user'),
			failed(429, 30_046, 'Maximum number of edits to messages older than 1 hour reached.'),
		],
	},
	failures: [
		{
			name: 'too many for the channel',
			reply: {
				...limited(64.57, false),
				headers: {'retry-after': '65', 'x-ratelimit-reset-after': '64.57'},
			},
			code: 'platform_rate_limited',
			waitMs: 65_000,
		},
		{
			name: 'too many for the bot',
			reply: limited(1.3371, true),
			code: 'platform_rate_limited',
			waitMs: 1338,
		},
		{
			name: 'too many, as a proxy says it',
			reply: {status: 429, text: 'error code: 1015', headers: {'retry-after': '600'}},
			code: 'platform_rate_limited',
			waitMs: 600_000,
		},
		{
			name: 'no such token',
			reply: failed(401, 0, '401: Unauthorized'),
			code: 'platform_unauthorized',
		},
		{name: 'no access', reply: failed(403, 50_001, 'Missing Access'), code: 'platform_rejected'},
		{
			name: 'no permission',
			reply: failed(403, 50_013, 'Missing Permissions'),
			code: 'platform_rejected',
		},
		{name: 'no channel', reply: failed(404, 10_003, 'Unknown Channel'), code: 'platform_rejected'},
		{name: 'too long', reply: failed(400, 50_035, 'Invalid Form Body'), code: 'platform_rejected'},
		{
			name: 'an id in an error',
			reply: {status: 400, json: {id: '881', code: 0, message: 'no'}},
			code: 'platform_rejected',
		},
		{
			name: 'a success without an id',
			reply: {status: 200, json: {content: 'x'}},
			code: 'platform_failed',
		},
		{name: 'their own trouble', reply: failed(500, 0, 'oops'), code: 'platform_failed'},
	],
	refusal: failed(401, 0, '401: Unauthorized'),
	secrets: [token],
	limit: 2000,
	measure: call => contentOf(call).length,
	// `allowed_mentions` switches mentions off.
	mention: /(?<!\\)\]\((?!<?(?:https?:|mailto:))/,
};

testPlatform(speech);

test('the connect check wants a bot', async () => {
	await using open = await openSender(speech);
	open.service.reactToChecks({status: 200, json: {id: '1', username: 'ann'}});
	const limits = {limitMs: 1000, signal: new AbortController().signal};

	await expect(open.sender.check?.(limits)).rejects.toMatchObject({code: 'platform_failed'});
	expect(await open.sender.check?.(limits)).toBe('svc');
});

test('a thread stands in the place of its channel; an answer names the message', async () => {
	await using open = await openPlatform({
		...speech,
		serve: () => () => ({status: 200, json: {id: '9'}}),
	});
	const place = {chat_id: channel, thread_id: '223456789012345678', reply_to: '323456789012345678'};
	expect(await open.deliver('# yes', {}, place)).toEqual({
		summary: `discord ${channel} (message 9)`,
	});

	const [{path, headers, body} = {}] = open.service.calls;
	expect(path).toBe('/api/v10/channels/223456789012345678/messages');
	expect(headers?.['user-agent']).toContain(`, ${version})`);
	expect(body).toEqual({
		content: '# yes',
		allowed_mentions: {parse: []},
		flags: 4,
		nonce: expect.stringMatching(/^[0-9a-f]{25}$/),
		enforce_nonce: true,
		message_reference: {message_id: '323456789012345678', fail_if_not_exists: false},
	});
});

test('after two minutes a message that may have arrived is not sent again', async () => {
	await using open = await openPlatform(speech);
	open.service.react('breaks', 'breaks', 'breaks', 'breaks');
	const delivery = open.deliver('once').then(
		() => undefined,
		(error: {code: string}) => error.code,
	);
	for (const pause of [1000, 4000, 16_000]) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await open.pass(pause);
	}

	expect(await delivery).toBe('delivery_uncertain');
	open.clock.advance(100_000);
	await expect(open.deliver('once')).rejects.toMatchObject({code: 'delivery_uncertain'});
	expect(open.service.calls).toHaveLength(4);
});

test('the last message of a text has the buttons', async () => {
	const components: unknown[] = [];
	await using open = await openPlatform(
		{
			...speech,
			serve: () => call => {
				components.push((call.body as {components?: unknown}).components);
				return {status: 200, json: {id: '9'}};
			},
		},
		{written: {per_minute: 0}},
	);
	const buttons = [
		{label: 'Approve', data: 'approve K7QF'},
		{label: 'Deny', data: 'deny K7QF'},
	];
	await open.deliver('word '.repeat(500), {buttons});
	expect(components).toEqual([
		undefined,
		[
			{
				type: 1,
				components: [
					{type: 2, style: 2, label: 'Approve', custom_id: 'approve K7QF'},
					{type: 2, style: 2, label: 'Deny', custom_id: 'deny K7QF'},
				],
			},
		],
	]);
});
