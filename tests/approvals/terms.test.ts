import {describe, expect, test} from 'vitest';
import {
	callDeadlines,
	extended,
	formDeadlines,
	approvalTerms,
} from '../../source/approvals/terms.ts';
import type {Origin} from '../../source/core/origin.ts';
import {makeAsked, makeAskingRun, startMs} from './queue-fixture.ts';

const known = {definition: 'd1'};

describe('how far a yes may reach', () => {
	const scopes: Record<Origin['kind'], {origin: Origin; scopes: string[]; owner?: object}> = {
		delivery: {
			origin: {kind: 'delivery', route: 'gh-review', delivery: 'abc123'},
			scopes: ['once', 'run'],
		},
		job: {
			origin: {kind: 'job', job: {id: 'job_1', name: 'nightly'}},
			scopes: ['once', 'run', 'process', 'always'],
			owner: {kind: 'job', id: 'job_1', name: 'nightly'},
		},
		key: {origin: {kind: 'key', name: 'laptop'}, scopes: ['once', 'run', 'process']},
		person: {origin: {kind: 'person'}, scopes: ['once', 'run', 'process']},
		chat: {
			origin: {kind: 'chat', platform: 'telegram', chat: '12345', user: '99'},
			scopes: ['once', 'run'],
		},
	};

	test.for(Object.values(scopes))(
		'"Runs started by a webhook never get v; at most r"; a yes for good is for runs of a job alone: $origin.kind',
		({origin, scopes: offered, owner}) => {
			expect(approvalTerms(makeAsked(), makeAskingRun({origin}), known)).toEqual({
				scopes: offered,
				mustTypeName: false,
				changed: false,
				...(owner && {lasting: {owner, isBound: true}}),
			});
		},
	);

	test('a person who tries a tool has no run to allow it for', () => {
		expect(approvalTerms(makeAsked(), undefined, known).scopes).toEqual([
			'once',
			'process',
			'always',
		]);
		expect(approvalTerms(makeAsked(), undefined, undefined).scopes).toEqual(['once']);
	});

	test('what runs without a sandbox is asked about each time, whoever starts the run', () => {
		const tool = makeAsked({from: {kind: 'built-in'}, why: 'no sandbox works here: …'});
		const runs = Object.values(scopes).map(({origin}) => makeAskingRun({origin}));
		for (const run of [undefined, ...runs]) {
			expect(approvalTerms(tool, run, known)).toEqual({
				scopes: ['once'],
				mustTypeName: false,
				changed: false,
			});
		}
	});

	test.for([
		{what: 'destructiveHint: true', tool: makeAsked({claims: {destructive: true}}), last: known},
		{what: 'first use of a tool', tool: makeAsked(), last: undefined},
		{
			what: 'a changed definition',
			tool: makeAsked({definition: 'd2'}),
			last: known,
			changed: true,
		},
		{
			what: 'a definition that changed since it was seen',
			tool: makeAsked({changed: true}),
			last: undefined,
			changed: true,
		},
	])(
		'"$what → a needs the tool\'s name typed once; s/v are not offered"',
		({tool, last, changed = false}) => {
			expect(approvalTerms(tool, makeAskingRun({origin: {kind: 'person'}}), last)).toEqual({
				scopes: ['once', 'run'],
				mustTypeName: true,
				changed,
			});
		},
	);

	test('a definition that was allowed last counts as known, though it was first seen otherwise', () => {
		const tool = makeAsked({changed: true});
		expect(approvalTerms(tool, makeAskingRun(), known)).toMatchObject({
			mustTypeName: false,
			changed: false,
		});
	});
});

describe('when a request is denied by itself', () => {
	test.for([
		{what: '"min(300 s, tool timeout − 5 s)": 300 s', toolTimeoutMs: 600_000, waits: 300_000},
		{what: '"min(300 s, tool timeout − 5 s)": less', toolTimeoutMs: 60_000, waits: 55_000},
		{what: 'a person has at least 5 s', toolTimeoutMs: 3000, waits: 5000},
		{what: '5 s before the end of the run', toolTimeoutMs: 600_000, ends: 20_000, waits: 15_000},
		{what: 'a run that is over', toolTimeoutMs: 600_000, ends: -1, waits: 0},
	])('$what', ({toolTimeoutMs, ends = 900_000, waits}) => {
		const run = makeAskingRun({endsAt: startMs + ends});
		expect(callDeadlines({toolTimeoutMs, run}, startMs)).toEqual({
			deadline: startMs + waits,
			latestDeadline: startMs + Math.max(ends - 5000, 0),
		});
	});

	test('a form waits as long as its server says ("default 300"), 5 s less than the run at most', () => {
		const run = makeAskingRun({endsAt: startMs + 700_000});
		expect(formDeadlines({timeoutMs: 10_000}, startMs).deadline).toBe(startMs + 10_000);
		expect(formDeadlines({timeoutMs: 600_000, run}, startMs).deadline).toBe(startMs + 600_000);
		expect(formDeadlines({timeoutMs: 900_000, run}, startMs).deadline).toBe(startMs + 695_000);
	});

	test('"w extends": five minutes, "as far as the run\'s own end"', () => {
		const deadline = startMs + 300_000;
		expect(extended({deadline, latestDeadline: startMs + 900_000})).toBe(startMs + 600_000);
		expect(extended({deadline, latestDeadline: startMs + 400_000})).toBe(startMs + 400_000);
	});
});
