// @module-tag slow
import {setImmediate} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {JsonObject} from '../../../source/core/json.ts';
import {startGatewayProcess} from '../../helpers/gateway-process.ts';
import {gatewayHome, startTestGateway, type TestGateway} from '../../helpers/gateway.ts';
import {officialProgram} from '../../helpers/official-program.ts';
import {startScriptedModel, type ScriptedAnswer} from '../../helpers/scripted-model.ts';
import {openImapServer} from '../../platforms/email/imap-server.ts';
import {openTelegramChat, type Shown} from './telegram-chat.ts';

type Telegram = Awaited<ReturnType<typeof openTelegramChat>>;

/** What was written before is not answered. */
const listening = async (gateway: TestGateway) =>
	gateway.until(({platforms}) =>
		platforms.some(({name, state}) => name === 'telegram' && state === 'connected'),
	);

/** A gateway that listens to Telegram, with a model of these answers. */
async function openChat(script: readonly ScriptedAnswer[], settings: JsonObject = {}) {
	const stack = new AsyncDisposableStack();
	const telegram: Telegram = stack.use(await openTelegramChat());
	const model = stack.use(await startScriptedModel(script));
	const gateway = stack.use(
		await startTestGateway({
			config: {
				model: {provider: 'openai-compatible', base_url: model.baseUrl, name: 'scripted-1'},
				platforms: {telegram: {...telegram.settings, ...settings}},
			},
			subscriptions: {
				news: {
					prompt: 'Build {number} is red',
					deliver: 'telegram',
					deliver_only: true,
					deliver_extra: {chat_id: '99'},
					mirror_to_session: true,
				},
			},
		}),
	);
	await listening(gateway);
	return {
		telegram,
		model,
		gateway,
		said: (request: number) =>
			(model.requests[request]?.body as {messages: JsonObject[]} | undefined)?.messages
				.filter(({role}) => role !== 'system')
				.map(({role = '', content = ''}) => [role, content]),
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

test('a turn is answered in its chat, knows what was said before, and what a route mirrors; "/new" forgets it', async () => {
	await using chat = await openChat([{text: 'Hi **Ann**'}, {text: 'Number 7'}, {text: 'Again?'}]);
	const {telegram, gateway} = chat;
	telegram.write('Hello');
	await telegram.until(shown => shown.some(({text}) => text === 'Hi <b>Ann</b>'));
	await gateway.send('news', {number: 7});
	await telegram.until(shown => shown.some(({text}) => text.includes('Build 7 is red')));
	telegram.write('Which one?');
	await telegram.until(shown => shown.some(({text}) => text === 'Number 7'));
	expect(chat.said(1)).toEqual([
		['user', 'Hello'],
		['assistant', 'Hi **Ann**'],
		['assistant', '[Webhook delivery: news]\nBuild 7 is red'],
		['user', 'Which one?'],
	]);
	telegram.write('/new');
	telegram.write('Hello');
	await telegram.until(shown => shown.some(({text}) => text === 'Again?'));
	expect(chat.said(2)).toEqual([['user', 'Hello']]);
	expect(telegram.faults).toEqual([]);
	const sessions = await gateway.port.listSessions({limit: 5});
	expect(sessions.map(({origin, messages}) => [origin, messages])).toEqual([
		['telegram:99', 2],
		['telegram:99', 5],
	]);
	const [run] = (await gateway.port.listRuns({limit: 1})) ?? [];
	expect(run).toMatchObject({
		event: 'chat',
		conversation: {platform: 'telegram', chat: '99', user: '99'},
	});
});

test('an answer grows by edits of one message; the whole one takes its place, and what does not fit follows', async () => {
	const whole = `${'word '.repeat(1000)}end`;
	const goOn = Promise.withResolvers<void>();
	await using chat = await openChat([
		{deltas: [whole.slice(0, 20), whole.slice(20)], between: async () => goOn.promise},
	]);
	const {telegram} = chat;
	const asked = telegram.write('Tell me', {
		chat: -5,
		reply_to_message: {
			message_id: 3,
			from: {id: 7001, is_bot: true, first_name: 'svc'},
			chat: {id: -5, type: 'supergroup'},
		},
	});
	const [first] = await telegram.until(([message]) => message?.text.endsWith('…') === true);
	expect(first).toMatchObject({
		text: 'word word word word …',
		replyTo: asked,
	});
	goOn.resolve();
	const shown = await telegram.until(messages => messages.at(-1)?.text.endsWith('end') === true);
	expect(shown[0]).toMatchObject({id: first?.id, edits: 1});
	expect(shown.map(({text}) => text.trim()).join(' ')).toBe(whole);
});

test('a call is asked in the chat: whoever may allows it there, others change nothing, and the first yes is given at the terminal', async () => {
	await using telegram = await openTelegramChat();
	await using imap = await openImapServer();
	const every = {
		command: process.execPath,
		args: [officialProgram('everything'), 'stdio'],
		trust: 'untrusted',
	};
	await using gateway = await startTestGateway({
		config: {
			model: {provider: 'offline', allow_offline_delivery: true},
			mcp_servers: {every},
			platforms: {
				telegram: telegram.settings,
				email: {
					enabled: true,
					from: 'svc@example.org',
					smtp: {host: '127.0.0.1', port: 1},
					imap: {
						host: '127.0.0.1',
						port: imap.port,
						secure: false,
						username: 'svc',
						password: 'imap-password-0123',
					},
					authserv_id: 'mx.example.org',
					inbound: true,
					allow_from: ['ann@example.com'],
				},
			},
		},
	});
	await listening(gateway);
	const call = '/tool mcp__every__toggle_simulated_logging {}';
	telegram.write(call);
	const asked = await telegram.until(shown => shown.some(({text}) => text.startsWith('Approval ')));
	const code = (text = '') => /^Approval (\w{4}): /.exec(text)?.[1] ?? '';
	expect(asked.at(-1)?.buttons).toEqual([`deny ${code(asked.at(-1)?.text)}`]);
	expect(asked.at(-1)?.text).toContain('the first yes is given at the terminal');
	const {approvals} = await gateway.until(state => state.approvals.length === 1);
	await gateway.port.settleApproval(approvals[0]?.id ?? 0, {
		answer: {choice: 'allow', scope: 'once', typedName: 'toggle-simulated-logging'},
		by: 'cli',
	});
	await telegram.until(shown =>
		shown.some(({text, edits}) => edits === 1 && text.includes('allowed by cli')),
	);

	telegram.write(call);
	const again = await telegram.until(shown =>
		shown.some(({text}) => text.includes('Answer: approve')),
	);
	const last = again.find(({text}) => text.includes('Answer: approve'));
	expect(last?.text).toMatch(/^Approval \w{4}: every\/toggle-simulated-logging\n/);
	telegram.write(`approve ${code(last?.text)}`, {user: 5, chat: 99});
	telegram.press(`approve ${code(last?.text)}`, {user: 5, chat: 99});
	await telegram.until(() => telegram.told.includes('You may not answer this request.'));
	// "By mail only with `platforms.email.approvals: true`": until then the word of nobody counts there.
	await imap.until(() => imap.idling.size === 1);
	imap.put(
		[
			'Authentication-Results: mx.example.org; dmarc=pass header.from=example.com',
			'From: ann@example.com',
			'To: svc@example.org',
			'Message-ID: <1@mail.example.com>',
			`Date: ${new Date().toUTCString()}`,
			'',
			`approve ${code(last?.text)}`,
		].join('\r\n'),
		new Date(),
	);
	const triesOf = (user: string) =>
		gateway.log.filter(line => line.includes('approval') && line.includes(`user=${user}`));
	while (!(await gateway.port.listChats()).some(({user}) => user === 'ann@example.com')) {
		// oxlint-disable-next-line no-await-in-loop -- until it is there
		await setImmediate();
	}

	expect(triesOf('ann@example.com')).toHaveLength(1);
	expect((await gateway.until(() => true)).approvals).toHaveLength(1);
	telegram.press(`approve ${code(last?.text)}`);
	await telegram.until(() => telegram.told.includes('Allowed once.'));
	const end = await telegram.until(shown =>
		shown.some(({id, text}) => id === last?.id && text.includes('allowed by telegram (Ann, 99)')),
	);
	expect(end.find(({id}) => id === last?.id)?.buttons).toEqual([]);
	expect(triesOf('5')).toHaveLength(2);
	expect([...telegram.faults, ...imap.faults]).toEqual([]);
});

test('a turn that fails says so in its chat, without why', async () => {
	await using chat = await openChat([{status: 401, message: 'secret reason'}]);
	chat.telegram.write('Hello');
	const shown = await chat.telegram.until(messages => messages.length > 0);
	expect(shown[0]?.text).toBe('Run 1 failed: there is no answer to the last message.');
});

test('a person who is allowed is answered from the next message on, without a restart', async () => {
	await using chat = await openChat([{text: 'Hi Eve'}]);
	const {telegram, gateway} = chat;
	telegram.write('Am I heard?', {user: 5});
	// Written down once the gateway has heard it.
	while ((await gateway.port.listChats()).length === 0) {
		// oxlint-disable-next-line no-await-in-loop -- until it is there
		await setImmediate();
	}

	expect(await gateway.port.listChats()).toMatchObject([{user: '5', name: 'Eve', allowed: false}]);
	expect(await gateway.port.allowWriter({platform: 'telegram', user: '5'})).toEqual({
		added: true,
		heard: true,
	});
	telegram.write('And now?', {user: 5});
	await telegram.until(shown => shown.some(({text}) => text === 'Hi Eve'));
	expect(chat.said(0)).toEqual([['user', 'And now?']]);
	expect(await gateway.port.getChat('telegram:5')).toMatchObject({
		people: [{allowed: true, approver: true, messages: 2}],
		conversations: [{thread: null, session: expect.stringMatching(/^ses_/)}],
	});
	expect(telegram.faults).toEqual([]);
});

test('a request that waits when the gateway ends says so in its chat, at the end or after the next start', async () => {
	await using telegram = await openTelegramChat();
	const every = {
		command: process.execPath,
		args: [officialProgram('everything'), 'stdio'],
		trust: 'untrusted',
	};
	const config = {
		model: {provider: 'offline', allow_offline_delivery: true},
		mcp_servers: {every},
		platforms: {telegram: telegram.settings},
	};
	await using home = await gatewayHome({config});
	const asked = (shown: readonly Shown[]) => shown.filter(({text}) => text.startsWith('Approval'));
	const call = '/tool mcp__every__toggle_simulated_logging {}';
	const waiting = (shown: readonly Shown[]) => asked(shown).find(({buttons}) => buttons.length > 0);
	{
		await using gateway = await startTestGateway({home});
		await listening(gateway);
		telegram.write(call);
		await telegram.until(shown => waiting(shown) !== undefined);
	}

	const shown = await telegram.until(() => true);
	expect(asked(shown).map(({edits, buttons, text}) => [edits, buttons, text])).toEqual([
		[1, [], expect.stringContaining('the gateway stops')],
	]);

	const killed = await startGatewayProcess(home.path);
	telegram.write(call);
	await telegram.until(now => waiting(now) !== undefined);
	await killed[Symbol.asyncDispose]();
	await using _ = await startTestGateway({home});
	// Its message is changed, or answered where the process was killed before it knew that one.
	await telegram.until(
		now => now.filter(({text}) => text.includes('the gateway stops')).length === 2,
	);
	expect(telegram.faults).toEqual([]);
});
