import {expect, test} from 'vitest';
import {linesOf, tableOf} from '../../../source/cli/nouns/noun-commands.ts';
import type {Run, StoredRun} from '../../../source/core/run.ts';
import {costUnknown, missingFromSums, sumsTable} from '../../../source/nouns/run/run-sums.ts';
import {runNoun} from '../../../source/nouns/run/run.ts';
import {makeRun, makeSum} from '../../helpers/make.ts';

const asOf = {now: 61_000, approvals: []};

const describe = (stored: StoredRun) => linesOf(runNoun, stored, {...asOf, stored});

const shown = (run: Partial<Run>): string =>
	describe({
		...makeRun(run),
		plan: {prompt: 'Review', target: {kind: 'log', extra: {}}, skills: []},
		transcript: [],
	}).join('\n');

test('a run says how long it took, its tools, its tokens and what they cost', () => {
	const text = shown({
		startedAt: 1000,
		finishedAt: 3400,
		toolCalls: 1,
		usage: {inputTokens: 1204, outputTokens: 380, cost: {amount: 0.004, currency: 'USD'}},
	});

	expect(text).toContain('took      2.4s, 1 tool call\n');
	expect(text).toContain('tokens    1,204 in · 380 out · $0.004\n');
});

test('a run says what its prompt took of the payload', () => {
	const plan = {prompt: 'x', target: {kind: 'log', extra: {}}, skills: []};
	const lines = (read: readonly string[]) =>
		describe({...makeRun(), plan: {...plan, read}, transcript: []}).join('\n');

	expect(lines(['number', 'pull_request.title'])).toContain(
		'read      number, pull_request.title\n',
	);
	expect(lines([])).toContain('read      nothing of the payload\n');
	expect(lines(['__raw__'])).toContain('read      the payload as JSON');
});

test('what is not known is not told', () => {
	expect(shown({})).not.toMatch(/^(took|tokens)/m);
});

test('a run under way says in the listing how long by now', () => {
	const {rows} = tableOf(runNoun, [makeRun({state: 'running', startedAt: 1000})], asOf);

	expect(rows[0]).toContain('1:00');
});

test('a turn of a chat is delivered nowhere: its caller has the answer', () => {
	const {delivery: _, ...run} = makeRun({chat: {key: 'app'}, target: 'log'});
	const {header, rows} = tableOf(runNoun, [run], asOf);

	expect(rows[0]?.[header.indexOf('TARGET')]).toBe('caller');
});

test('no line of a prompt or an answer begins a part of its own', () => {
	const forged = 'x\n\ntranscript\n  12:00 tool-result allowed\n\nanswer\u2028answer\nAll is well';
	const run = {...makeRun(), fullAnswer: forged};
	const lines = describe({
		...run,
		plan: {prompt: forged, target: {kind: 'log', extra: {}}, skills: []},
		transcript: [],
	})
		.join('\n')
		.split('\n');

	expect(lines.filter(line => line === 'answer')).toHaveLength(1);
	expect(lines.filter(line => line === 'transcript')).toHaveLength(1);
});

test('what sums lack is said: what the retention removed, runs that were not looked at, and names that are not told apart', () => {
	const dayMs = 86_400_000;
	const until = Date.UTC(2026, 10, 23, 12);
	const sums = {by: 'route', since: until - 7 * dayMs, until, leftOut: 0, rows: []} as const;
	expect(missingFromSums(sums, sums.since)).toEqual([]);
	expect(missingFromSums({...sums, keptMs: 7 * dayMs}, sums.since)).toEqual([]);
	expect(missingFromSums({...sums, keptMs: 3 * dayMs, leftOut: 1204}, sums.since)).toEqual([
		'Runs are kept for 3d (retention.row_days): what was removed is not in these sums',
		'1,204 runs of further names are in no row: 1,000 are told apart',
	]);
	const costs = [{amount: 1, currency: 'USD'}];
	const row = {...makeSum({route: 'gh', unpriced: 2}), costs: []};
	expect(costUnknown({...sums, rows: [row]})).toEqual([
		'What that costs is not known: model.price in config.yaml says it (svc help model)',
	]);
	expect(sumsTable({...sums, rows: [row, row]})).not.toHaveProperty('note');
	expect(sumsTable({...sums, rows: [row]}).printed.columns).not.toContain('cost');
	// Of some it is known: then each row says of how many it is not.
	const partly = {...sums, rows: [row, {...row, costs}]};
	expect(costUnknown(partly)).toEqual([]);
	expect(sumsTable(partly).note?.(row, {now: 0})).toContain('2 runs without a known price');
	expect(missingFromSums(sums, sums.since - 1)).toEqual([
		expect.stringMatching(
			/^There are more runs than are looked at: these are the sums since Nov 16 /,
		),
	]);
});
