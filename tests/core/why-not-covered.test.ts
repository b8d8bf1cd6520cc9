import {expect, test} from 'vitest';
import type {ApprovalRule} from '../../source/core/approval.ts';
import {whyNotCovered} from '../../source/core/approvals/why-not-covered.ts';
import {jsonHash} from '../../source/core/json.ts';
import {toolFrom, toolPlace} from '../../source/core/tool.ts';
import {makeShownTool, makeToolApproval} from '../helpers/make-approval.ts';

const tool = makeShownTool({
	server: 'notes',
	tool: 'write_file',
	name: 'mcp__notes__write_file',
	inputSchema: {type: 'object', properties: {path: {}, mode: {}}},
});

const call = (args: Record<string, unknown>) => {
	const {
		route: _route,
		delivery: _delivery,
		...approval
	} = makeToolApproval({
		tool,
		args: args as never,
		job: {id: 'job_1', name: 'nightly'},
		run: 184,
	});
	return approval;
};

const rule = (overrides: Partial<ApprovalRule> = {}): ApprovalRule => ({
	id: 4,
	profile: 'default',
	tool: 'write_file',
	...toolPlace(toolFrom(tool)),
	definition: tool.definition,
	scope: 'always',
	createdAt: 0,
	createdBy: 'cli (alice)',
	uses: 0,
	...overrides,
});

const below = (key: string) => ({key, below: '/home/ann/notes', real: '/home/ann/notes'});

test.each([
	[{when: [below('path')]}, {path: '/etc/passwd'}, 'argument path is outside of /home/ann/notes/'],
	[
		{when: [below('path')]},
		{path: '/home/ann/notes/../x'},
		'argument path is outside of /home/ann/notes/',
	],
	[{when: [below('path')]}, {mode: 'a'}, 'argument path is missing'],
	[
		{when: [below('path')]},
		{path: '/home/ann/notes/a', other: 1},
		'argument other is not of its schema',
	],
	[{when: [below('path')]}, {path: '/home/ann/notes/a'}, 'where its paths lead on this machine'],
	[{when: [{key: 'mode', equals: 'append'}]}, {mode: 'new'}, 'argument mode is not "append"'],
	[{args: {hash: jsonHash({path: 'a'})}}, {path: 'b'}, 'its arguments are not exactly the same'],
	[{args: {hash: 'x', keys: ['path']}}, {path: 'b'}, 'argument path is not the same'],
	[{scope: 'run', run: 7}, {}, 'it is for run 7'],
	[{owner: {kind: 'job', id: 'job_2', name: 'other'}}, {}, 'it is for runs of job other'],
	[{owner: {kind: 'route', name: 'push'}}, {}, 'it is for runs of route push'],
	[{endpoint: 'f0'.repeat(32)}, {}, 'the tool server is another one than it was'],
	[{definition: 'f0'.repeat(32)}, {}, 'the tool is not defined as it was'],
	[{problem: 'its tool is gone'}, {}, 'its tool is gone'],
	[{}, {}, 'it was made after the call asked'],
] as const)('%j does not cover %j: %s', (overrides, args, reason) => {
	expect(whyNotCovered(call(args), [rule(overrides as Partial<ApprovalRule>)])).toEqual([
		expect.stringMatching(/^rule 4 does not cover it: /),
	]);
	expect(
		whyNotCovered(call(args), [rule(overrides as Partial<ApprovalRule>)])[0]?.replace(
			'rule 4 does not cover it: ',
			'',
		),
	).toContain(reason);
});

test('rules of other tools are not told of, and no name reaches the terminal as it is', () => {
	const others = [rule({tool: 'read_file'}), rule({server: 'crm'}), rule({profile: 'work'})];
	expect(whyNotCovered(call({}), others)).toEqual([]);

	const [said = ''] = whyNotCovered(call({}), [
		rule({when: [{key: 'a\u001B[2J', equals: '\u001B[31m'}]}),
	]);
	expect(said).toContain('is missing');
	expect(said).not.toContain('\u001B');
});

test('a call without a sandbox is covered by none, whatever the rule says', () => {
	const approval = call({});
	const open = {...approval, tool: {...approval.tool, why: 'no sandbox works here: …'}};
	expect(whyNotCovered(open, [rule()])).toEqual([
		'rule 4 does not cover it: without a sandbox every call asks',
	]);
});
