import {expect, test} from 'vitest';
import {chatNoun, personOf} from '../../source/nouns/chat/chat.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {startTestGateway, testConfig} from '../helpers/gateway.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {command, commandJson} from './command.ts';

const at = Date.parse('2026-11-27T12:00:00Z');

const direct = {platform: 'telegram', chat: '12345'};
const room = {platform: 'telegram', chat: '-1001'};
const topic = {...room, thread: '17'};

/** What a person wrote; a turn of `prompt`, or nothing for us. */
const wrote = (
	id: string,
	{
		conversation,
		user,
		name,
		prompt,
	}: {
		readonly conversation: typeof direct;
		readonly user: string;
		readonly name?: string;
		readonly prompt?: string;
	},
) => ({
	id,
	conversation,
	user,
	...(name !== undefined && {name}),
	asks:
		prompt === undefined
			? {kind: 'nothing' as const}
			: {
					kind: 'turn' as const,
					plan: {
						prompt,
						target: {kind: 'log', extra: {}},
						skills: [],
					},
				},
});

/** Telegram as people write it by hand; nobody is heard. */
const written = `# mine
model: {provider: offline}
platforms:
  telegram:
    bot_token: 123:a-token-of-a-bot   # of BotFather
    allow_from:
      - 4711   # Ben
    approvers: ["99"]
  webhook: {enabled: false}
`;

/** A home in whose chats people wrote. */
async function open(config: string = written) {
	const home = await temporaryHome({'config.yaml': config});
	const clock = createFakeClock(at);
	{
		await using store = await openSqliteStore({clock}, {file: home.file('state.db')});
		const receive = async (...messages: ReadonlyArray<ReturnType<typeof wrote>>) =>
			store.conversations.receive({
				profile: 'default',
				platform: 'telegram',
				messages,
				maxWaiting: 20,
				maxQueued: 100,
			});
		await receive(
			wrote('1', {conversation: direct, user: '12345', name: 'Ann\u001B[2J'}),
			wrote('2', {conversation: direct, user: '12345', name: 'Ann\u001B[2J'}),
		);
		clock.advance(1000);
		await receive(
			wrote('3', {conversation: room, user: '4711', name: 'Ben', prompt: 'Hello'}),
			wrote('4', {conversation: topic, user: '4711', name: 'Ben', prompt: 'And here'}),
		);
		clock.advance(1000);
		await receive(wrote('5', {conversation: topic, user: '99'}));
	}

	return {
		home,
		run: async (...args: readonly string[]) =>
			command(['chats', ...args], {home: home.path, clock}),
		json: async (...args: readonly string[]) =>
			commandJson(['chats', ...args], {home: home.path, clock}),
		[Symbol.asyncDispose]: async () => home[Symbol.asyncDispose](),
	};
}

test('those who wrote are listed, last of all first, with what they may, and without a gateway, too', async () => {
	await using chats = await open();
	expect(await chats.json('list')).toEqual([
		{
			...topic,
			user: '99',
			name: null,
			allowed: false,
			approver: true,
			lastAt: at + 2000,
			messages: 1,
		},
		{
			...topic,
			user: '4711',
			name: 'Ben',
			allowed: true,
			approver: false,
			lastAt: at + 1000,
			messages: 1,
		},
		{
			...room,
			thread: null,
			user: '4711',
			name: 'Ben',
			allowed: true,
			approver: false,
			lastAt: at + 1000,
			messages: 1,
		},
		{
			...direct,
			thread: null,
			user: '12345',
			name: 'Ann\u001B[2J',
			allowed: false,
			approver: false,
			lastAt: at,
			messages: 2,
		},
	]);
	const {stdout} = await chats.run('list');
	expect(stdout).toMatch(/^CHAT +USER +NAME +MAY +MESSAGES +LAST/);
	expect(stdout).toMatch(/^telegram:-1001\/17 +telegram:4711 +Ben +talk +1 /m);
	expect(stdout).toMatch(/^telegram:-1001\/17 +telegram:99 +- +approve +1 /m);
	expect(stdout).toMatch(/^telegram:12345 +telegram:12345 +Ann␛\[2J +- +2 /m);
});

test('a chat is shown with its threads: their people, sessions and turns; a thread alone, too', async () => {
	await using chats = await open();
	const {conversations, people} = await chats.json('show', 'telegram:-1001');
	expect(people.map(({user}: {user: string}) => user)).toEqual(['99', '4711', '4711']);
	expect(conversations).toEqual([
		{thread: '17', session: expect.stringMatching(/^ses_/), open: [{run: 2, queued: true}]},
		{thread: null, session: expect.stringMatching(/^ses_/), open: [{run: 1, queued: true}]},
	]);
	const {stdout} = await chats.run('show', 'telegram:-1001/17');
	expect(stdout).toMatch(
		/^telegram:-1001\n\ntelegram:-1001\/17\nperson +telegram:99, may approve, /,
	);
	expect(stdout).toMatch(/^session +(ses_\w+) \(svc sessions show \1\)$/m);
	expect(stdout).toMatch(/^turn +run #2 waits \(svc runs show 2\)$/m);
	expect(stdout).not.toContain('run #1');
	const alone = await chats.json('show', 'telegram:12345');
	expect(alone.conversations).toEqual([{thread: null, session: null, open: []}]);
});

test.for(['telegram:1', 'telegram', 'telegram:-1001/18', ''])(
	'where nobody wrote (%j) nothing is shown',
	async name => {
		await using chats = await open();
		expect(await chats.run('show', name)).toMatchObject({
			code: 1,
			stderr: expect.stringMatching(/Cannot find chat .*svc chats list.*\(chat_not_found\)/),
		});
	},
);

test('a person is allowed: the rest of the file stays as it was, and once is enough', async () => {
	await using chats = await open();
	expect(await chats.run('allow', 'telegram:12345')).toMatchObject({
		code: 0,
		stdout:
			'telegram:12345 may talk with the agent from now on, and answer its requests for approval unless platforms.telegram.approvers names others; people are heard there once platforms.telegram has "enabled: true" and "inbound: true"\n',
	});
	const after = written.replace('# Ben\n', '# Ben\n      - 12345\n');
	expect(await chats.home.read('config.yaml')).toBe(after);
	expect(await chats.json('allow', 'telegram:12345')).toEqual({
		platform: 'telegram',
		user: '12345',
		added: false,
		heard: false,
	});
	expect(await chats.run('allow', 'telegram:12345')).toMatchObject({
		code: 0,
		stdout: expect.stringContaining('may talk with the agent already'),
	});
	expect(await chats.home.read('config.yaml')).toBe(after);
	expect((await chats.json('list')).map(({allowed}: {allowed: boolean}) => allowed)).toEqual([
		false,
		true,
		true,
		true,
	]);
});

test('a person who never wrote may be allowed, as text where a number would be another one', async () => {
	await using chats = await open('model: {provider: offline}\n');
	await chats.json('allow', 'telegram:007');
	await chats.json('allow', 'telegram:123456789012345678901');
	expect(await chats.home.read('config.yaml')).toBe(
		'model: {provider: offline}\nplatforms:\n  telegram:\n    allow_from:\n      - "007"\n      - "123456789012345678901"\n',
	);
});

test.for([
	[
		'telgram:1',
		/Cannot allow "telgram:1": "telgram" is no platform, did you mean "telegram"; .*telegram/,
	],
	[
		'sms:1',
		/Cannot allow "sms:1": people cannot talk with the agent on sms; they can on .*telegram/,
	],
	['12345', /Cannot allow "12345": "12345" is no platform; .* as in telegram:12345/],
	['telegram:', /Cannot allow "telegram": a person is named there by the number of a person/],
	['telegram:@ann', /by the number of a person \(12345\); "svc chats list" shows who wrote/],
	['telegram:-1001234', /by the number of a person/],
	['matrix:ann', /by the id of a user \(@ann:example\.org\)/],
	['matrix:@${NOPE}:evil.org', /Cannot allow "matrix:@\$\{NOPE\}:evil\.org": .* reference/],
	['email:${env:NOPE}@evil.org', /: an identifier with "\$\{" in it would be read as a reference/],
] as const)('%s cannot be allowed', async ([person, said]) => {
	await using chats = await open();
	const {code, stderr} = await chats.run('allow', person);
	expect(code).toBe(1);
	expect(stderr).toMatch(said);
	expect(await chats.home.read('config.yaml')).toBe(written);
});

test.for([
	['email', '`touch${IFS}x`@evil.org', "'email:`touch${IFS}x`@evil.org'"],
	['matrix', '@$(id):evil.org', `'matrix:@$(id):evil.org'`],
	['slack', "o'clock", String.raw`'slack:o'\''clock'`],
	['slack', 'a\u001Bb', String.raw`$'slack:a\u001bb'`],
	['email', 'ann+x@example.com', 'email:ann+x@example.com'],
] as const)('a person on %s called %j is shown as a shell takes it', ([platform, user, word]) => {
	expect(personOf({platform, user})).toBe(word);
	const now = {now: 0};
	const chat = {platform, chat: user, people: [], conversations: []};
	expect(chatNoun.head(chat, now)).toEqual([{text: word}]);
});

test('a list that is none is not written over', async () => {
	await using chats = await open('platforms: {telegram: {allow_from: everybody}}\n');
	expect(await chats.run('allow', 'telegram:1')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('"platforms.telegram.allow_from": it is not a list'),
	});
});

test('a gateway that runs lists the same, and lets the person talk at once', async () => {
	await using chats = await open(
		testConfig({platforms: {telegram: {bot_token: '123:a-token', allow_from: [4711]}}}),
	);
	const before = await chats.json('list');
	await using gateway = await startTestGateway({home: chats.home});
	expect(await chats.json('list')).toEqual(before);
	expect(await chats.json('allow', 'telegram:12345')).toMatchObject({added: true, heard: false});
	expect(gateway.events.filter(({type}) => type === 'config-reloaded')).toHaveLength(1);
	expect((await chats.json('list')).map(({allowed}: {allowed: boolean}) => allowed)).toEqual([
		false,
		true,
		true,
		true,
	]);
	expect(await chats.json('show', 'telegram:12345')).toMatchObject({
		people: [{user: '12345', allowed: true}],
	});
	expect(await chats.json('allow', 'telegram:12345')).toMatchObject({added: false});
});

test('a conversation is a session that names its chat, in the list, shown and searched', async () => {
	await using chats = await open();
	await using gateway = await startTestGateway({home: chats.home});
	await gateway.ended(1);
	await gateway.ended(2);
	const {conversations} = await chats.json('show', 'telegram:-1001/17');
	const world = {home: chats.home.path};
	const list = await commandJson(['sessions', 'list'], world);
	expect(list.map(({origin}: {origin: string}) => origin).toSorted()).toEqual([
		'telegram:-1001',
		'telegram:-1001/17',
	]);
	const [{session}] = conversations;
	expect(await commandJson(['sessions', 'show', session], world)).toMatchObject({
		origin: 'telegram:-1001/17',
		conversation: [{message: {role: 'user', content: 'And here'}}, {run: 2}],
	});
	const found = await command(['sessions', 'search', 'here'], world);
	expect(found.stdout).toMatch(new RegExp(`^${session} +telegram:-1001/17 `, 'm'));
	await expect(gateway.port.sendChat({text: 'x', session})).rejects.toMatchObject({
		code: 'session_not_found',
	});
});

test('chats and people are completed, each once, with their names', async () => {
	await using chats = await open();
	const complete = async (...words: readonly string[]) =>
		(await command(['__complete', '--', 'chats', ...words], {home: chats.home.path})).stdout.split(
			'\n',
		);
	expect(await complete('show', 'telegram:-')).toEqual([
		'telegram:-1001/17\tBen',
		'telegram:-1001\tBen',
		'',
	]);
	expect(await complete('allow', '')).toEqual([
		'telegram:99',
		'telegram:4711\tBen',
		'telegram:12345\tAnn␛[2J',
		'',
	]);
});

test('in a home without any, the list says how people are heard', async () => {
	await using home = await temporaryHome();
	const {code, stderr} = await command(['chats', 'list'], {home: home.path});
	expect({code, says: stderr.includes('svc help conversations')}).toEqual({code: 0, says: true});
});

test('the help of the two kinds of chats names the other', async () => {
	const help = async (name: string) => (await command([name, '--help'], {home: '/'})).stdout;
	expect((await help('chats')).replaceAll(/\s+/g, ' ')).toContain('svc talk');
	expect((await help('talk')).replaceAll(/\s+/g, ' ')).toContain('svc chats');
});
