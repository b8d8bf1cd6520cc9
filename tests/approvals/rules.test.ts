import {describe, expect, test} from 'vitest';
import {unaskedCall} from '../../source/approvals/drafts.ts';
import {isInForce, rulesFor, ruleOf, voidedRules} from '../../source/approvals/rules.ts';
import type {ApprovalRule} from '../../source/core/approval.ts';
import {makeAsked, makeAskingRun, makeCall, startMs} from './queue-fixture.ts';

const ruleFor = (...given: Parameters<typeof rulesFor>) => rulesFor(...given)[0];

const dayMs = 86_400_000;

const rule: ApprovalRule = {
	id: 4,
	profile: 'default',
	server: 'github-tools',
	tool: 'create_issue',
	endpoint: 'e1',
	definition: 'd1',
	scope: 'process',
	createdAt: startMs,
	createdBy: 'cli (alice)',
	uses: 0,
};

const approvalOf = (args: ReturnType<typeof makeCall>['args']) => ({
	...unaskedCall(
		{...makeCall({args}), argsBytes: 0},
		{requestedAt: startMs, deadline: startMs, latestDeadline: startMs},
	),
	id: 7,
});

describe('a rule "holds for one definition of one tool of one server of one profile and for nothing else"', () => {
	test('for that', () => {
		expect(ruleFor(makeCall(), [rule], startMs)).toBe(rule);
	});

	test.for([
		{profile: 'work'},
		{server: 'github-tools2'},
		{tool: 'create_issue2'},
		{definition: 'd2'},
		// Another program or address has the name now.
		{endpoint: 'e2'},
		{tool: 'Create_Issue'},
	])('not for %o', other => {
		expect(ruleFor(makeCall({tool: makeAsked(other)}), [rule], startMs)).toBeUndefined();
	});

	test('the name that models use does not count', () => {
		const call = makeCall({tool: makeAsked({name: 'mcp__other', server: 'other'})});
		expect(ruleFor(call, [rule], startMs)).toBeUndefined();
	});

	test('one for a run, only for that run', () => {
		const ofRun: ApprovalRule = {...rule, scope: 'run', run: 184};
		expect(ruleFor(makeCall(), [ofRun], startMs)).toBe(ofRun);
		const {run: _, ...tried} = makeCall();
		expect(ruleFor(tried, [ofRun], startMs)).toBeUndefined();
		expect(ruleFor(makeCall({run: makeAskingRun({id: 185})}), [ofRun], startMs)).toBeUndefined();
		const {run: __, ...broken} = ofRun;
		expect(ruleFor(tried, [broken], startMs)).toBeUndefined();
	});

	test('"always expires after 30 days"', () => {
		const made = ruleOf(approvalOf({}), {choice: 'allow', scope: 'always'}, {at: startMs, by: 'x'});
		expect(made?.expiresAt).toBe(startMs + 30 * dayMs);
		const always = {...rule, ...made};
		expect(isInForce(always, startMs + 30 * dayMs - 1)).toBe(true);
		expect(isInForce(always, startMs + 30 * dayMs)).toBe(false);
		expect(ruleFor(makeCall(), [always], startMs + 30 * dayMs)).toBeUndefined();
	});
});

describe('the arguments that a rule covers', () => {
	const args = {owner: 'acme', repo: 'api', title: 'one', deep: {b: 1, a: [1, 2]}};
	const made = (which?: 'any' | 'exact' | readonly string[]): ApprovalRule => ({
		...rule,
		...ruleOf(
			approvalOf(args),
			{choice: 'allow', scope: 'process', ...(which && {args: which})},
			{at: startMs, by: 'x'},
		),
	});

	test.for([
		{which: undefined, other: {anything: true}, allowed: true},
		{which: 'any' as const, other: null, allowed: true},
		{
			which: 'exact' as const,
			other: {deep: {a: [1, 2], b: 1}, title: 'one', repo: 'api', owner: 'acme'},
			allowed: true,
		},
		{which: 'exact' as const, other: {...args, title: 'two'}, allowed: false},
		{which: 'exact' as const, other: {...args, extra: null}, allowed: false},
		{which: 'exact' as const, other: {...args, deep: {b: 1, a: [2, 1]}}, allowed: false},
		{which: ['owner', 'repo'], other: {...args, title: 'two'}, allowed: true},
		{which: ['repo', 'owner'], other: {owner: 'acme', repo: 'api'}, allowed: true},
		{which: ['owner', 'repo'], other: {...args, repo: 'web'}, allowed: false},
		{which: ['owner', 'repo'], other: {owner: 'acme'}, allowed: false},
		{which: ['owner'], other: ['acme'], allowed: false},
		{which: ['toString'], other: {}, allowed: false},
	])('$which allows $other: $allowed', ({which, other, allowed}) => {
		const found = ruleFor(makeCall({args: other}), [made(which)], startMs);
		expect(found !== undefined).toBe(allowed);
	});
});

describe('a change of a server', () => {
	const other: ApprovalRule = {...rule, id: 5, tool: 'close_issue', definition: 'c1'};
	const change = {profile: 'default', server: 'github-tools'};

	test('voids the rules for other definitions than the present ones', () => {
		const definitions = new Map([
			['create_issue', 'd2'],
			['close_issue', 'c1'],
		]);
		expect(voidedRules([rule, other], {...change, definitions})).toEqual([rule]);
	});

	test('leaves the rule of a tool that is only not listed', () => {
		expect(voidedRules([rule, other], {...change, definitions: new Map()})).toEqual([]);
	});

	test('voids all rules of a server that is gone, and of no other', () => {
		expect(voidedRules([rule, other], change)).toEqual([rule, other]);
		expect(voidedRules([rule], {...change, profile: 'work'})).toEqual([]);
		expect(voidedRules([rule], {...change, server: 'other'})).toEqual([]);
	});
});
