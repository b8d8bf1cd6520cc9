import assert from 'node:assert/strict';
import {expect, test} from 'vitest';
import {sms} from '../../source/platforms/sms/descriptor.ts';
import {testPlatform} from './contract.ts';
import {openSender, type Speech} from './open-platform.ts';

const account = `AC${'0123456789abcdef'.repeat(2)}`;
const token = 'twilio-token-0123456789abcdef';
const basic = Buffer.from(`${account}:${token}`).toString('base64');

const failed = (status: number, code: number, message: string) => ({
	status,
	json: {code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status},
});

const speech: Speech = {
	kind: 'sms',
	settings: url => ({
		account_sid: account,
		auth_token: token,
		from: '+15551234567',
		api_base: url,
	}),
	extra: {chat_id: '+491701234567'},
	refused: ['', '491701234567', 491701234567, '+49 170 1234567', '../x', '{chat}', true],
	serve() {
		let last = 0;
		return ({method, path, headers, body}) => {
			assert.equal(headers['authorization'], `Basic ${basic}`);
			if (path === `/2010-04-01/Accounts/${account}.json`) {
				assert.equal(method, 'GET');
				return {
					status: 200,
					json: {sid: account, friendly_name: 'Acme', status: 'active', type: 'Full'},
				};
			}

			assert.equal(method, 'POST');
			assert.equal(path, `/2010-04-01/Accounts/${account}/Messages.json`);
			assert.equal(headers['content-type'], 'application/x-www-form-urlencoded');
			assert.deepEqual(
				{...(body as object), Body: ''},
				{To: '+491701234567', From: '+15551234567', Body: ''},
			);
			last += 1;
			return {status: 201, json: {sid: `SM${last}`, status: 'queued', error_code: null}};
		};
	},
	isSending: ({path}) => path.endsWith('/Messages.json'),
	textOf: ({body}) => (body as {Body: string}).Body,
	failures: [
		{
			name: 'too many',
			reply: failed(429, 20_429, 'Too Many Requests'),
			code: 'platform_rate_limited',
			waitMs: 10_000,
		},
		{
			name: 'too many, with the wait',
			reply: {...failed(429, 20_429, 'Too Many Requests'), headers: {'retry-after': '2'}},
			code: 'platform_rate_limited',
			waitMs: 2000,
		},
		{
			name: 'the queue of the number is full',
			reply: failed(400, 21_611, 'exceeded the maximum number of queued messages'),
			code: 'platform_rate_limited',
			waitMs: 600_000,
		},
		{
			name: 'no such token',
			reply: failed(401, 20_003, 'Authenticate'),
			code: 'platform_unauthorized',
		},
		{
			name: 'no such account',
			reply: failed(404, 20_404, 'The requested resource was not found'),
			code: 'platform_unauthorized',
		},
		...[21_211, 21_408, 21_606, 21_608, 21_610, 21_614, 21_617].map(code => ({
			name: `not to that number (${code})`,
			reply: failed(400, code, 'Attempt to send to unsubscribed recipient'),
			code: 'platform_rejected' as const,
		})),
		{
			name: 'an answer that has not made a message',
			reply: {status: 200, json: {sid: 'SM1', status: 'queued'}},
			code: 'platform_failed',
		},
		{
			name: 'their own trouble',
			reply: failed(503, 20_503, 'Service unavailable'),
			code: 'platform_failed',
		},
	],
	refusal: failed(401, 20_003, 'Authenticate'),
	secrets: [token, basic],
	limit: 1600,
	measure: ({body}) => (body as {Body: string}).Body.length,
};

testPlatform(speech);

test('a text has no marks, and links stand behind their words', async () => {
	await using open = await openSender(speech);
	await open.send('# Down\n\n**api** is [late](https://example.org/a)\n\n- one\n- `two`');

	expect(open.service.calls.map(speech.textOf)).toEqual([
		'Down\n\napi is late (https://example.org/a)\n\n- one\n- two',
	]);
});

test('a text becomes at most ten messages', async () => {
	await using open = await openSender(speech);
	await open.send('word '.repeat(5000));

	const texts = open.service.calls.map(speech.textOf);
	expect(texts).toHaveLength(10);
	expect(texts.at(-1)).toMatch(/\[cut: the whole text has \d+ characters\]$/);
});

test('a key of the account is used instead of its token, and a messaging service instead of a number', async () => {
	const written = {
		api_key: 'SK0123456789',
		api_secret: 'secret-of-the-key',
		messaging_service_sid: 'MG0123456789',
	};
	await using open = await openSender(
		{...speech, serve: () => () => ({status: 201, json: {sid: 'SM1'}})},
		{written},
	);
	await open.send('x');

	expect(open.service.calls.map(({headers, body}) => [headers['authorization'], body])).toEqual([
		[
			`Basic ${Buffer.from('SK0123456789:secret-of-the-key').toString('base64')}`,
			{To: '+491701234567', MessagingServiceSid: 'MG0123456789', Body: 'x'},
		],
	]);
});

test('an account that is suspended is refused by the connect check', async () => {
	await using open = await openSender(speech);
	open.service.reactToChecks({status: 200, json: {sid: account, status: 'suspended'}});
	const limits = {limitMs: 1000, signal: new AbortController().signal};

	await expect(open.sender.check?.(limits)).rejects.toMatchObject({code: 'platform_unauthorized'});
});

test.for([
	[
		{account_sid: account},
		'"auth_token" or "api_key" and "api_secret", "from" or "messaging_service_sid"',
	],
	[
		{account_sid: account, api_key: 'SK1', from: '+15551234567'},
		'"auth_token" or "api_key" and "api_secret"',
	],
	[{account_sid: account, api_key: 'SK1', api_secret: 'x', from: 'Acme'}, undefined],
	[{auth_token: token, messaging_service_sid: 'MG1'}, '"account_sid"'],
] as const)('%j lacks %s', ([written, lacks]) => {
	expect(sms.settings.parse({enabled: true, ...written})?.lacks).toBe(lacks);
});

test.for([{from: 15_551_234_567}, {from: 'A name that is too long'}, {account_sid: '../AC1'}])(
	'%j is refused as it is written',
	written => {
		expect(sms.settings.safeParse({enabled: true, ...written}).success).toBe(false);
	},
);
