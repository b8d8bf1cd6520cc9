import assert from 'node:assert/strict';
import {expect, test} from 'vitest';
import {testPlatform} from './contract.ts';
import {openPlatform, openSender, type Speech} from './open-platform.ts';

const key = '693a91f6-wecom-4bc4-97a0-0ec2sifa5aaa';

type Body = {readonly markdown_v2: {readonly content: string}};

/** An error as it comes, with 200. */
const failed = (errcode: number, errmsg: string) => ({status: 200, json: {errcode, errmsg}});

const speech: Speech = {
	kind: 'wecom',
	settings: url => ({webhooks: {ops: {url: `${url}/cgi-bin/webhook/send?key=${key}`}}}),
	extra: {chat_id: 'ops'},
	refused: ['', 'other', 'https://evil.example/send?key=1', '{chat}', true, '__proto__', 'Ops'],
	serve:
		() =>
		({method, path, query, headers, body, raw}) => {
			assert.deepEqual([method, path, query], ['POST', '/cgi-bin/webhook/send', {key}]);
			assert.match(headers['content-type'] ?? '', /^application\/json/);
			const {content} = (body as Body).markdown_v2;
			assert.deepEqual(body, {msgtype: 'markdown_v2', markdown_v2: {content}});
			assert.doesNotMatch(raw, /\\u[0-9a-f]{4}/i);
			return {status: 200, json: {errcode: 0, errmsg: 'ok'}};
		},
	isSending: () => true,
	textOf: ({body}) => (body as Body).markdown_v2.content,
	failures: [
		{
			name: 'too many',
			reply: failed(45_009, 'api freq out of limit'),
			code: 'platform_rate_limited',
			waitMs: 60_000,
		},
		{
			name: 'too many at once',
			reply: failed(45_033, 'api concurrent out of limit'),
			code: 'platform_rate_limited',
			waitMs: 60_000,
		},
		{
			name: 'too many, told by the status',
			reply: {status: 429, text: 'slow down'},
			code: 'platform_rate_limited',
			waitMs: 60_000,
		},
		...(
			[
				[93_000, 'invalid webhook url, hint: [1]'],
				[40_008, 'invalid message type'],
				[40_058, 'markdown_v2.content exceed max length 4096'],
				[44_004, 'text content is empty'],
			] as const
		).map(([errcode, errmsg]) => ({
			name: errmsg,
			reply: failed(errcode, errmsg),
			code: 'platform_rejected' as const,
		})),
		{
			name: 'an address that is refused',
			reply: {status: 401, json: {errcode: 1, errmsg: 'unauthorized'}},
			code: 'platform_rejected',
		},
		{name: 'busy', reply: failed(-1, 'system busy'), code: 'platform_failed'},
		{name: 'no word of success', reply: {status: 200, json: {}}, code: 'platform_failed'},
		{name: 'their own trouble', reply: {status: 502, text: 'bad'}, code: 'platform_failed'},
	],
	secrets: [key],
	limit: 4096,
	measure: call => Buffer.byteLength(speech.textOf(call)),
	// `markdown_v2` has no mentions; no mark of a stranger stays one.
	mention: /(?<!\\)<@/,
};

testPlatform(speech);

test('letters of several bytes count as the bytes they are', async () => {
	await using open = await openSender(speech);
	await open.send(`${'字'.repeat(3000)}${'x'.repeat(4200)}`);

	expect(open.service.faults).toEqual([]);
	const bytes = open.service.calls.map(call => speech.measure(call));
	expect(bytes.length).toBe(4);
	expect(Math.max(...bytes)).toBeLessThanOrEqual(4096);
});

test('what WeCom has nothing for is named in the receipt', async () => {
	await using open = await openPlatform(speech);
	const extra = {chat_id: 'ops', message_thread_id: '1', reply_to: 2, sticky: 'true'};

	expect((await open.deliver('x', {}, extra)).summary).toBe(
		'wecom ops; ignored: message_thread_id, reply_to, sticky',
	);
});
