import assert from 'node:assert/strict';
import {expect, test} from 'vitest';
import {testPlatform} from './contract.ts';
import {openSender, type Speech} from './open-platform.ts';

const token = 'EAAG-whatsapp-token_0123456789abcdef';

const failed = (status: number, code: number, message: string) => ({
	status,
	json: {error: {message, type: 'OAuthException', code, fbtrace_id: 'A1b2'}},
});

const speech: Speech = {
	kind: 'whatsapp',
	settings: url => ({access_token: token, phone_number_id: 106540352242922, api_base: url}),
	extra: {chat_id: '+491701234567'},
	refused: ['', '12', '+49 170 1234567', '../me', '{chat}', true, 2 ** 60],
	serve() {
		let last = 0;
		return ({method, path, query, headers, body}) => {
			assert.equal(headers['authorization'], `Bearer ${token}`);
			if (path === '/v23.0/106540352242922') {
				assert.equal(method, 'GET');
				assert.deepEqual(query, {fields: 'verified_name'});
				return {status: 200, json: {verified_name: 'Acme', id: '106540352242922'}};
			}

			assert.equal(method, 'POST');
			assert.equal(path, '/v23.0/106540352242922/messages');
			const {text} = body as {text: {body: string}};
			assert.deepEqual(body, {
				messaging_product: 'whatsapp',
				recipient_type: 'individual',
				to: '+491701234567',
				type: 'text',
				text: {body: text.body, preview_url: false},
			});
			last += 1;
			return {
				status: 200,
				json: {
					messaging_product: 'whatsapp',
					contacts: [{input: '+491701234567', wa_id: '491701234567'}],
					messages: [{id: `wamid.HBgM${last}`}],
				},
			};
		};
	},
	isSending: ({path}) => path.endsWith('/messages'),
	textOf: ({body}) => (body as {text: {body: string}}).text.body,
	failures: [
		...[4, 80_007, 130_429, 131_048].map(code => ({
			name: `too many (${code})`,
			reply: failed(400, code, 'Rate limit hit'),
			code: 'platform_rate_limited' as const,
			waitMs: 60_000,
		})),
		{
			name: 'too many to one person',
			reply: failed(400, 131_056, '(Business Account, Consumer Account) pair rate limit hit'),
			code: 'platform_rate_limited',
			waitMs: 6000,
		},
		{
			name: 'too many, without a code that is known',
			reply: {status: 429, text: 'slow down'},
			code: 'platform_rate_limited',
			waitMs: 60_000,
		},
		{
			name: 'no such token',
			reply: failed(401, 190, 'Invalid OAuth access token'),
			code: 'platform_unauthorized',
		},
		{
			name: 'no permission',
			reply: failed(403, 200, 'Permissions error'),
			code: 'platform_unauthorized',
		},
		...[10, 368, 131_031].map(code => ({
			name: `the app or the account may not send (${code})`,
			reply: failed(400, code, 'Permission denied'),
			code: 'platform_unauthorized' as const,
		})),
		{name: 'no number', reply: failed(400, 100, 'Invalid parameter'), code: 'platform_rejected'},
		{
			name: 'more than 24 hours since the person wrote',
			reply: failed(400, 131_047, 'Re-engagement message'),
			code: 'platform_rejected',
		},
		{
			name: 'an error inside of a success',
			reply: failed(200, 131_000, 'Something went wrong'),
			code: 'platform_failed',
		},
		{
			name: 'an identifier that is no message',
			reply: {status: 200, json: {id: '106540352242922', messages: []}},
			code: 'platform_failed',
		},
		{
			name: 'their own trouble',
			reply: failed(500, 131_016, 'Service unavailable'),
			code: 'platform_failed',
		},
	],
	refusal: failed(401, 190, 'Invalid OAuth access token'),
	secrets: [token],
	limit: 4096,
	measure: ({body}) => (body as {text: {body: string}}).text.body.length,
};

testPlatform(speech);

test('a reply names what it answers', async () => {
	await using open = await openSender({
		...speech,
		serve: () => () => ({status: 200, json: {messages: [{id: 'wamid.1'}]}}),
	});
	await open.send('Yes', {...speech.extra, reply_to: 'wamid.HBgLMTY0'});

	expect(open.service.calls.map(({body}) => body)).toEqual([
		{
			messaging_product: 'whatsapp',
			recipient_type: 'individual',
			to: '+491701234567',
			context: {message_id: 'wamid.HBgLMTY0'},
			type: 'text',
			text: {body: 'Yes', preview_url: false},
		},
	]);
});

test('a name of the connect check is the one that people see', async () => {
	await using open = await openSender(speech);
	const limits = {limitMs: 1000, signal: new AbortController().signal};

	expect(await open.sender.check?.(limits)).toBe('Acme');
});
