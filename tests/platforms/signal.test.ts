import assert from 'node:assert/strict';
import {expect, test} from 'vitest';
import type {JsonValue} from '../../source/core/json.ts';
import {signal} from '../../source/platforms/signal/descriptor.ts';
import {failureOf} from '../delivery/delivery-fixture.ts';
import {testPlatform} from './contract.ts';
import {openSender, type Speech} from './open-platform.ts';

const number = '+491701234567';
const password = 'Basic c2lnbmFsLXByb3h5OnBhc3N3b3Jk';

const failed = (status: number, error: string, more = {}) => ({status, json: {error, ...more}});

/** How versions since July 2026 answer when a message did not reach someone. */
const missed = (reason: string) => ({
	status: 201,
	json: [{timestamp: '1700000000001', errors: {recipients: [{number: '+1555', reason}]}}],
});

const speech: Speech = {
	kind: 'signal',
	settings: url => ({number, headers: {Authorization: password}, api_base: url}),
	extra: {chat_id: '+491707654321'},
	refused: ['', '491707654321', 491_707_654_321, 'group.', 'alice', '../v1', '{chat}', true],
	serve() {
		let last = 1_700_000_000_000;
		return ({method, path, headers, body}) => {
			assert.equal(headers['authorization'], password);
			if (path === '/v1/about') {
				assert.equal(method, 'GET');
				return {
					status: 200,
					json: {versions: ['v1', 'v2'], capabilities: {'v2/send': ['quotes', 'mentions']}},
				};
			}

			if (path === '/v1/accounts') {
				assert.equal(method, 'GET');
				return {status: 200, json: [number]};
			}

			assert.equal(method, 'POST');
			assert.equal(path, '/v2/send');
			const {message, text_mode: mode} = body as {message: string; text_mode: string};
			assert.match(mode, /^(?:styled|normal)$/);
			assert.deepEqual(body, {number, recipients: ['+491707654321'], message, text_mode: mode});
			last += 1;
			return {status: 201, json: {timestamp: String(last)}};
		};
	},
	isSending: ({path}) => path === '/v2/send',
	textOf: ({body}) => (body as {message: string}).message,
	failures: [
		{
			name: 'too many',
			reply: failed(429, 'Rate limit'),
			code: 'platform_rate_limited',
			waitMs: 60_000,
		},
		{
			name: 'too many, until a person solves a captcha',
			reply: failed(429, 'Rate limit', {challenge_tokens: ['a1'], account: number}),
			code: 'platform_unauthorized',
			waitMs: 300_000,
		},
		{
			name: 'no such person',
			reply: failed(400, 'The user +491707654321 is not registered.'),
			code: 'platform_rejected',
		},
		{
			name: 'no such account',
			reply: failed(400, 'Specified account does not exist'),
			code: 'platform_rejected',
		},
		{
			name: 'the daemon has no connection',
			reply: failed(400, 'Failed to send message: timeout (SocketTimeoutException)'),
			code: 'platform_failed',
		},
		{
			name: 'a person that it did not reach',
			reply: missed('UNREGISTERED_FAILURE'),
			code: 'platform_rejected',
		},
		{
			name: 'a person that it did not reach yet',
			reply: missed('NETWORK_FAILURE'),
			code: 'platform_failed',
		},
		{
			name: 'a person that takes no more',
			reply: missed('RATE_LIMIT_FAILURE'),
			code: 'platform_rate_limited',
			waitMs: 60_000,
		},
		{
			name: 'a captcha for that person',
			reply: missed('PROOF_REQUIRED_FAILURE'),
			code: 'platform_unauthorized',
			waitMs: 300_000,
		},
		{
			name: 'a success without a time',
			reply: {status: 201, json: [{}]},
			code: 'platform_failed',
		},
		{name: 'a wrong password', reply: failed(401, 'Unauthorized'), code: 'platform_unauthorized'},
		{name: 'their own trouble', reply: failed(500, 'oops'), code: 'platform_failed'},
	],
	refusal: failed(401, 'Unauthorized'),
	secrets: [password],
	limit: 2000,
	measure: ({body}) => Buffer.byteLength((body as {message: string}).message),
};

testPlatform(speech);

const limits = {limitMs: 1000, signal: new AbortController().signal};

const checked = async ({sender}: Awaited<ReturnType<typeof openSender>>) => sender.check?.(limits);

test.for<[string, JsonValue]>([
	['older', {timestamp: '1700000000001'}],
	['newer', [{timestamp: '1700000000001'}]],
])('what %s daemons answer to a message names it', async ([, json]) => {
	await using open = await openSender({...speech, serve: () => () => ({status: 201, json})});
	const place = {chat: number, format: 'plain', isSticky: false, ignored: []};
	const message = {text: 'x'} as Parameters<typeof open.sender.send>[0];
	const part = {index: 0, of: 1, key: '', ...limits};

	expect(await open.sender.send(message, place, part)).toEqual({id: '1700000000001'});
});

test('a message to a group has arrived also where it did not reach all', async () => {
	const group = `group.${Buffer.from('YmFzZTY0IG9mIGEgZ3JvdXAgb2YgMzIgYnl0ZXMgISE=').toString('base64')}`;
	await using open = await openSender({
		...speech,
		serve: () => () => missed('UNREGISTERED_FAILURE'),
	});
	await open.send('x', {chat_id: group});

	expect(open.service.calls.map(({body}) => (body as {recipients: string[]}).recipients)).toEqual([
		[group],
	]);
});

test('a reply quotes by time and author; a text as it is has no styles, whatever the daemon is set to', async () => {
	await using open = await openSender({
		...speech,
		serve: () => () => ({status: 201, json: {timestamp: '1'}}),
	});
	await open.send('**Yes**', {chat_id: 'alice.01', reply_to: `1700000000000/${number}`});
	await open.send('**Yes**', {chat_id: 'alice.01', format: 'plain'});

	expect(open.service.calls.map(({body}) => body)).toEqual([
		{
			number,
			recipients: ['alice.01'],
			message: '**Yes**',
			text_mode: 'styled',
			quote_timestamp: 1_700_000_000_000,
			quote_author: number,
		},
		{number, recipients: ['alice.01'], message: '**Yes**', text_mode: 'normal'},
	]);
});

test.for<[string, JsonValue, string]>([
	['without the account', ['+4930123456'], 'platform_unauthorized'],
	['that answers no list', {}, 'platform_unauthorized'],
])('the connect check refuses a daemon %s', async ([, json, code]) => {
	await using open = await openSender(speech);
	open.service.reactToChecks({status: 200, json: {capabilities: {}}}, {status: 200, json});

	expect(await failureOf(checked(open))).toMatchObject({code});
});

test('the connect check refuses a server that is another one', async () => {
	await using open = await openSender(speech);
	open.service.reactToChecks({status: 200, json: {status: 'ok'}});

	expect(await failureOf(checked(open))).toMatchObject({code: 'platform_failed'});
});

test.for([
	{number: 491_701_234_567},
	{number: '0170 1234567'},
	{number, headers: {Host: 'other'}},
	{number, headers: {A: 'line\nbreak'}},
	{number, api_base: 'http://signal:8080'},
])('%j is refused as it is written', written => {
	expect(signal.settings.safeParse({enabled: true, ...written}).success).toBe(false);
});

test('nothing of the headers is shown', () => {
	const settings = signal.settings.parse({number, headers: {Authorization: password}});
	expect(settings && signal.secrets(settings)).toEqual([password, password.slice(6)]);
});
