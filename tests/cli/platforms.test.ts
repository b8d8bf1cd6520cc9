import {expect, test} from 'vitest';
import type {GatewayState} from '../../source/core/state.ts';
import {startTestGateway, testConfig} from '../helpers/gateway.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {openService, type Call, type Reply} from '../platforms/service.ts';
import {command, commandJson} from './command.ts';

const token = '123456:AAE-telegram-token_0123456789';

const serve = ({path}: Call): Reply =>
	path.endsWith('/getMe')
		? {status: 200, json: {ok: true, result: {username: 'svc_bot'}}}
		: {status: 200, json: {ok: true, result: {message_id: 881}}};

const isSending = ({path}: Call) => path.endsWith('/sendMessage');

/** A home whose Telegram is on this machine. */
async function open(written: Readonly<Record<string, unknown>> = {}) {
	const stack = new AsyncDisposableStack();
	const service = stack.use(await openService(serve, isSending));
	const telegram = {
		enabled: true,
		bot_token: token,
		api_base: service.url,
		home_channel: -1001234,
		...written,
	};
	const home = stack.use(
		await temporaryHome({'config.yaml': JSON.stringify({platforms: {telegram}})}),
	);
	const world = {home: home.path};
	return {
		service,
		telegram,
		run: async (...args: readonly string[]) => command(['platforms', ...args], world),
		json: async (...args: readonly string[]) => commandJson(['platforms', ...args], world),
		check: async () => command(['config', 'check'], world),
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

test('without a gateway each platform that is enabled is asked', async () => {
	await using home = await open();
	const {stdout} = await home.run('list');
	expect(stdout).toMatch(/^telegram +connected +- +-1001234 +-$/m);
	expect(stdout).toMatch(/^email +disabled +- +- +-$/m);
	expect(home.service.calls.map(({path}) => path)).toEqual([`/bot${token}/getMe`]);
});

test('one that does not take the credentials has failed, and none of them is shown', async () => {
	await using home = await open();
	const refused = {status: 401, json: {ok: false, error_code: 401, description: `no ${token}`}};
	home.service.reactToChecks(refused, refused);
	expect(await home.json('list')).toContainEqual(
		expect.objectContaining({
			name: 'telegram',
			state: 'failed',
			reason: expect.stringContaining('401'),
		}),
	);
	expect((await home.run('show', 'telegram')).stdout).not.toContain(token);
});

test('a test message says where it went', async () => {
	await using home = await open();
	expect(await home.run('test', 'telegram')).toEqual({
		code: 0,
		stdout: 'Delivered: telegram -1001234 (message 881)\n',
		stderr: '',
	});
	expect(await home.json('test', 'telegram', '--chat-id', '@there', '--thread-id', '7')).toEqual({
		platform: 'telegram',
		delivered: 'telegram @there (message 881)',
	});
	expect(home.service.calls.at(-1)?.body).toMatchObject({
		chat_id: '@there',
		message_thread_id: 7,
		text: expect.stringMatching(/^It works: /),
	});
});

test.for([
	[['telgram'], /"telgram" is not a platform, did you mean "telegram"\?.*platform_unknown/],
	[['telegram', '--chat-id', 'x y'], /deliver_extra\.chat_id must be the number of a chat/],
	[['email'], /platform "email" is not enabled; see platforms\.email/],
] as const)('a test of %j fails with what to do', async ([args, said]) => {
	await using home = await open();
	const {code, stderr} = await home.run('test', ...args);
	expect(code).toBe(1);
	expect(stderr).toMatch(said);
	expect(home.service.calls).toEqual([]);
});

test('what is enabled and incomplete says what it lacks, and config check warns of routes that use it', async () => {
	await using home = await temporaryHome({
		'config.yaml': JSON.stringify({
			platforms: {
				telegram: {enabled: true},
				webhook: {
					enabled: true,
					secret: 'correct horse battery staple',
					routes: {r: {deliver: 'telegram'}},
				},
			},
		}),
	});
	const listed = await command(['platforms', 'list'], {home: home.path});
	expect(listed.stdout).toMatch(/^telegram +failed .*lacks "bot_token"/m);
	const checked = await command(['config', 'check'], {home: home.path});
	expect(checked.stdout + checked.stderr).toMatch(
		/delivers to "telegram", which lacks "bot_token": see platforms\.telegram/,
	);
	expect(checked.code).toBe(0);
});

test('one whose section is broken has failed with the reason, as a gateway says', async () => {
	await using home = await open({bot_token: 7});
	expect(await home.json('list')).toContainEqual({
		name: 'telegram',
		title: expect.any(String),
		state: 'failed',
		reason: expect.stringMatching(/config\.yaml:.*platforms\.telegram\.bot_token/),
	});
	await using gateway = await startTestGateway({
		config: {platforms: {telegram: {...home.telegram, bot_token: 7}}},
	});
	expect((await gateway.port.status()).platforms).toMatchObject([
		{
			name: 'telegram',
			state: 'failed',
			reason: expect.stringMatching(/platforms\.telegram\.bot_token/),
		},
	]);
	expect(home.service.calls).toEqual([]);
});

test('with a gateway the states are those that it knows, and the test goes through it', async () => {
	await using service = await openService(serve, isSending);
	await using gateway = await startTestGateway({
		config: {
			platforms: {
				telegram: {enabled: true, bot_token: token, api_base: service.url, home_channel: '5'},
			},
		},
	});
	await gateway.until(({platforms}) => platforms.some(({state}) => state === 'connected'));
	expect(await gateway.port.testPlatform('telegram', {})).toEqual({
		delivered: 'telegram 5 (message 881)',
	});
	service.react({status: 503, text: 'down'});
	await expect(gateway.port.testPlatform('telegram', {chat_id: '6'})).rejects.toMatchObject({
		code: 'platform_failed',
	});
	await gateway.until(({platforms}) =>
		platforms.some(({state, nextTry}) => state === 'failed' && nextTry !== undefined),
	);
	expect((await gateway.port.status()).platforms).toEqual([
		{
			name: 'telegram',
			state: 'failed',
			reason: expect.stringContaining('503'),
			nextTry: expect.any(Number),
		},
	]);
});

test('a home channel that cannot be one is named where it is written, before anything is sent', async () => {
	await using home = await open({home_channel: 'deploys'});
	expect((await home.check()).stderr).toMatch(
		/^warning .*platforms\.telegram: is enabled and has a home_channel that cannot be sent to: platforms\.telegram\.home_channel must be the number of a chat/m,
	);
	expect(home.service.calls).toEqual([]);
});

test('a reload that says the same of a platform leaves it as it stands', async () => {
	await using service = await openService(serve, isSending);
	const telegram = {enabled: true, bot_token: token, api_base: service.url, home_channel: '5'};
	await using gateway = await startTestGateway({config: {platforms: {telegram}}});
	const isConnected = ({platforms}: GatewayState) =>
		platforms.some(({state}) => state === 'connected');
	await gateway.until(isConnected);
	await gateway.home.write(
		'config.yaml',
		testConfig({platforms: {telegram}, runs: {concurrency: 2}}),
	);
	await gateway.port.reload();
	expect(service.calls).toHaveLength(1);
	await gateway.home.write(
		'config.yaml',
		testConfig({platforms: {telegram: {...telegram, per_minute: 7}}}),
	);
	await gateway.port.reload();
	await gateway.until(isConnected);
	await expect.poll(() => service.calls.length).toBe(2);
});
