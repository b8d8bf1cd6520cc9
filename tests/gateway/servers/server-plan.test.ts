import {expect, test} from 'vitest';
import type {ApprovalRule} from '../../../source/core/approval.ts';
import {describeServerPlan} from '../../../source/gateway/commands/server-commands.ts';

const rule = (tool: string, server = 'github-tools', profile = 'default'): ApprovalRule => ({
	id: 1,
	profile,
	server,
	tool,
	endpoint: 'e0'.repeat(32),
	definition: 'a'.repeat(64),
	scope: 'always',
	createdAt: 0,
	createdBy: 'cli (ann)',
	uses: 0,
});

const changed = {
	name: 'github-tools',
	kind: 'changed',
	keys: ['tools.include'],
	isOther: false,
	closes: true,
	tools: {before: 14, after: 9},
	lostTools: ['create_issue', 'delete_repo'],
} as const;

test('what a reload would do is one line for each server, with the rules that would become void', () => {
	const plan = describeServerPlan(
		[
			{name: 'crm2', kind: 'added', keys: [], isOther: false, closes: false, lostTools: []},
			changed,
			{name: 'old', kind: 'removed', keys: [], isOther: true, closes: true, lostTools: []},
		],
		{
			profile: 'default',
			rules: [rule('create_issue'), rule('search'), rule('create_issue', 'github-tools', 'acme')],
		},
	);

	expect(plan).toEqual({
		changes: [
			'+ crm2',
			'~ github-tools: tools.include changed (14 → 9 tools, 1 approval rule becomes void)',
			'- old',
		],
		closes: ['github-tools', 'old'],
	});
});

test('every rule for a server that goes becomes void', () => {
	const {changes} = describeServerPlan(
		[{name: 'old', kind: 'removed', keys: [], isOther: true, closes: false, lostTools: []}],
		{profile: 'default', rules: [rule('a', 'old'), rule('b', 'old')]},
	);

	expect(changes).toEqual(['- old (2 approval rules become void)']);
});

test('every rule for a server that would be another one becomes void', () => {
	const {changes} = describeServerPlan(
		[{name: 'crm', kind: 'changed', keys: ['args'], isOther: true, closes: true, lostTools: []}],
		{profile: 'default', rules: [rule('a', 'crm')]},
	);

	expect(changes).toEqual(['~ crm: args changed (1 approval rule becomes void)']);
});

test('as many tools as before are not worth a word', () => {
	const {changes} = describeServerPlan([{...changed, tools: {before: 9, after: 9}}], {
		profile: 'default',
		rules: [],
	});

	expect(changes).toEqual(['~ github-tools: tools.include changed']);
});
