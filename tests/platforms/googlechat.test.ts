import assert from 'node:assert/strict';
import {createPublicKey, generateKeyPairSync, verify} from 'node:crypto';
import {mkdtempDisposable, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {failureOf} from '../delivery/delivery-fixture.ts';
import {testPlatform} from './contract.ts';
import {openPlatform, openSender, type Speech} from './open-platform.ts';
import type {Call, Reaction, Reply} from './service.ts';

const space = 'spaces/AAAA-bc_1';
const {privateKey} = generateKeyPairSync('rsa', {modulusLength: 2048});
const email = 'svc@acme.iam.gserviceaccount.com';
const pem = String(privateKey.export({type: 'pkcs8', format: 'pem'}));

const failed = (code: number, status: string): Reply => ({
	status: code,
	json: {error: {code, status, message: 'No'}},
});

const replyOption = 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD';
const markupSyntax = 'MARKUP_SYNTAX_MARKDOWN';

type Body = {readonly text: string};

const textOf = ({body}: Call) =>
	// What is code mentions nobody, and what is escaped neither.
	(body as Body).text.replaceAll(/`[^`]*`/g, '');

/** The message that a request makes; throws for one that Google would not take. */
function messageIn({method, path, query, headers, body}: Call): Reply {
	assert.equal(`${method} ${path}`, `POST /v1/${space}/messages`);
	assert.match(query['requestId'] ?? '', /^[0-9a-f]{25}$/);
	assert.equal(query['messageReplyOption'], replyOption);
	assert.match(headers['content-type'] ?? '', /^application\/json/);
	assert.deepEqual(body, {text: (body as Body).text, markupSyntax});
	return {status: 200, json: {name: `${space}/messages/m.1`, ...(body as Body)}};
}

const failures: Speech['failures'] = [
	{
		name: 'too many',
		reply: failed(429, 'RESOURCE_EXHAUSTED'),
		code: 'platform_rate_limited',
		waitMs: 10_000,
	},
	{name: 'no such text', reply: failed(400, 'INVALID_ARGUMENT'), code: 'platform_rejected'},
	{name: 'not in the space', reply: failed(403, 'PERMISSION_DENIED'), code: 'platform_rejected'},
	{name: 'no such space', reply: failed(404, 'NOT_FOUND'), code: 'platform_rejected'},
	{name: 'a success without a name', reply: {status: 200, json: {}}, code: 'platform_failed'},
	{name: 'their own trouble', reply: failed(503, 'UNAVAILABLE'), code: 'platform_failed'},
];

const common = {
	kind: 'googlechat',
	textOf,
	keyOf: ({query}: Call) => query['requestId'],
	limit: 30_000,
	measure: ({body}: Call) => Buffer.byteLength((body as Body).text),
	mention: /<users\//,
} satisfies Partial<Speech>;

const secret = 'google-webhook-token-0123456789';

const byWebhook: Speech = {
	...common,
	settings: url => ({
		webhooks: {ops: {url: `${url}/v1/${space}/messages?key=google-key-01234&token=${secret}%3D`}},
	}),
	extra: {chat_id: 'ops'},
	refused: ['', 'dev', 'spaces/', 'spaces/A/B', 'https://example.org', '{space}', true, 12],
	serve: () => call => {
		assert.equal(call.headers['authorization'], undefined);
		const {requestId: _, messageReplyOption: __, ...others} = call.query;
		assert.deepEqual(others, {key: 'google-key-01234', token: `${secret}=`});
		return messageIn(call);
	},
	isSending: () => true,
	failures: [
		...failures,
		{
			name: 'no such token',
			reply: failed(401, 'UNAUTHENTICATED'),
			code: 'platform_rejected',
		},
	],
	secrets: [`${secret}=`, `${secret}%3D`, 'google-key-01234'],
};

const tokenFor = (number: number) => `ya29.google-token-${number}-0123456789`;

/** Looks at a signed request for a token as Google does. */
function assertAssertion({method, headers, body}: Call): void {
	assert.equal(method, 'POST');
	assert.equal(headers['content-type'], 'application/x-www-form-urlencoded');
	const {grant_type, assertion, ...rest} = body as Record<string, string>;
	assert.equal(grant_type, 'urn:ietf:params:oauth:grant-type:jwt-bearer');
	assert.deepEqual(rest, {});
	const [head = '', claims = '', signature = ''] = (assertion ?? '').split('.');
	const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
	assert.deepEqual(read(head), {alg: 'RS256', typ: 'JWT'});
	const {iss, scope, aud, iat, exp, ...others} = read(claims);
	assert.deepEqual(others, {});
	assert.deepEqual([iss, scope], [email, 'https://www.googleapis.com/auth/chat.bot']);
	assert.equal(aud, `http://${headers['host']}/token`);
	assert.equal(exp - iat, 3600);
	assert.ok(
		verify(
			'RSA-SHA256',
			Buffer.from(`${head}.${claims}`),
			createPublicKey(privateKey),
			Buffer.from(signature, 'base64url'),
		),
	);
}

const keyFor = (url: string): JsonObject => ({
	type: 'service_account',
	project_id: 'acme',
	client_email: email,
	private_key: pem,
	token_uri: `${url}/token`,
});

const noGrant = {status: 400, json: {error: 'invalid_grant', error_description: 'No'}};

const byAccount: Speech = {
	...common,
	settings: url => ({service_account: keyFor(url), api_base: url, home_channel: space}),
	extra: {chat_id: space},
	refused: ['', 'ops', 'spaces/', 'spaces/A/B', 'spaces/..', '{space}', true, 12],
	serve() {
		let given = 0;
		return call => {
			const {method, path, query, headers, body} = call;
			if (path === '/token') {
				assertAssertion(call);
				given += 1;
				return {
					status: 200,
					json: {access_token: tokenFor(given), expires_in: 3599, token_type: 'Bearer'},
				};
			}

			assert.equal(headers['authorization'], `Bearer ${tokenFor(given)}`);
			if (method === 'GET') {
				assert.equal(path, `/v1/${space}`);
				return {status: 200, json: {name: space}};
			}

			if (method === 'PATCH') {
				assert.equal(path, `/v1/${space}/messages/m.1`);
				assert.deepEqual(query, {updateMask: 'text'});
				assert.deepEqual(body, {text: (body as Body).text, markupSyntax});
				return {status: 200, json: {name: `${space}/messages/m.1`}};
			}

			return messageIn(call);
		};
	},
	isSending: ({method, path}) => method === 'POST' && path !== '/token',
	failures,
	refusal: noGrant,
	secrets: [],
};

testPlatform(byWebhook);
testPlatform(byAccount);

const tokensIn = (calls: readonly Call[]) => calls.filter(({path}) => path === '/token').length;

test('googlechat: a token is kept until a minute before its end, and out of every message', async () => {
	await using open = await openSender(byAccount);
	await open.send('one');
	open.clock.advance(3_538_000);
	await open.send('two');
	expect(tokensIn(open.service.calls)).toBe(1);
	open.clock.advance(1000);
	await open.send('three');
	expect(tokensIn(open.service.calls)).toBe(2);
	expect(open.hidden).toEqual([tokenFor(1), tokenFor(2)]);
	expect(open.service.faults).toEqual([]);
});

test('googlechat: one login runs at a time, and what waits for it takes its token', async () => {
	await using open = await openSender(byAccount);
	const sendThree = async () => Promise.all(['a', 'b', 'c'].map(async text => open.send(text)));
	await sendThree();
	expect(tokensIn(open.service.calls)).toBe(1);
	const refused = failed(401, 'UNAUTHENTICATED');
	open.service.react(refused, refused, refused);
	await sendThree();
	expect(tokensIn(open.service.calls)).toBe(2);
	expect(open.service.calls.filter(byAccount.isSending)).toHaveLength(9);
});

test('googlechat: a login that fails is no failure of what waits for it, and a wait has an end', async () => {
	await using open = await openSender({...byAccount, isSending: ({path}) => path === '/token'});
	open.service.react('breaks');
	const [first, second] = await Promise.allSettled([open.send('a'), open.send('b')]);
	expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);

	open.clock.advance(3_600_000);
	open.service.react('hangs');
	const place = {chat: space, format: 'plain', isSticky: false, ignored: []};
	const message = {text: 'x'} as Parameters<typeof open.sender.send>[0];
	const send = async (limitMs: number, signal = new AbortController().signal) =>
		failureOf(
			open.sender.send(message, place, {index: 0, of: 1, key: '0'.repeat(25), limitMs, signal}),
		);
	const ended = new AbortController();
	const ends = [send(30_000), send(5000), send(30_000, ended.signal)];
	await open.service.sent(3);
	open.clock.advance(5000);
	ended.abort();
	expect(await ends[1]).toMatchObject({code: 'platform_unreachable', retryable: true});
	expect(await ends[2]).toMatchObject({code: 'delivery_aborted'});
	open.clock.advance(25_000);
	expect(await ends[0]).toMatchObject({code: 'platform_unreachable', retryable: true});
	expect(open.service.calls.filter(({path}) => path === '/token')).toHaveLength(3);
});

test('googlechat: a token that is refused is renewed once', async () => {
	await using open = await openSender(byAccount);
	const refused = failed(401, 'UNAUTHENTICATED');
	open.service.react(refused);
	await open.send('one');
	expect(tokensIn(open.service.calls)).toBe(2);
	open.service.react(refused, refused);
	await expect(open.send('two')).rejects.toMatchObject({code: 'platform_unauthorized'});
	expect(tokensIn(open.service.calls)).toBe(3);
	expect(open.service.faults).toEqual([]);
});

test.for<[string, Reaction, object]>([
	['breaks off leaves nothing in doubt', 'breaks', {code: 'platform_unreachable'}],
	['is not given is no fault of the message', noGrant, {code: 'platform_unauthorized'}],
	...[401, 403, 404].map(
		status =>
			[
				`is refused with ${status} is no fault of the message`,
				failed(status, 'NO'),
				{code: 'platform_unauthorized'},
			] as [string, Reaction, object],
	),
	['comes too often is asked for later', failed(429, 'NO'), {code: 'platform_rate_limited'}],
])('googlechat: a token that %s', async ([, reaction, failure]) => {
	await using open = await openSender(byAccount);
	open.service.reactToChecks(reaction);
	await expect(open.send('one')).rejects.toMatchObject({...failure, isUncertain: false});
	expect(open.service.calls.filter(byAccount.isSending)).toEqual([]);
});

test('googlechat: the key may stand in a file, and an unusable one is no secret told', async () => {
	await using folder = await mkdtempDisposable(join(tmpdir(), 'googlechat-'));
	const file = join(folder.path, 'key.json');
	await using open = await openSender(byAccount, {written: {service_account: file}});
	const unusable = {
		code: 'platform_unauthorized',
		isPlatformDown: true,
		message: expect.stringContaining(`"${file}"`),
	};
	await expect(open.send('no file')).rejects.toMatchObject(unusable);
	await writeFile(file, 'private-word');
	await expect(open.send('no JSON')).rejects.toMatchObject(unusable);
	await expect(open.send('no JSON')).rejects.not.toThrow(/private-word/);
	await writeFile(file, JSON.stringify({...keyFor(open.service.url), private_key: 'no PEM'}));
	await expect(open.send('no key')).rejects.toMatchObject(unusable);
	await writeFile(file, JSON.stringify(keyFor(open.service.url)));
	await open.send('It works.');
	expect(open.hidden).toContain(pem);
	expect(open.service.calls.filter(byAccount.isSending)).toHaveLength(1);
});

test('googlechat: a space needs an account, a webhook does not', async () => {
	await using open = await openSender(byWebhook);
	await expect(open.send('x', {chat_id: space})).rejects.toMatchObject({code: 'target_invalid'});
	expect(open.service.calls).toEqual([]);
	expect(open.sender).not.toHaveProperty('check');
});

test.for([
	[`${space}/threads/T.1`, {name: `${space}/threads/T.1`}],
	['deploys of api', {threadKey: 'deploys of api'}],
] as const)('googlechat: thread_id %j is %j', async ([thread_id, thread]) => {
	await using open = await openSender({
		...byWebhook,
		serve: () => () => ({status: 200, json: {name: 'x'}}),
	});
	await open.send('x', {chat_id: 'ops', thread_id});
	expect(open.service.calls.map(({body}) => body)).toEqual([{text: 'x', markupSyntax, thread}]);
});

test('googlechat: a sticky text of the account changes one message, until that is deleted', async () => {
	await using open = await openPlatform(byAccount, {written: {per_minute: 0}});
	const extra = {chat_id: space, sticky: true};
	await open.deliver('one', {runId: 1}, extra);
	const changed = await open.deliver('two', {runId: 2}, extra);
	expect(changed.summary).toBe(`googlechat ${space} (message ${space}/messages/m.1), edited`);
	open.service.reactToChecks(failed(404, 'NOT_FOUND'));
	const sent = await open.deliver('three', {runId: 3}, extra);
	expect(sent.summary).not.toContain('edited');
	expect(open.service.faults).toEqual([]);
	expect(open.service.calls.filter(byAccount.isSending)).toHaveLength(2);
});

test('googlechat: what a webhook took cannot be changed, and the receipt says so', async () => {
	await using open = await openPlatform(byWebhook, {written: {per_minute: 0}});
	const extra = {chat_id: 'ops', sticky: true};
	await open.deliver('one', {runId: 1}, extra);
	const {summary} = await open.deliver('two', {runId: 2}, extra);
	expect(summary).toMatch(/; ignored: sticky$/);
	expect(open.service.calls.map(({method}) => method)).toEqual(['POST', 'POST']);
});
