import {writeFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {diffConfig} from '../../source/config/diff-config.ts';
import {formatDiagnostic} from '../../source/config/format-diagnostic.ts';
import {loadConfig} from '../../source/config/load-config.ts';
import {configOf, createTemporaryHome} from './temporary-home.ts';

const good = `
    - job: Nightly notes
      tool: mcp__files__write_file
      when: {path: '~/notes/', mode: append}
    - {route: gh-review, tool: mcp__files__move_file, when: {source: /srv/in/}, definition: sha256:${'ab'.repeat(32)}}`;

const rulesIn = (allow: string, before?: ReturnType<typeof configOf>) => {
	using home = createTemporaryHome();
	writeFileSync(home.paths.config, `approvals:\n  allow:${allow}\n`);
	const environment = {HOME: '/home/alice'};
	return configOf(loadConfig({paths: home.paths, environment, ...(before && {before})}));
};

test('rules are read with their place, and "~" as the folder of the person', () => {
	const {approvalRules, problems} = rulesIn(good);
	expect(problems).toEqual([]);
	expect(approvalRules).toEqual([
		{
			owner: {kind: 'job', name: 'Nightly notes'},
			profile: 'default',
			name: 'mcp__files__write_file',
			when: [
				{key: 'mode', equals: 'append'},
				{key: 'path', below: '/home/alice/notes'},
			],
			place: 'config.yaml:3',
		},
		{
			owner: {kind: 'route', name: 'gh-review'},
			profile: 'default',
			name: 'mcp__files__move_file',
			when: [{key: 'source', below: '/srv/in'}],
			definition: 'ab'.repeat(32),
			place: 'config.yaml:6',
		},
	]);
});

test.for([
	['{job: a, route: b, tool: x}', 'needs "route" or "job", one of the two'],
	['{tool: x}', 'needs "route" or "job", one of the two'],
	["{route: '*', tool: x}", 'route: is a name: a pattern is not taken'],
	["{job: 'night*', tool: x}", 'job: is a name: a pattern is not taken'],
	["{job: a, tool: '*'}", 'tool: is a name: a pattern is not taken'],
	['{job: a, tool: mcp__files__*}', 'tool: is a name: a pattern is not taken'],
	['{job: a, tool: write file}', 'tool: is not the name of a tool as models call it'],
	['{job: a, tool: x, wehn: {path: ~/n/}}', '"wehn" is no key of a rule, did you mean "when"'],
	['{job: a, tool: x, when: }', 'when: is empty'],
	['{job: a, tool: x, when: ~}', 'when: is empty'],
	['{job: a, tool: x, definition: null}', 'definition: is empty'],
	['{job: a, tool: x, when: {}}', 'when: must name 1 to 20 arguments'],
	["{job: a, tool: x, when: {path: '/'}}", 'when.path: is every file there is'],
	["{job: a, tool: x, when: {path: 'notes/'}}", 'when.path: must begin with "/" or "~/"'],
	[
		"{job: a, tool: x, when: {path: '~/../b/'}}",
		'when.path: must begin with "/" or "~/", and hold',
	],
	["{job: a, tool: x, when: {'*': 1}}", 'when.*: is not the dotted path of an argument'],
	["{job: a, tool: x, when: '~/notes/'}", 'when: must be a mapping'],
	['{job: a, tool: x, definition: abc}', 'definition: is not a SHA-256'],
	['just text', 'must be a mapping, not text'],
] as const)('%s takes out that entry alone', ([entry, message]) => {
	const {approvalRules, problems, itemErrors} = rulesIn(
		`${good}\n    - ${entry}\n    - {job: b, tool: y}`,
	);
	const errors = problems.filter(({severity}) => severity === 'error').map(formatDiagnostic);
	expect(errors).toHaveLength(1);
	// Once is enough: a key that nobody knows is no warning besides.
	expect(problems).toHaveLength(1);
	expect(errors[0]).toContain('config.yaml:7:');
	expect(errors[0]).toContain(message);
	expect([...itemErrors.values()]).toMatchObject([{item: 'approvals.allow.2', kept: false}]);
	expect(approvalRules.map(({name}) => name)).toEqual([
		'mcp__files__write_file',
		'mcp__files__move_file',
		'y',
	]);
});

test('what is no list of rules allows nothing, also where there were rules before', () => {
	const before = rulesIn(good);
	const {approvalRules, problems} = rulesIn(' yes', before);
	expect(problems.map(({key}) => key)).toEqual(['approvals.allow']);
	expect(approvalRules).toEqual([]);
});

test('an entry that cannot be read any more ends its rule', () => {
	const before = rulesIn(good);
	const after = rulesIn(good.replace('job: Nightly', 'jbo: Nightly'), before);
	expect(after.approvalRules.map(({name}) => name)).toEqual(['mcp__files__move_file']);
	expect(diffConfig(before, after).changes).toEqual([
		'approval rule ended: job "Nightly notes" may call mcp__files__write_file, mode = "append", path below /home/alice/notes/',
	]);
	expect(diffConfig(after, before).changes).toEqual([
		'approval rule added: job "Nightly notes" may call mcp__files__write_file, mode = "append", path below /home/alice/notes/',
	]);
});

const listening = `platforms:
  telegram: {enabled: true, bot_token: '123:a-token', inbound: true}
  matrix: {enabled: true, homeserver: 'https://m.example', access_token: abc-token, inbound: true}
  slack: {enabled: true, bot_token: xoxb-a-token, app_token: xapp-a-token, inbound: true}
  discord: {enabled: true, bot_token: a-token-of-a-bot, inbound: true}
  mattermost: {enabled: true, api_base: 'https://chat.example', bot_token: a-token-of-a-bot}
  email: {enabled: true, from: svc@example.org, inbound: true, authserv_id: mx.example.org, approvals: true}
`;
const noApprovals = listening.replace(', approvals: true', '');

const snowflake = "'100000000000000001'";

test.for([
	['telegram', '-1001234', undefined],
	['telegram', "'@channel'", 'chat_id: nobody can answer there: answers come from the number'],
	['telegram', 'ops', 'chat_id: nobody can answer there: chat_id must be the number of a chat'],
	['telegram', '12, thread_id: x', 'chat_id: nobody can answer there: thread_id must be the num'],
	['matrix', "'!abc:example.org'", undefined],
	['matrix', "'#ops:example.org'", 'chat_id: nobody can answer there: answers come from the id'],
	['slack', 'C0123456789', undefined],
	['slack', 'U0123456789', 'chat_id: nobody can answer there: answers come from the id of the'],
	['discord', snowflake, undefined],
	[
		'discord',
		`${snowflake}, thread_id: ${snowflake}`,
		'thread_id: nobody can answer there: a thread is a chat of its own on discord',
	],
	['mattermost', 'abc', 'platform: nobody can answer there: platforms.mattermost is not enabled'],
	['email', 'ann@example.com', undefined],
	['email', 'Ann@example.com', 'chat_id: nobody can answer there: answers come from one address'],
	['email', "'a@b.example, c@d.example'", 'chat_id: nobody can answer there: answers come from'],
] as const)('a chat of approvals on %s that is %s: %j', ([platform, chat, problem]) => {
	using home = createTemporaryHome();
	const chats = `approvals:\n  chats:\n    -\n    - {platform: ${platform}, chat_id: ${chat}}\n`;
	const found = home.load({config: listening + chats});
	const about = configOf(found)
		.problems.map(formatDiagnostic)
		.filter(text => text.includes('nobody can answer'));
	expect(about).toHaveLength(problem === undefined ? 0 : 1);
	expect(about.join('')).toContain(problem === undefined ? '' : `approvals.chats.1.${problem}`);
});

test('mails answer nothing until they may', () => {
	using home = createTemporaryHome();
	const chats = 'approvals:\n  chats: [{platform: email, chat_id: ann@example.com}]\n';
	expect(configOf(home.load({config: noApprovals + chats})).problems.map(formatDiagnostic)).toEqual(
		[expect.stringMatching(/chats\.0\.platform: .* platforms\.email\.approvals is not true$/)],
	);
});
