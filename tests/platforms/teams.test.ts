import assert from 'node:assert/strict';
import {expect, test} from 'vitest';
import {testPlatform} from './contract.ts';
import {openPlatform, openSender, type Speech} from './open-platform.ts';
import type {Call} from './service.ts';

const flow = '/workflows/0123456789abcdef0123456789abcdef/triggers/manual/paths/invoke';
const signature = 'teams-signature-0123456789';

type Message = {
	readonly attachments: ReadonlyArray<{readonly content: {readonly body: unknown[]}}>;
};

const bodyOf = ({body}: Call): readonly unknown[] =>
	(body as Message).attachments[0]?.content.body ?? [];

/** All texts of a card but its code. */
const textsIn = (element: unknown): string => {
	const {text = '', items = []} = element as {text?: string; items?: readonly unknown[]};
	return [text, ...items.map(textsIn)].join('\n');
};

const failed = (status: number, code: string) => ({
	status,
	json: {error: {code, message: 'The request was refused.'}},
});

const speech: Speech = {
	kind: 'teams',
	settings: url => ({
		webhooks: {
			ops: {url: `${url}${flow}?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sig=${signature}`},
		},
	}),
	extra: {chat_id: 'ops'},
	refused: ['', 'dev', 'https://example.org/hook', '{hook}', true, 12],
	serve: () => call => {
		const {method, path, query, headers, body} = call;
		assert.equal(`${method} ${path}`, `POST ${flow}`);
		assert.deepEqual(query, {'api-version': '1', sp: '/triggers/manual/run', sig: signature});
		assert.match(headers['content-type'] ?? '', /^application\/json/);
		assert.deepEqual(body, {
			type: 'message',
			attachments: [
				{
					contentType: 'application/vnd.microsoft.card.adaptive',
					contentUrl: null,
					content: {
						type: 'AdaptiveCard',
						version: '1.5',
						msteams: {width: 'Full'},
						body: bodyOf(call),
					},
				},
			],
		});
		assert.ok(bodyOf(call).length > 0);
		return {status: 202};
	},
	isSending: () => true,
	textOf: call => bodyOf(call).map(textsIn).join('\n'),
	failures: [
		{
			name: 'too many',
			reply: failed(429, 'WorkflowTriggerIsThrottled'),
			code: 'platform_rate_limited',
			waitMs: 30_000,
		},
		{
			name: 'too many, for longer',
			reply: {...failed(429, 'WorkflowTriggerIsThrottled'), headers: {'retry-after': '90'}},
			code: 'platform_rate_limited',
			waitMs: 90_000,
		},
		{
			name: 'no card',
			reply: failed(400, 'TriggerInputSchemaMismatch'),
			code: 'platform_rejected',
		},
		{
			name: 'no such signature',
			reply: failed(401, 'DirectApiInvalidAuthorizationScheme'),
			code: 'platform_rejected',
		},
		{name: 'no such workflow', reply: failed(404, 'WorkflowNotFound'), code: 'platform_rejected'},
		{name: 'too large', reply: failed(413, 'RequestEntityTooLarge'), code: 'platform_rejected'},
		{
			name: 'a success of another kind',
			reply: {status: 200, text: 'failed with error: HTTP error 429'},
			code: 'platform_failed',
		},
		{
			name: 'their own trouble',
			reply: {status: 502, text: '<html>'},
			code: 'platform_failed',
		},
	],
	secrets: [signature],
	limit: 28_000,
	measure: ({raw}) => Buffer.byteLength(raw),
	// Only `msteams.entities`, which `serve` would not take, makes an `<at>` a name.
	mention: /(?<!\\)\]\((?!https?:|mailto:)/,
};

testPlatform(speech);

test('teams: a card has the blocks of the text', async () => {
	await using open = await openSender(speech);
	await open.send('# Deployed\n\nAll **well**.\n\n```js\nok()\n```\n\n> quoted');
	expect(open.service.calls.map(bodyOf)).toEqual([
		[
			{type: 'TextBlock', text: 'Deployed', wrap: true, weight: 'Bolder', size: 'Large'},
			{type: 'TextBlock', text: 'All **well**.', wrap: true},
			{type: 'CodeBlock', codeSnippet: 'ok()', language: 'JavaScript'},
			{
				type: 'Container',
				style: 'emphasis',
				items: [{type: 'TextBlock', text: 'quoted', wrap: true}],
			},
		],
	]);
});

test('teams: the receipt says what it has nothing for, and names no address', async () => {
	await using open = await openPlatform(speech);
	const {summary} = await open.deliver(
		'x',
		{},
		{chat_id: 'ops', thread_id: '7', reply_to: '8', sticky: true},
	);
	expect(summary).toBe('teams ops; ignored: thread_id, reply_to, sticky');
});

test('teams: a webhook that is dead holds no other one, and the platform says which it is', async () => {
	await using open = await openPlatform({
		...speech,
		settings: url => ({
			webhooks: {
				dead: {url: 'http://127.0.0.1:1/hook'},
				ops: {url: `${url}${flow}?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sig=${signature}`},
			},
		}),
	});
	await expect(open.deliver('x', {runId: 1}, {chat_id: 'dead'})).rejects.toMatchObject({
		code: 'platform_unreachable',
	});
	expect(open.deliverer.platforms()).toEqual([
		{
			name: 'teams',
			state: 'failed',
			reason: expect.stringMatching(/^webhook dead: .*ECONNREFUSED/),
			nextTry: open.clock.now() + 5000,
		},
	]);
	expect(await open.deliver('x', {runId: 2})).toEqual({summary: 'teams ops'});
});
