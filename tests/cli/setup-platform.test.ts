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
	const clock = createFakeClock(0);
	const begin = (columns = 200) =>
		openTerminal(['gateway', 'setup', kind], {home: home.path, clock, columns, rows: 100});
	return {
		service,
		home: home.path,
		clock,
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

const people = 'May people whom you allow talk with the agent on Telegram?';

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
	await fill(terminal, [[people, 'n']]);
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
	await fill(terminal, [[people, '']]);
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
	await fill(terminal, [[people, '']]);
	expect(await terminal.exited).toBe(0);
	expect(setup.service.calls).toEqual([]);
});

/** Telegram as it stands in the file, with nothing left to fill in. */
const isThere = (url: string) => ({
	telegram: {enabled: true, bot_token: oldToken, api_base: url, allow_from: [7]},
});

/** Goes through the form of a Telegram that is there, up to the question about people. */
async function answerPeople(terminal: ReturnType<Setup['begin']>, text: string): Promise<void> {
	await fill(terminal, [
		['"bot_token" [] ', ''],
		['"home_channel" [] ', ''],
	]);
	await terminal.waitFor('There is nothing to write');
	await fill(terminal, [[people, text]]);
}

test('people may talk after a yes; without a gateway the next steps are told', async () => {
	await using setup = await open('telegram', isThere);
	const terminal = setup.begin();
	await answerPeople(terminal, 'y');
	await terminal.waitFor('Wrote platforms.telegram.inbound');
	await terminal.waitFor('"svc chats list" then shows who wrote, and "svc chats allow" lets');
	expect(await terminal.exited).toBe(0);
	expect(await setup.written()).toMatchObject({
		platforms: {telegram: {inbound: true, allow_from: [7], bot_token: oldToken}},
	});
});

test('what only listening needs is asked for with it', async () => {
	await using setup = await open('slack', url => ({slack: {api_base: url}}));
	const terminal = setup.begin();
	await fill(terminal, [
		['"bot_token" [] ', 'xoxb-a-token-of-a-bot'],
		['"home_channel" [] ', ''],
		['Write this to', 'y'],
		['May people whom you allow talk with the agent on Slack?', 'y'],
		['"app_token" [] ', 'xapp-a-token-of-an-app'],
		['Write this to', 'y'],
	]);
	await terminal.waitFor('"svc chats list" then shows who wrote');
	expect(await terminal.exited).toBe(0);
	expect(terminal.transcript()).not.toMatch(/a-token-of/);
	expect(await setup.written()).toMatchObject({
		platforms: {slack: {inbound: true, app_token: 'xapp-a-token-of-an-app'}},
	});
});

test('what only listening needs may be left out: what was written before stays, and that is said', async () => {
	await using setup = await open('slack', url => ({slack: {api_base: url}}));
	const terminal = setup.begin();
	await fill(terminal, [
		['"bot_token" [] ', 'xoxb-a-token-of-a-bot'],
		['"home_channel" [] ', ''],
		['Write this to', 'y'],
		['May people whom you allow talk with the agent on Slack?', 'y'],
		['"app_token" [] ', 'cancel'],
	]);
	await terminal.waitFor('Nothing more was written');
	expect(await terminal.exited).toBe(1);
	expect(await setup.written()).toMatchObject({
		platforms: {slack: {bot_token: 'xoxb-a-token-of-a-bot'}},
	});
});

test('on a narrow terminal no line breaks in a word', async () => {
	await using setup = await open('telegram', () => ({telegram: {}}));
	const terminal = setup.begin(60);
	await fill(terminal, [['"bot_token" [] ', 'cancel']]);
	await terminal.exited;
	const lines = terminal.transcript().split(/\r?\n/);
	expect(lines.filter(line => line.length > 60)).toEqual([]);
	expect(lines).toContain('  Write /newbot to @BotFather in Telegram; it answers with');
	expect(lines).toContain('  the token of the new bot.');
});

const writer = {
	platform: 'telegram',
	chat: '12345',
	thread: null,
	user: '12345',
	name: 'Ann\u001B[2J',
	allowed: false,
	approver: false,
	lastAt: 0,
	messages: 1,
};

/** The question who writes stands there, of a gateway that runs. `write`: the people who have written then, when it is asked again. */
async function untilWriting() {
	await using stack = new AsyncDisposableStack();
	const setup = stack.use(await open('telegram', isThere));
	const port = createFakePort();
	let chats: ReadonlyArray<Omit<typeof writer, 'name'> & {readonly name: string | null}> = [
		{...writer, user: '7', chat: '7', name: null, allowed: true},
	];
	port.listChats = async () => chats;
	port.allowWriter = async person => {
		port.calls.push({name: 'allowWriter', args: [person]});
		return {added: true, heard: true};
	};
	stack.use(await serveControl(setup.home, port));
	const terminal = setup.begin();
	await answerPeople(terminal, 'y');
	await terminal.waitFor('Write to the bot now');
	const opened = stack.move();
	return {
		port,
		terminal,
		write: (...more: typeof chats) => {
			chats = [...more, ...chats];
			setup.clock.advance(1000);
		},
		[Symbol.asyncDispose]: async () => opened.disposeAsync(),
	};
}

const allowed = (port: ReturnType<typeof createFakePort>) =>
	port.calls.filter(({name}) => name === 'allowWriter').map(({args}) => args);

test('with a gateway that runs, the first who writes is shown, and allowed after a yes', async () => {
	await using setup = await untilWriting();
	const {port, terminal, write} = setup;
	expect(port.calls.map(({name}) => name)).toEqual(['reload']);
	write({...writer, platform: 'slack'});
	write(writer);
	await terminal.waitFor('telegram:12345 (Ann␛[2J) wrote. Let this person talk with the agent and');
	await terminal.type('y');
	await terminal.waitFor('telegram:12345 may talk with the agent from now on, and answer');
	expect(await terminal.exited).toBe(0);
	expect(allowed(port)).toEqual([[{platform: 'telegram', user: '12345'}]]);
});

test('who may talk already is not asked about, and without a yes nobody is allowed', async () => {
	{
		await using setup = await untilWriting();
		const {terminal, write} = setup;
		write({...writer, user: '7', chat: '7', name: null, allowed: true, messages: 2});
		await terminal.waitFor('telegram:7 wrote, and may talk with the agent already');
		expect(await terminal.exited).toBe(0);
	}

	await using setup = await untilWriting();
	const {port, terminal, write} = setup;
	write(writer);
	await terminal.waitFor('Let this person talk with the agent and answer its requests');
	await terminal.type('');
	await terminal.waitFor('"svc chats allow telegram:12345" does that later');
	expect(await terminal.exited).toBe(0);
	expect(allowed(port)).toEqual([]);
});

test('Enter leaves, and says how it goes on', async () => {
	await using setup = await untilWriting();
	await setup.terminal.type('');
	await setup.terminal.waitFor('"svc chats list" shows who wrote, and "svc chats allow" lets');
	expect(await setup.terminal.exited).toBe(0);
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
