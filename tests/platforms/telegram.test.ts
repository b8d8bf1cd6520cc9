import assert from 'node:assert/strict';
import {expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import type {OutgoingMessage} from '../../source/platforms/outgoing-message.ts';
import {testPlatform} from './contract.ts';
import {openPlatform, type Speech} from './open-platform.ts';

const token = '123456:AAE-telegram-token_0123456789';

const failed = (error_code: number, description: string, more = {}) => ({
	status: error_code,
	json: {ok: false, error_code, description, ...more},
});

const speech: Speech = {
	kind: 'telegram',
	settings: url => ({bot_token: token, api_base: url}),
	extra: {chat_id: -1001234},
	refused: ['', '12a', '../getMe', '{chat}', true, 12.5, 2 ** 60],
	serve() {
		let last = 880;
		return ({method, path, headers, body}) => {
			if (path === `/bot${token}/getMe`) {
				assert.equal(method, 'GET');
				return {status: 200, json: {ok: true, result: {id: 1, is_bot: true, username: 'svc_bot'}}};
			}

			assert.equal(method, 'POST');
			if (path === `/bot${token}/editMessageText`) {
				return {status: 200, json: {ok: true, result: {message_id: 881}}};
			}

			assert.equal(path, `/bot${token}/sendMessage`);
			assert.match(headers['content-type'] ?? '', /^application\/json/);
			assert.deepEqual(
				{...(body as object), text: ''},
				{
					chat_id: '-1001234',
					text: '',
					...((body as {parse_mode?: string}).parse_mode && {parse_mode: 'HTML'}),
					link_preview_options: {is_disabled: true},
				},
			);
			last += 1;
			return {status: 200, json: {ok: true, result: {message_id: last}}};
		};
	},
	isSending: ({path}) => path.endsWith('/sendMessage'),
	// What is code mentions nobody.
	textOf: ({body}) => (body as {text: string}).text.replaceAll(/<code>.*?<\/code>/g, ''),
	failures: [
		{
			name: 'too many',
			reply: failed(429, 'Too Many Requests: retry after 7', {parameters: {retry_after: 7}}),
			code: 'platform_rate_limited',
			waitMs: 7000,
		},
		{name: 'no such token', reply: failed(401, 'Unauthorized'), code: 'platform_unauthorized'},
		{name: 'no token at all', reply: failed(404, 'Not Found'), code: 'platform_unauthorized'},
		{
			name: 'blocked',
			reply: failed(403, 'Forbidden: bot was blocked by the user'),
			code: 'platform_rejected',
		},
		{name: 'no chat', reply: failed(400, 'Bad Request: chat not found'), code: 'platform_rejected'},
		{
			name: 'an error inside of a success',
			reply: {status: 200, json: {ok: false, error_code: 400, description: 'Bad Request'}},
			code: 'platform_failed',
		},
		{
			name: 'a success with the status of an error',
			reply: {status: 500, json: {ok: true, result: {message_id: 1}}},
			code: 'platform_failed',
		},
		{
			name: 'what is said of changes, to a message',
			reply: failed(400, 'Bad Request: message is not modified'),
			code: 'platform_rejected',
		},
		{name: 'their own trouble', reply: failed(502, 'Bad Gateway'), code: 'platform_failed'},
	],
	changes: {
		isChange: ({path}) => path.endsWith('/editMessageText'),
		textOf: ({body}) => (body as {text: string}).text,
		refusals: [
			'message to edit not found',
			"message can't be edited",
			'MESSAGE_ID_INVALID',
			'BUSINESS_CONNECTION_INVALID',
		].map(words => failed(400, `Bad Request: ${words}`)),
	},
	refusal: failed(401, 'Unauthorized'),
	secrets: [token],
	limit: 4096,
	measure: ({body}) =>
		(body as {text: string}).text.replaceAll(/<[^>]*>/g, '').replaceAll(/&\w+;/g, '.').length,
	mention: /(?<![A-Za-z0-9])@\w|href="tg:/,
};

testPlatform(speech);

const sticky = {...speech.extra, sticky: true};

const asked = ({service}: Awaited<ReturnType<typeof openPlatform>>) =>
	service.calls.map(({path, body}) => {
		const {text, message_id: id} = body as {text: string; message_id?: number};
		return [path.split('/').at(-1), text, ...(id === undefined ? [] : [id])];
	});

test('a sticky message is sent once and changed from then on; the answer of a later run stays', async () => {
	await using open = await openPlatform(speech, {written: {per_minute: 0}});

	expect(await open.deliver('one', {runId: 1}, sticky)).toEqual({
		summary: 'telegram -1001234 (message 881)',
	});
	expect(await open.deliver('three', {runId: 3}, sticky)).toEqual({
		summary: 'telegram -1001234 (message 881), edited',
	});
	expect(await open.deliver('two', {runId: 2}, sticky)).toEqual({
		summary: 'telegram -1001234: the answer of run 3, which is later, stays',
	});
	expect(asked(open)).toEqual([
		['sendMessage', 'one'],
		['editMessageText', 'three', 881],
	]);
});

test.for<[string, Partial<OutgoingMessage>, JsonObject]>([
	['route', {route: 'other'}, {}],
	['chat', {}, {chat_id: -1005678}],
	['topic', {}, {thread_id: 7}],
])('another %s has a sticky message of its own', async ([, overrides, more]) => {
	const ids = [881, 882];
	await using open = await openPlatform(
		{
			...speech,
			serve: () => () => ({status: 200, json: {ok: true, result: {message_id: ids.shift() ?? 0}}}),
		},
		{written: {per_minute: 0}},
	);
	await open.deliver('a', {runId: 1}, sticky);
	await open.deliver('b', {runId: 2, ...overrides}, {...sticky, ...more});
	await open.deliver('c', {runId: 3, ...overrides}, {...sticky, ...more});

	expect(asked(open)).toEqual([
		['sendMessage', 'a'],
		['sendMessage', 'b'],
		['editMessageText', 'c', 882],
	]);
});

test('a sticky message that is gone is sent anew; one that says the same already is left', async () => {
	await using open = await openPlatform(
		{...speech, isSending: ({path}) => !path.endsWith('/getMe')},
		{written: {per_minute: 0}},
	);
	await open.deliver('one', {runId: 1}, sticky);
	open.service.react(failed(400, 'Bad Request: message is not modified'));
	expect(await open.deliver('one', {runId: 2}, sticky)).toMatchObject({
		summary: expect.stringMatching(/edited$/),
	});
	open.service.react(failed(400, 'Bad Request: message to edit not found'));
	expect(await open.deliver('two', {runId: 3}, sticky)).toEqual({
		summary: 'telegram -1001234 (message 882)',
	});
});

test('an edit that broke off is made again', async () => {
	await using open = await openPlatform(
		{...speech, isSending: ({path}) => !path.endsWith('/getMe')},
		{written: {per_minute: 0}},
	);
	await open.deliver('one', {runId: 1}, sticky);
	open.service.react('breaks');
	const edit = open.deliver('two', {runId: 2}, sticky);
	await open.pass(1000);

	expect(await edit).toEqual({summary: 'telegram -1001234 (message 881), edited'});
	expect(asked(open).map(([method]) => method)).toEqual([
		'sendMessage',
		'editMessageText',
		'editMessageText',
	]);
});

test('a group that has another number by now is followed, and broken HTML goes without marks', async () => {
	await using open = await openPlatform(speech, {written: {per_minute: 0}});
	open.service.react(
		failed(400, 'Bad Request: group chat was upgraded', {
			parameters: {migrate_to_chat_id: -1001234},
		}),
	);
	await open.deliver('**one** & <two>', {runId: 1}, {chat_id: -55});
	open.service.react(failed(400, "Bad Request: can't parse entities: Unexpected end"));
	await open.deliver('**one** & <two>, `@name`', {runId: 2});

	const bodies = open.service.calls.map(({body}) => body as Record<string, unknown>);
	expect(
		bodies.map(({chat_id: chat, parse_mode: mode = '', text}) => [String(chat), mode, text]),
	).toEqual([
		['-55', 'HTML', '<b>one</b> &amp; &lt;two&gt;'],
		['-1001234', 'HTML', '<b>one</b> &amp; &lt;two&gt;'],
		['-1001234', 'HTML', '<b>one</b> &amp; &lt;two&gt;, <code>@name</code>'],
		// What was code is text there, in which a name would mention somebody.
		['-1001234', '', 'one & <two>, ＠name'],
	]);
});

test('topics, replies and plain texts are as deliver_extra says', async () => {
	await using open = await openPlatform({
		...speech,
		serve: () => () => ({status: 200, json: {ok: true, result: {}}}),
	});
	await open.deliver(
		'**as it is**',
		{},
		{...speech.extra, message_thread_id: '7', reply_to: 5, format: 'plain'},
	);

	expect(open.service.calls.map(({body}) => body)).toEqual([
		{
			chat_id: '-1001234',
			text: '**as it is**',
			link_preview_options: {is_disabled: true},
			message_thread_id: 7,
			reply_parameters: {message_id: 5, allow_sending_without_reply: true},
		},
	]);
});

test('buttons stand below the last message of a text, and an edit takes them away', async () => {
	await using open = await openPlatform(
		{...speech, serve: () => () => ({status: 200, json: {ok: true, result: {message_id: 881}}})},
		{written: {per_minute: 0}},
	);
	const buttons = [
		{label: 'Approve', data: 'approve K7QF'},
		{label: 'Deny', data: 'deny K7QF'},
	];
	const keyboard = {
		inline_keyboard: [
			[
				{text: 'Approve', callback_data: 'approve K7QF'},
				{text: 'Deny', callback_data: 'deny K7QF'},
			],
		],
	};
	await open.deliver('word '.repeat(1000), {runId: 1, buttons});
	await open.deliver('Approval K7QF', {runId: 2, buttons}, sticky);
	await open.deliver('Approved', {runId: 3, buttons}, sticky);

	expect(
		open.service.calls.map(({path, body}) => [
			path.split('/').at(-1),
			(body as JsonObject)['reply_markup'],
		]),
	).toEqual([
		['sendMessage', undefined],
		['sendMessage', keyboard],
		['sendMessage', keyboard],
		['editMessageText', undefined],
	]);
});
