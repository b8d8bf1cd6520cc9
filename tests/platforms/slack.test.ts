import assert from 'node:assert/strict';
import {expect, test} from 'vitest';
import {testPlatform} from './contract.ts';
import {openPlatform, type Speech} from './open-platform.ts';

const token = 'xoxb-123456-slack-token-0123456789';

const failed = (error: string, more = {}) => ({status: 200, json: {ok: false, error, ...more}});

const textOf = ({body}: {readonly body: unknown}) => (body as {text: string}).text;

const speech: Speech = {
	kind: 'slack',
	settings: url => ({bot_token: token, api_base: url}),
	extra: {chat_id: 'C0123ABC'},
	refused: ['', '#general', 'general', 'c0123abc', 'X0123ABC', 'C0123ABC/..', '{chat}', 12, true],
	serve() {
		let last = 880;
		return ({method, path, headers, body}) => {
			assert.equal(method, 'POST');
			assert.equal(headers['authorization'], `Bearer ${token}`);
			if (path === '/api/auth.test') {
				return {
					status: 200,
					json: {ok: true, team: 'Acme', user: 'svc', user_id: 'U1', bot_id: 'B1'},
				};
			}

			assert.equal(headers['content-type'], 'application/json; charset=utf-8');
			const {text: _, mrkdwn, ...rest} = body as Record<string, unknown>;
			assert.ok(mrkdwn === undefined || mrkdwn === false);
			if (path === '/api/chat.update') {
				assert.deepEqual(rest, {
					channel: 'C0123ABC',
					ts: `1503435956.000${last}`,
					parse: 'none',
					blocks: [],
				});
			} else {
				assert.equal(path, '/api/chat.postMessage');
				assert.deepEqual(rest, {channel: 'C0123ABC', unfurl_links: false, unfurl_media: false});
				last += 1;
			}

			return {status: 200, json: {ok: true, channel: 'C0123ABC', ts: `1503435956.000${last}`}};
		};
	},
	isSending: ({path}) => path === '/api/chat.postMessage',
	textOf,
	changes: {
		isChange: ({path}) => path === '/api/chat.update',
		textOf,
		refusals: [
			failed('message_not_found'),
			failed('cant_update_message'),
			failed('edit_window_closed'),
		],
	},
	failures: [
		{
			name: 'too many',
			reply: {
				status: 429,
				json: {ok: false, error: 'ratelimited'},
				headers: {'retry-after': '30'},
			},
			code: 'platform_rate_limited',
			waitMs: 30_000,
		},
		{
			name: 'too many, with a success',
			reply: {...failed('rate_limited'), headers: {'retry-after': '2'}},
			code: 'platform_rate_limited',
			waitMs: 2000,
		},
		...['invalid_auth', 'not_authed', 'token_revoked', 'token_expired', 'account_inactive'].map(
			error => ({name: error, reply: failed(error), code: 'platform_unauthorized'}) as const,
		),
		...['channel_not_found', 'not_in_channel', 'is_archived', 'msg_too_long', 'not_known_yet'].map(
			error => ({name: error, reply: failed(error), code: 'platform_rejected'}) as const,
		),
		...['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'].map(
			error => ({name: error, reply: failed(error), code: 'platform_failed'}) as const,
		),
		{
			name: 'a timestamp without ok',
			reply: {status: 200, json: {ts: '1503435956.000881'}},
			code: 'platform_failed',
		},
		{
			name: 'their own trouble',
			reply: {status: 502, json: {ok: false, error: 'bad_gateway'}},
			code: 'platform_failed',
		},
	],
	refusal: failed('invalid_auth'),
	secrets: [token],
	limit: 4000,
	measure: call => textOf(call).length,
	mention: /<(?!https?:|mailto:)/,
};

testPlatform(speech);

test('an answer stands in the thread; what Slack has nothing for is said', async () => {
	await using open = await openPlatform({
		...speech,
		serve: () => () => ({status: 200, json: {ok: true, channel: 'C1', ts: '5.000001'}}),
	});
	const place = {chat_id: 'C1', thread_id: '1503435956.000247', reply_to: 'x', format: 'plain'};
	expect(await open.deliver('*as* <it> is', {}, place)).toEqual({
		summary: 'slack C1 (message 5.000001); ignored: reply_to',
	});
	expect(open.service.calls.map(({body}) => body)).toEqual([
		{
			channel: 'C1',
			text: '*as* &lt;it&gt; is',
			mrkdwn: false,
			unfurl_links: false,
			unfurl_media: false,
			thread_ts: '1503435956.000247',
		},
	]);
});

test('a sticky message to a member is changed in the conversation that Slack put it into', async () => {
	await using open = await openPlatform(
		{
			...speech,
			serve: () => () => ({status: 200, json: {ok: true, channel: 'D77', ts: '5.000001'}}),
		},
		{written: {per_minute: 0}},
	);
	const place = {chat_id: 'U77', sticky: true};
	await open.deliver('one', {runId: 1}, place);
	await open.deliver('two', {runId: 2}, place);

	expect(open.service.calls.map(({path, body}) => [path, body])).toEqual([
		[
			'/api/chat.postMessage',
			{channel: 'U77', text: 'one', unfurl_links: false, unfurl_media: false},
		],
		['/api/chat.update', {channel: 'D77', ts: '5.000001', text: 'two', parse: 'none', blocks: []}],
	]);
});
