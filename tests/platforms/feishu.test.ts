import assert from 'node:assert/strict';
import {createHmac} from 'node:crypto';
import {expect, test} from 'vitest';
import {feishu} from '../../source/platforms/feishu/descriptor.ts';
import {failureOf} from '../delivery/delivery-fixture.ts';
import {testPlatform} from './contract.ts';
import {openPlatform, openSender, type Speech} from './open-platform.ts';
import type {Call, Reply} from './service.ts';

const secret = 'feishu-app-secret-0123456789abcdef';
const app = {app_id: 'cli_0123456789', app_secret: secret};
const chat = 'oc_0123456789abcdef';
const login = '/open-apis/auth/v3/tenant_access_token/internal';
const messages = '/open-apis/im/v1/messages';

const failed = (status: number, code: number, msg: string) => ({
	status,
	json: {code, msg, error: {log_id: '2026'}},
});

const textIn = (content: {zh_cn: {content: Array<Array<{text: string}>>}}): string =>
	content.zh_cn.content[0]?.[0]?.text ?? '';

/** A post with one element, as the API and webhooks take it. */
const post = (text: string) => ({zh_cn: {title: '', content: [[{tag: 'md', text}]]}});

const contentOf = ({body}: Call) => JSON.parse((body as {content: string}).content);

const changed = (call: Call): Reply => {
	const {method, path, body} = call;
	assert.equal(`${method} ${path}`, `PUT ${messages}/om_1`);
	const content = contentOf(call);
	assert.deepEqual(
		{...(body as object), content},
		{msg_type: 'post', content: post(textIn(content))},
	);
	return {status: 200, json: {code: 0, msg: 'success', data: {}}};
};

/** An app whose tokens are `t-1`, `t-2`, ... of which the last one is taken. `others` are requests besides messages to `chat`. */
const serveApp = (others: (call: Call) => Reply = changed) => {
	let [tokens, last] = [0, 0];
	return (call: Call): Reply => {
		const {method, path, query, headers, body} = call;
		assert.match(headers['content-type'] ?? 'application/json', /^application\/json/);
		if (path === login) {
			assert.equal(method, 'POST');
			assert.deepEqual(body, app);
			tokens += 1;
			return {
				status: 200,
				json: {code: 0, msg: 'ok', tenant_access_token: `t-feishu-token-${tokens}`, expire: 7200},
			};
		}

		assert.equal(headers['authorization'], `Bearer t-feishu-token-${tokens}`);
		if (path === '/open-apis/bot/v3/info') {
			assert.equal(method, 'GET');
			return {status: 200, json: {code: 0, msg: 'ok', bot: {app_name: 'svc', open_id: 'ou_1'}}};
		}

		if (path !== messages) {
			return others(call);
		}

		assert.equal(method, 'POST');
		assert.deepEqual(query, {receive_id_type: 'chat_id'});
		const {uuid} = body as {uuid: string};
		assert.match(uuid, /^[\da-f]{25}$/);
		assert.deepEqual(
			{...(body as object), content: contentOf(call)},
			{receive_id: chat, msg_type: 'post', content: post(textIn(contentOf(call))), uuid},
		);
		last += 1;
		return {status: 200, json: {code: 0, msg: 'success', data: {message_id: `om_${last}`}}};
	};
};

const mention = /<\/?at\b/i;

const speech: Speech = {
	kind: 'feishu',
	settings: url => ({...app, api_base: url}),
	extra: {chat_id: chat},
	refused: ['', 'oc', 'xx_0123', 'ops', '../im', 'oc_/../x', '{chat}', 12, true],
	serve: () => serveApp(),
	isSending: ({path}) => path === messages,
	textOf: call => textIn(contentOf(call)),
	keyOf: ({body}) => (body as {uuid: string}).uuid,
	failures: [
		{
			name: 'too many',
			reply: {
				...failed(429, 99_991_400, 'request trigger frequency limit'),
				headers: {'x-ogw-ratelimit-reset': '7'},
			},
			code: 'platform_rate_limited',
			waitMs: 7000,
		},
		{
			name: 'too many, as older parts of the API say it',
			reply: failed(400, 99_991_400, 'request trigger frequency limit'),
			code: 'platform_rate_limited',
			waitMs: 5000,
		},
		{
			name: 'too many for the chat',
			reply: failed(400, 230_020, 'This operation triggers the frequency limit'),
			code: 'platform_rate_limited',
			waitMs: 5000,
		},
		{
			name: 'too many, from a proxy',
			reply: {status: 429, text: 'slow down'},
			code: 'platform_rate_limited',
			waitMs: 5000,
		},
		...[230_001, 230_002, 230_025].map(code => ({
			name: `not this message (${code})`,
			reply: failed(400, code, 'Your request contains an invalid request parameter.'),
			code: 'platform_rejected' as const,
		})),
		{
			name: 'no permission',
			reply: failed(400, 99_991_672, 'Access denied'),
			code: 'platform_unauthorized',
		},
		{
			name: 'an error inside of a success',
			reply: failed(200, 230_001, 'invalid'),
			code: 'platform_rejected',
		},
		{name: 'a success without a code', reply: {status: 200, json: {}}, code: 'platform_failed'},
		{name: 'their own trouble', reply: failed(500, 1500, 'internal'), code: 'platform_failed'},
	],
	changes: {
		isChange: ({method}) => method === 'PUT',
		textOf: call => textIn(contentOf(call)),
		refusals: [230_011, 230_072, 230_075].map(code => failed(400, code, 'It cannot be edited.')),
	},
	refusal: failed(200, 10_014, 'app secret invalid'),
	secrets: [secret],
	limit: 24_000,
	measure: ({raw}) => Buffer.byteLength(raw),
	mention,
};

testPlatform(speech);

const hookSecret = 'feishu-sign-secret-0123';
const hook = '0123abcd-0123-4567-89ab-0123456789ab';

/** The same place, where a webhook stands for a group. */
const hookSpeech: Speech = {
	kind: 'feishu',
	settings: url => ({
		webhooks: {ops: {url: `${url}/open-apis/bot/v2/hook/${hook}`, secret: hookSecret}},
	}),
	extra: {chat_id: 'ops'},
	refused: ['', 'oc', 'other', 'https://open.feishu.cn/x', '{chat}', 12, true],
	serve:
		() =>
		({method, path, headers, body}) => {
			assert.equal(method, 'POST');
			assert.equal(path, `/open-apis/bot/v2/hook/${hook}`);
			assert.equal(headers['authorization'], undefined);
			const {content, timestamp} = body as {
				content: {post: ReturnType<typeof post>};
				timestamp: string;
			};
			assert.match(timestamp, /^17000000\d\d$/);
			assert.deepEqual(body, {
				timestamp,
				sign: createHmac('sha256', `${timestamp}\n${hookSecret}`).update('').digest('base64'),
				msg_type: 'post',
				content: {post: post(textIn(content.post))},
			});
			return {status: 200, json: {code: 0, msg: 'success', data: {}}};
		},
	isSending: ({path}) => path.includes('/hook/'),
	textOf: ({body}) => textIn((body as {content: {post: ReturnType<typeof post>}}).content.post),
	failures: [
		{
			name: 'too many',
			reply: failed(200, 11_232, 'frequency limited psm'),
			code: 'platform_rate_limited',
			waitMs: 60_000,
		},
		...[19_001, 19_021, 19_022, 19_024, 9499].map(code => ({
			name: `not to that webhook (${code})`,
			reply: failed(200, code, 'sign match fail'),
			code: 'platform_rejected' as const,
		})),
		{name: 'no such webhook', reply: failed(401, 1, 'Unauthorized'), code: 'platform_rejected'},
		{name: 'their own trouble', reply: failed(500, 1, 'internal'), code: 'platform_failed'},
	],
	secrets: [hook, hookSecret],
	limit: 16_000,
	measure: speech.measure,
	mention,
};

testPlatform(hookSpeech);

const hour = 3_600_000;

test('a token is got once, hidden, got anew before its end, and once when it is refused', async () => {
	await using open = await openSender(speech);
	await open.send('one');
	await open.send('two');
	open.clock.advance(2 * hour);
	await open.send('three');
	open.service.react(failed(400, 99_991_663, 'Invalid access token'));
	await open.send('four');

	const asked = open.service.calls.map(({path, headers}) =>
		path === login ? 'login' : headers['authorization'],
	);
	const [first, second, third] = [1, 2, 3].map(number => `Bearer t-feishu-token-${number}`);
	expect(asked).toEqual(['login', first, first, 'login', second, second, 'login', third]);
	expect(open.hidden).toEqual([1, 2, 3].map(number => `t-feishu-token-${number}`));
	expect(open.service.faults).toEqual([]);
});

test('a token that is refused twice makes the credentials wrong', async () => {
	await using open = await openSender(speech);
	const refused = failed(400, 99_991_663, 'Invalid access token');
	open.service.react(refused, refused);

	expect(await failureOf(open.send('x'))).toMatchObject({code: 'platform_unauthorized'});
	expect(open.service.calls.map(({path}) => path)).toEqual([login, messages, login, messages]);
});

test('nothing is in doubt when the login breaks', async () => {
	await using open = await openSender({...speech, isSending: ({path}) => path === login});
	open.service.react('breaks');

	expect(await failureOf(open.send('x'))).toMatchObject({code: 'platform_unreachable'});
});

test.for([
	failed(200, 10_014, 'app secret invalid'),
	failed(403, 1, 'no'),
	{status: 404, json: {}},
	{status: 400, json: {error: 'no'}},
])('a login that is refused with %j is no fault of the message', async reply => {
	await using open = await openSender(speech);
	open.service.reactToChecks(reply);

	expect(await failureOf(open.send('x'))).toMatchObject({code: 'platform_unauthorized'});
	expect(open.service.calls.map(({path}) => path)).toEqual([login]);
});

test('a login without a token is none', async () => {
	await using open = await openSender(speech);
	open.service.reactToChecks({status: 200, json: {code: 0, msg: 'ok', expire: 7200}});

	expect(await failureOf(open.send('x'))).toMatchObject({code: 'platform_failed'});
	expect(open.service.calls.map(({path}) => path)).toEqual([login]);
});

test.for([
	[{thread_id: 'om_7'}, true],
	[{reply_to: 'om_7'}, false],
	[{thread_id: 'om_7', reply_to: 'om_6'}, true],
] as const)('with %j a message is answered, in its thread: %s', async ([more, reply_in_thread]) => {
	const bodies: unknown[] = [];
	await using open = await openSender({
		...speech,
		serve: () =>
			serveApp(call => {
				assert.equal(call.method, 'POST');
				assert.equal(call.path, `${messages}/om_7/reply`);
				bodies.push({...(call.body as object), content: contentOf(call)});
				return {status: 200, json: {code: 0, data: {message_id: 'om_8'}}};
			}),
	});
	await open.send('Yes', {...speech.extra, ...more});

	expect(open.service.faults).toEqual([]);
	expect(bodies).toEqual([
		{msg_type: 'post', content: post('Yes'), uuid: '0'.repeat(25), reply_in_thread},
	]);
});

test('a message that is answered beside one that begins a thread is named in the receipt', async () => {
	await using open = await openPlatform({
		...speech,
		serve: () => serveApp(() => ({status: 200, json: {code: 0, data: {message_id: 'om_8'}}})),
	});
	const extra = {...speech.extra, thread_id: 'om_7', reply_to: 'om_6'};

	expect(await open.deliver('x', {}, extra)).toEqual({
		summary: `feishu ${chat} (message om_8); ignored: reply_to`,
	});
});

test.for([
	['oc_1', 'chat_id'],
	['ou_1', 'open_id'],
	['on_1', 'union_id'],
])('%s is a %s', async ([chat_id = '', type]) => {
	await using open = await openSender({
		...speech,
		serve: () => () => ({status: 200, json: {code: 0, tenant_access_token: 't-1', expire: 7200}}),
	});
	await open.send('x', {chat_id});

	expect(open.service.calls.at(-1)?.query).toEqual({receive_id_type: type});
});

test('a webhook without a secret signs nothing, and the receipt says that it has no threads and no answers', async () => {
	await using open = await openPlatform({
		...hookSpeech,
		settings: url => ({webhooks: {ops: {url: `${url}/open-apis/bot/v2/hook/${hook}`}}}),
		serve: () => () => ({status: 200, json: {code: 0}}),
	});

	const extra = {chat_id: 'ops', thread_id: 'om_6', reply_to: 'om_7'};
	expect(await open.deliver('x', {}, extra)).toEqual({
		summary: 'feishu ops; ignored: thread_id, reply_to',
	});
	expect(open.service.calls.map(({body}) => body)).toEqual([
		{msg_type: 'post', content: {post: post('x')}},
	]);
});

test('a chat of the app is no place where there are webhooks alone', async () => {
	await using open = await openSender(hookSpeech);

	expect(await failureOf(open.send('x', {chat_id: chat}))).toMatchObject({code: 'target_invalid'});
	expect(open.service.calls).toEqual([]);
});

test('a webhook that is named as a chat is none', async () => {
	await using open = await openSender(hookSpeech, {
		written: {webhooks: {[chat]: {url: 'http://127.0.0.1:9/x'}}},
	});

	expect(await failureOf(open.send('x', {chat_id: chat}))).toMatchObject({code: 'target_invalid'});
});

test.for([
	[{}, '"app_id" and "app_secret", or "webhooks"'],
	[{app_id: 'cli_1'}, '"app_secret"'],
	[{app_secret: secret, webhooks: {ops: {url: 'https://open.feishu.cn/x'}}}, '"app_id"'],
	[app, undefined],
	[{webhooks: {ops: {url: 'https://open.feishu.cn/x'}}}, undefined],
] as const)('%j lacks %s', ([written, lacks]) => {
	expect(feishu.settings.parse({enabled: true, ...written})?.lacks).toBe(lacks);
});
