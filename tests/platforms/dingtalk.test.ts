import assert from 'node:assert/strict';
import {createHmac} from 'node:crypto';
import {expect, test} from 'vitest';
import {testPlatform} from './contract.ts';
import {openPlatform, openSender, type Speech} from './open-platform.ts';

const token = 'dingtalk-access-token-0123456789abcdef';
const secret = 'SEC0123456789abcdef-dingtalk+/=';

type Body = {readonly markdown: {readonly title: string; readonly text: string}};

/** An error as it comes, with 200. */
const failed = (errcode: number, errmsg: string) => ({status: 200, json: {errcode, errmsg}});

const speech: Speech = {
	kind: 'dingtalk',
	settings: url => ({
		webhooks: {
			ops: {url: `${url}/robot/send?access_token=${token}`, secret},
			open: {url: `${url}/robot/send?access_token=open`},
		},
	}),
	extra: {chat_id: 'ops'},
	refused: ['', 'other', 'https://evil.example/robot/send', '{chat}', true, '__proto__', 'Ops'],
	serve:
		() =>
		({method, path, query, headers, body}) => {
			const {timestamp, sign, ...rest} = query;
			assert.deepEqual([method, path, rest], ['POST', '/robot/send', {access_token: token}]);
			assert.match(timestamp ?? '', /^17000\d{8}$/);
			assert.equal(
				sign,
				createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64'),
			);
			assert.match(headers['content-type'] ?? '', /^application\/json/);
			const {title, text} = (body as Body).markdown;
			assert.deepEqual(body, {
				msgtype: 'markdown',
				markdown: {title, text},
				at: {isAtAll: false},
			});
			assert.equal(title, 'gh-review');
			return {status: 200, json: {errcode: 0, errmsg: 'ok'}};
		},
	isSending: () => true,
	textOf: ({body}) => (body as Body).markdown.text,
	failures: [
		{
			name: 'an address that is refused',
			reply: {status: 401, json: {errcode: 1, errmsg: 'unauthorized'}},
			code: 'platform_rejected',
		},
		{
			name: 'too many',
			reply: failed(130_101, 'send too fast, exceed 20 times per minute'),
			code: 'platform_rate_limited',
			waitMs: 600_000,
		},
		{
			name: 'too fast',
			reply: failed(410_100, 'send too fast'),
			code: 'platform_rate_limited',
			waitMs: 600_000,
		},
		{
			name: 'too many, told by the status',
			reply: {status: 429, text: 'slow down'},
			code: 'platform_rate_limited',
			waitMs: 600_000,
		},
		...(
			[
				[300_005, 'token is not exist'],
				[310_000, 'sign not match'],
				[310_000, 'keywords not in content'],
				[400_101, 'access_token is not exist'],
				[400_102, 'robot is stopped'],
				[430_104, 'the content is not allowed'],
				[460_101, 'message too long, exceed 20000 bytes'],
			] as const
		).map(([errcode, errmsg]) => ({
			name: errmsg,
			reply: failed(errcode, errmsg),
			code: 'platform_rejected' as const,
		})),
		{name: 'busy', reply: failed(-1, 'system busy'), code: 'platform_failed'},
		{name: 'no word of success', reply: {status: 200, json: {}}, code: 'platform_failed'},
		{name: 'their own trouble', reply: {status: 502, text: 'bad'}, code: 'platform_failed'},
	],
	secrets: [token, secret],
	limit: 20_000,
	measure: ({raw}) => Buffer.byteLength(raw),
	// `at` says who is mentioned, the text does not; no mark of a stranger stays one.
	mention: /(?<!\\)<@/,
};

testPlatform(speech);

test('a webhook without a secret is asked as it stands', async () => {
	await using open = await openSender({
		...speech,
		serve: () => () => ({status: 200, json: {errcode: 0}}),
	});
	await open.send('x', {chat_id: 'open'});

	expect(open.service.calls.map(({query}) => query)).toEqual([{access_token: 'open'}]);
});

test('escapes of JSON and letters of several bytes count', async () => {
	await using open = await openSender(speech);
	await open.send(`${'"'.repeat(18_000)} ${'字'.repeat(9000)} ${'\\'.repeat(4000)}`);

	expect(open.service.faults).toEqual([]);
	const bytes = open.service.calls.map(call => speech.measure(call));
	expect(bytes.length).toBeGreaterThan(1);
	expect(Math.max(...bytes)).toBeLessThanOrEqual(speech.limit);
});

test('the title is the name of the job, cleaned', async () => {
	await using open = await openPlatform({
		...speech,
		serve: () => () => ({status: 200, json: {errcode: 0}}),
	});
	await open.deliver('x', {job: {id: 'job_1', name: `nightly\u202e ${'x'.repeat(500)}`}});

	const [title = ''] = open.service.calls.map(({body}) => (body as Body).markdown.title);
	expect(title).toMatch(/^nightly\P{C}* x{10,}/u);
	expect(title.length).toBeLessThanOrEqual(100);
});

test('what DingTalk has nothing for is named in the receipt', async () => {
	await using open = await openPlatform(speech);
	const extra = {chat_id: 'ops', thread_id: '1', reply_to: 2, sticky: true};

	expect((await open.deliver('x', {}, extra)).summary).toBe(
		'dingtalk ops; ignored: thread_id, reply_to, sticky',
	);
});
