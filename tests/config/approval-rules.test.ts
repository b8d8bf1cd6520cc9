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
	const {approvalRules, problems, slips} = rulesIn(
		`${good}\n    - ${entry}\n    - {job: b, tool: y}`,
	);
	const errors = problems.filter(({severity}) => severity === 'error').map(formatDiagnostic);
	expect(errors).toHaveLength(1);
	// Once is enough: a key that nobody knows is no warning besides.
	expect(problems).toHaveLength(1);
	expect(errors[0]).toContain('config.yaml:7:');
	expect(errors[0]).toContain(message);
	expect([...slips.values()]).toMatchObject([{item: 'approvals.allow.2', kept: false}]);
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
