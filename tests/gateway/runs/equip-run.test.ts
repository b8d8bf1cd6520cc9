import {expect, test} from 'vitest';
import {toolsetsWithout} from '../../../source/config/toolset-settings.ts';
import {createLogger} from '../../../source/core/log.ts';
import type {StoredRun} from '../../../source/core/run.ts';
import type {ServerView} from '../../../source/core/tool-server.ts';
import type {Tool} from '../../../source/core/tool.ts';
import {equipRun, type EquipWorld} from '../../../source/gateway/runs/equip-run.ts';
import {createTool} from '../../agent/agent-fixture.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {makeServer} from '../../helpers/make-server.ts';
import {makeRun} from '../../helpers/make.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

const search = createTool({name: 'mcp__crm__search'});
const send = createTool({name: 'mcp__mail__send'});

const makeStoredRun = (
	toolsets: readonly string[] | undefined,
	{skills = [], isChat = false}: {skills?: readonly string[]; isChat?: boolean},
): StoredRun => {
	const {delivery = 'abc123', ...run} = makeRun();
	return {
		...run,
		...(isChat ? {chat: {key: 'laptop'}} : {delivery}),
		plan: {
			prompt: 'x',
			target: {kind: 'log', extra: {}},
			skills: [...skills],
			...(toolsets && {toolsets}),
		},
		transcript: [],
	};
};

async function equip(
	toolsets: readonly string[] | undefined,
	{
		tools = {crm: [search], mail: [send]},
		views = [],
		connecting = [],
		signal = new AbortController().signal,
		skillsDir = '/nowhere',
		...plan
	}: {
		skills?: readonly string[];
		skillsDir?: string;
		isChat?: boolean;
		tools?: Readonly<Record<string, readonly Tool[]>>;
		views?: readonly ServerView[];
		connecting?: readonly string[];
		signal?: AbortSignal;
	} = {},
) {
	const warnings: string[] = [];
	const asked: string[] = [];
	const shown: string[] = [];
	const waited: string[] = [];
	await using stack = new AsyncDisposableStack();
	const world: EquipWorld = {
		clock: createFakeClock(),
		config: () => ({
			profiles: {
				others: [],
				problems: [],
				of: () =>
					({
						paths: {skills: skillsDir, home: '/nowhere', profile: 'default'},
						environment: {},
					}) as never,
			},
			toolsets: toolsetsWithout('not in this test'),
			sandbox: {required: true, read: [], write: [], hosts: []},
			forge: {cli: 'gh'},
			tools: {maxSchemaTokens: 20_000},
		}),
		environment: {},
		isUnsigned: () => false,
		redact: text => text,
		servers: {
			async toolsOf(profile, given, {isNeeded, onWait} = {}) {
				asked.push(profile);
				given.throwIfAborted();
				waited.push(...Object.keys(tools).filter(name => isNeeded?.(name)));
				if (connecting.length > 0) {
					onWait?.({servers: connecting, mostMs: 60_000});
				}

				return new Map(Object.entries(tools));
			},
			views: () => views,
		},
		log: createLogger({
			clock: createFakeClock(),
			redact: text => text,
			write: ({message}) => warnings.push(message),
		}),
	};
	const equipment = await equipRun(makeStoredRun(toolsets, plan), world, {
		signal,
		note(text) {
			shown.push(text);
		},
		stack,
	});
	return {...equipment, warnings, asked, waited, shown};
}

test('"svc-webhook": the default gives a run the tools of every server of its profile', async () => {
	expect(await equip(undefined)).toEqual({
		tools: [search, send],
		maxSchemaTokens: 20_000,
		notes: [],
		logins: [],
		warnings: [],
		asked: ['default'],
		waited: ['crm', 'mail'],
		shown: [],
	});
});

test('a run of "mcp-crm" has the tools of that server', async () => {
	expect((await equip(['mcp-crm'])).tools).toEqual([search]);
});

test('a run without toolsets waits for no server', async () => {
	expect(await equip([])).toMatchObject({tools: [], notes: [], warnings: [], asked: []});
});

test('"unknown names are dropped with a warning", in the log and in the run', async () => {
	const {tools, warnings, notes} = await equip(['mcp-mail', 'mcp-nope']);

	expect(tools).toEqual([send]);
	expect(warnings).toEqual([
		'Toolset "mcp-nope" of the route "gh-review" was dropped: no tool server "nope" gives tools',
	]);
	expect(notes).toEqual(warnings);
});

test('a run says which server of its profile gave nothing, and why; its toolset is not unknown', async () => {
	const {tools, notes} = await equip(['mcp-crm', 'mcp-mail'], {
		// As managers tell: every server that is configured.
		tools: {crm: [search], mail: [], off: []},
		views: [
			makeServer({name: 'crm'}),
			makeServer({name: 'mail', status: 'failed', reason: 'connection refused'}),
			makeServer({name: 'mail', profile: 'acme', status: 'parked'}),
			makeServer({name: 'off', status: 'skipped'}),
		],
	});

	expect(tools).toEqual([search]);
	expect(notes).toEqual(['Tool server "mail" gives no tools: failed (connection refused)']);
});

test.each([
	{toolsets: ['mcp-crm'], waited: ['crm']},
	{toolsets: ['mcp-crm', 'mcp-mail'], waited: ['crm', 'mail']},
	{toolsets: ['mcp'], waited: ['crm', 'mail']},
	{toolsets: ['mcp-crm', 'svc-webhook'], waited: ['crm', 'mail']},
	{toolsets: ['terminal', 'mcp-', 'crm', 'mcp-nope'], waited: []},
])('a run of $toolsets waits for $waited alone', async ({toolsets, waited}) => {
	expect((await equip(toolsets)).waited).toEqual(waited);
});

test('a run says nothing of a server that it does not ask for', async () => {
	const {notes} = await equip(['mcp-crm'], {
		tools: {crm: [search], mail: []},
		views: [makeServer({name: 'mail', status: 'connecting'})],
	});

	expect(notes).toEqual([]);
});

test('a run says which servers it waits for, some by name', async () => {
	const one = await equip(undefined, {connecting: ['crm']});
	const many = await equip(undefined, {connecting: ['a', 'b', 'c', 'd', 'e', 'f', 'g']});

	expect([...one.shown, ...many.shown]).toEqual([
		'Waits for tool server "crm" to connect, 60 s at most: svc mcp list',
		'Waits for tool servers "a", "b", "c", "d", "e" and 2 more to connect, 60 s at most: svc mcp list',
	]);
});

test('"When filtering removes all server-native tools and no utility tool is registered, no runtime toolset is created for that server"', async () => {
	const {tools, warnings, notes} = await equip(['mcp-crm', 'mcp-mail'], {
		tools: {crm: [search], mail: []},
		views: [makeServer({name: 'crm'}), makeServer({name: 'mail', tools: []})],
	});

	expect(tools).toEqual([search]);
	expect(warnings).toEqual([
		'Toolset "mcp-mail" of the route "gh-review" was dropped: no tool server "mail" gives tools',
	]);
	expect(notes).toEqual(warnings);
});

test('a run that is cancelled while servers connect is not equipped', async () => {
	await expect(
		equip(undefined, {signal: AbortSignal.abort(new Error('cancelled'))}),
	).rejects.toThrow('cancelled');
});

test('a run waits for the logins of servers that it names, not of those that come with a general toolset, also when their tools are known', async () => {
	const views = [
		makeServer({name: 'crm', status: 'needs login'}),
		makeServer({name: 'mail', status: 'needs login'}),
		makeServer({name: 'files', status: 'connecting'}),
		makeServer({name: 'crm', profile: 'acme', status: 'needs login'}),
	];
	const loginsOf = async (...toolsets: readonly string[]) =>
		(await equip(toolsets, {views})).logins;
	expect(await loginsOf('mcp-crm')).toEqual(['crm']);
	expect(await loginsOf('svc-webhook', 'mcp-mail', 'mcp-files')).toEqual(['mail']);
	expect(await loginsOf('mcp', 'svc-webhook')).toEqual([]);
	expect((await equip(undefined, {views})).logins).toEqual([]);
});

test('a run goes on when none of its skills is found, and says so; no skill grants a tool', async () => {
	await using home = await temporaryHome({
		'skills/broken/SKILL.md': 'No front matter',
		'skills/greedy/SKILL.md':
			'---\nname: greedy\ndescription: D\nallowed-tools: terminal mcp__mail__send\ntools: [terminal]\n---\nBody\n',
		'skills/second/SKILL.md': '---\nname: second\ndescription: D\n---\nBody\n',
	});
	const skillsDir = home.file('skills');
	const none = await equip(['mcp-crm'], {skills: ['broken', 'ab\u001B[2J'], skillsDir});
	expect(none.skill).toBeUndefined();
	expect(none.tools).toEqual([search]);
	expect(none.notes).toEqual([
		'None of the skills of the route "gh-review" was found: "broken", "ab␛[2J" (svc skills list)',
	]);
	expect(none.warnings).toEqual([
		'Skill "broken" was skipped: its front matter has no description',
		'Skill "ab␛[2J" was skipped: letters, digits, "-" and "_" make a name',
		...none.notes,
	]);

	const greedy = await equip(['mcp-crm'], {skills: ['greedy', 'second'], skillsDir});
	expect(greedy).toMatchObject({skill: {name: 'greedy'}, tools: [search], notes: []});
	expect(greedy.offered).toBeUndefined();
});

test('a chat offers the other skills of its list by activate_skill, and none without tools', async () => {
	await using home = await temporaryHome(
		Object.fromEntries(
			['a', 'b', 'c'].map(name => [
				`skills/${name}/SKILL.md`,
				`---\nname: ${name}\ndescription: |\n  How to\n  ${name}\n---\nBody\n`,
			]),
		),
	);
	const chat = {skills: ['none', 'b', 'a'], skillsDir: home.file('skills'), isChat: true};
	const {skill, offered, tools} = await equip(['mcp-crm'], chat);
	expect(skill?.name).toBe('b');
	expect(offered).toEqual([{name: 'a', description: 'How to a'}]);
	expect(tools.map(({name}) => name)).toEqual(['activate_skill', 'mcp__crm__search']);

	const many = Array.from({length: 128}, (_, index) => createTool({name: `mcp__crm__${index}`}));
	const full = await equip(['mcp-crm'], {...chat, tools: {crm: many}});
	expect(full.tools).toHaveLength(129);
	expect(full.tools[0]?.name).toBe('activate_skill');

	for (const [toolsets, skills] of [
		[[], ['b', 'a']],
		[['mcp-crm'], ['b']],
	] as const) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const plain = await equip(toolsets, {...chat, skills});
		expect(plain.skill?.name).toBe('b');
		expect(plain.offered).toBeUndefined();
		expect(plain.tools.map(({name}) => name)).not.toContain('activate_skill');
	}
});
