import {readFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {parse} from 'yaml';
import {SvcError} from '../../source/core/errors.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {openService, type Call, type Reply} from '../platforms/service.ts';
import {command, serveControl} from './command.ts';
import {openTerminal} from './terminal.ts';

const oldToken = '123:an-old-token-of-a-bot-0123';

const serve = ({path}: Call): Reply =>
	path.includes('tenant_access_token')
		? {status: 200, json: {code: 0, tenant_access_token: 't-1', expire: 7200}}
		: path.includes('/im/v1/')
			? {status: 200, json: {code: 0, data: {message_id: 'om_1'}}}
			: {status: 200, json: {ok: true, result: {message_id: 881}}};

/** `svc gateway setup KIND` on a terminal; `platforms` of what `config.yaml` says already, for a service at `url`. */
async function open(kind: string, platforms: (url: string) => Readonly<Record<string, unknown>>) {
	const stack = new AsyncDisposableStack();
	const service = stack.use(await openService(serve));
	const home = stack.use(
		await temporaryHome({'config.yaml': JSON.stringify({platforms: platforms(service.url)})}),
	);
	const begin = () =>
		openTerminal(['gateway', 'setup', kind], {
			home: home.path,
			clock: createFakeClock(0),
			columns: 200,
			rows: 100,
		});
	return {
		service,
		home: home.path,
		begin,
		written: async (): Promise<unknown> => parse(await readFile(home.file('config.yaml'), 'utf8')),
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

type Setup = Awaited<ReturnType<typeof open>>;

/** Types answers, each once its question stands there. */
async function fill(
	terminal: ReturnType<Setup['begin']>,
	answers: ReadonlyArray<readonly [question: string, text: string]>,
): Promise<void> {
	for (const [question, text] of answers) {
		// oxlint-disable-next-line no-await-in-loop -- one question after the other
		await terminal.waitFor(question);
		// oxlint-disable-next-line no-await-in-loop
		await terminal.type(text);
	}
}

test('Feishu is set up as an app, without a webhook: what lacks is said, and nothing is written before it is there', async () => {
	await using setup = await open('feishu', url => ({feishu: {api_base: url}}));
	const terminal = setup.begin();
	await fill(terminal, [
		['"app_id" [] ', 'cli_a1'],
		['"app_secret" [] ', ''],
		['"name" [main] ', ''],
		['"url" [] ', ''],
		['"secret" [] ', ''],
		['"home_channel" [] ', 'oc_1'],
	]);
	await terminal.waitFor('Cannot be written: platforms.feishu lacks "app_secret"');
	expect(await setup.written()).toEqual({platforms: {feishu: {api_base: setup.service.url}}});
	await fill(terminal, [
		['"app_id" [cli_a1] ', ''],
		['"app_secret" [] ', 'a-secret-of-the-app'],
		['"name" [main] ', 'done'],
		['Write this to', 'y'],
		['Send a test message to its home channel?', 'y'],
	]);
	await terminal.waitFor('Delivered: feishu oc_1');
	expect(await terminal.exited).toBe(0);
	expect(terminal.written()).not.toContain('a-secret-of-the-app');
	expect(await setup.written()).toEqual({
		platforms: {
			feishu: {
				api_base: setup.service.url,
				enabled: true,
				app_id: 'cli_a1',
				app_secret: 'a-secret-of-the-app',
				home_channel: 'oc_1',
			},
		},
	});
});

test('what is left empty stays as it is, a home channel too, and the test message uses what was written before a gateway has read it', async () => {
	await using setup = await open('telegram', url => ({
		telegram: {bot_token: oldToken, home_channel: '-1001', api_base: url},
	}));
	const port = createFakePort();
	await using _ = await serveControl(setup.home, port);
	// It still has the settings of before.
	port.answers.failure = new SvcError('platform_disabled', 'Cannot deliver: not enabled');
	const terminal = setup.begin();
	await fill(terminal, [
		['"bot_token" [] ', '456:a-new-token-of-a-bot-0123'],
		['"home_channel" [] ', ''],
		['Write this to', 'y'],
		['Send a test message to its home channel?', 'y'],
	]);
	await terminal.waitFor('Delivered: telegram -1001 (message 881)');
	expect(await terminal.exited).toBe(0);
	expect(setup.service.calls.at(-1)?.path).toBe('/bot456:a-new-token-of-a-bot-0123/sendMessage');
	expect(terminal.transcript()).not.toMatch(/(?:old|new)-token/);
	expect(await setup.written()).toMatchObject({
		platforms: {telegram: {enabled: true, home_channel: '-1001', api_base: setup.service.url}},
	});
});

test('without a home channel no test message is offered', async () => {
	await using setup = await open('telegram', url => ({telegram: {api_base: url}}));
	const terminal = setup.begin();
	await fill(terminal, [
		['"bot_token" [] ', oldToken],
		['"home_channel" [] ', ''],
		['Write this to', 'y'],
	]);
	await terminal.waitFor('"svc platforms test telegram --chat-id CHAT" sends a test message');
	expect(await terminal.exited).toBe(0);
	expect(setup.service.calls).toEqual([]);
});

test('whoever wants no test message has set up the platform all the same', async () => {
	await using setup = await open('telegram', url => ({
		telegram: {api_base: url, home_channel: '-1001'},
	}));
	const terminal = setup.begin();
	await fill(terminal, [
		['"bot_token" [] ', oldToken],
		['"home_channel" [] ', ''],
		['Write this to', 'y'],
		['Send a test message to its home channel?', 'n'],
	]);
	await terminal.waitFor('"svc platforms test telegram --chat-id CHAT" sends a test message');
	expect(await terminal.exited).toBe(0);
	expect(setup.service.calls).toEqual([]);
});

test.for([
	[['telegram', '--port', '1'], /^error: --port is a setting of the receiver/m],
	[['telegram', '--enable', '--host', 'h'], /^error: --enable and --host are settings/m],
	[['telegram'], /This is no terminal: write platforms\.telegram into config\.yaml, see "svc/],
] as const)('"svc gateway setup" with %j through a pipe is a wrong use', async ([args, said]) => {
	await using setup = await open('telegram', () => ({telegram: {}}));
	const before = await setup.written();
	const {code, stderr, stdout} = await command(['gateway', 'setup', ...args], setup);
	expect({code, stdout}).toEqual({code: 2, stdout: ''});
	expect(stderr).toMatch(said);
	expect(await setup.written()).toEqual(before);
});
