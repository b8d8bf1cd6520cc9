import {expect, test} from 'vitest';
import type {GatewayEvent} from '../../../../source/core/events.ts';
import type {Run, TranscriptEntry} from '../../../../source/core/run.ts';
import {createFakePort} from '../../../helpers/fake-port.ts';
import {makeRun, runChanged} from '../../../helpers/make.ts';
import {showShell, testNow} from '../../../helpers/show-shell.tsx';

const size = {columns: 80, rows: 24};

const running = makeRun({id: 5, state: 'running', createdAt: testNow, startedAt: testNow});
const prompt: TranscriptEntry = {at: testNow, kind: 'prompt', text: 'Review this'};

/** A run whose model is about to speak; `say` goes on with its answer. */
async function watch(run: Run = running) {
	const port = createFakePort({runs: [run], progress: {5: [prompt]}});
	const shown = await showShell(port, size, {pane: 'runs'});
	await shown.screen.press('enter');
	let length = 0;
	return {
		port,
		shown,
		rows: () => shown.screen.lines(),
		async say(text: string) {
			port.emit({type: 'run-said', at: testNow + 1000, runId: 5, from: length, text});
			length += text.length;
			await shown.pass(100);
		},
		async happen(...events: readonly GatewayEvent[]) {
			port.emit(...events);
			await shown.pass(100);
		},
		[Symbol.asyncDispose]: async () => shown[Symbol.asyncDispose](),
	};
}

const paragraph = (from: number, count: number) =>
	Array.from({length: count}, (_, index) => `- point ${from + index}\n`).join('');

test('the words of a model are shown as they come, then its answer in the same place', async () => {
	await using run = await watch();
	await run.say('# Seen\n\nIt is **fi');
	expect(run.shown.text()).toContain('It is **fi');
	expect(run.shown.text()).toContain('◐ the model writes');
	await run.say('ne** by\nme.');
	const before = run.rows();
	expect(run.shown.text()).toContain('It is fine by');

	const text = '# Seen\n\nIt is **fine** by\nme.';
	const entry = {at: testNow + 1000, kind: 'text', text} as const;
	await run.happen({type: 'run-progressed', at: testNow, runId: 5, entry});
	const told = run.rows();
	await run.happen(runChanged({...running, state: 'delivering', answer: text}));
	const done: Run = {...running, state: 'done', finishedAt: testNow + 2000, answer: text};
	run.port.runs.set(5, {
		...done,
		plan: {prompt: 'Review this', target: {kind: 'log', extra: {}}, skills: []},
		transcript: [prompt, entry],
		fullAnswer: text,
	});
	await run.happen(runChanged(done));
	const ended = run.rows();
	await run.shown.pass(80);
	await run.shown.pass(400);
	const read = run.rows();

	const answerOf = (rows: readonly string[]) =>
		rows.flatMap((row, index) => (/Seen|It is|▾ text/.test(row) ? [[index, row]] : []));
	expect(answerOf(before)).toHaveLength(3);
	for (const rows of [told, ended, read]) {
		expect(answerOf(rows)).toEqual(answerOf(before));
	}

	expect(run.shown.text()).not.toContain('answer');
});

test('who stands at the end follows what comes, through calls of tools, and stays there when it is over', async () => {
	await using run = await watch();
	await run.say(paragraph(1, 30));
	expect(run.shown.text()).not.toContain('point 30');
	await run.shown.screen.press('G');
	await run.say(paragraph(31, 30));
	expect(run.shown.text()).toContain('point 60');
	expect(run.rows().at(-2)).toContain('> ');

	const text = paragraph(1, 60);
	await run.happen(
		{type: 'run-progressed', at: 1, runId: 5, entry: {at: testNow, kind: 'text', text}},
		{
			type: 'run-progressed',
			at: 1,
			runId: 5,
			entry: {at: testNow, kind: 'tool-call', text: '{}', data: {tool: 'mcp__fs__read', call: 'a'}},
		},
	);
	expect(run.rows().at(-2)).toContain('◐ fs.read');
	await run.happen(runChanged({...running, state: 'failed', finishedAt: testNow}));
	expect(run.rows().at(-2)).toContain('✗ failed');
});

test('who reads further up is left there', async () => {
	await using run = await watch();
	await run.say(paragraph(1, 30));
	await run.shown.screen.press('G', 'g', 'ctrl+d');
	const before = run.rows().slice(3, -1);
	await run.say(paragraph(31, 30));
	expect(run.rows().slice(3, -1)).toEqual(before);
});

test('of more than 200 rows the last are shown, and what was not heard is counted', async () => {
	await using run = await watch();
	run.port.emit({type: 'run-said', at: testNow, runId: 5, from: 4321, text: paragraph(1, 300)});
	await run.shown.pass(100);
	await run.shown.screen.press('G');
	expect(run.shown.text()).toContain('point 300');
	await run.shown.screen.press('g');
	expect(run.shown.text()).toContain('… 4,321 characters before');
	expect(run.shown.text()).toContain('… 100 rows before');
});

test('what a model says is text to the terminal, however its pieces are cut', async () => {
	await using run = await watch();
	await run.say('Look \u001B');
	await run.say(']52;c;AAAA\u0007 \u202E half \ud83d');
	expect(run.shown.text()).toContain('half');
	expect(run.shown.text()).not.toContain('\ufffd');
	await run.say('\ude00 <!-- hidden -->');

	expect(run.shown.screen.written()).not.toContain('\u001B]52;c;AAAA');
	expect(run.shown.screen.written()).not.toContain('\u202E');
	expect(run.shown.text()).toContain('half 😀');
	expect(run.shown.text()).toContain('<!-- hidden -->');
});

test('an answer that was not watched stands first', async () => {
	const text = 'All is fine';
	const done: Run = {...running, state: 'done', finishedAt: testNow, answer: text};
	await using run = await watch(done);
	run.port.runs.set(5, {
		...done,
		plan: {prompt: 'Review this', target: {kind: 'log', extra: {}}, skills: []},
		transcript: [prompt, {at: testNow, kind: 'text', text}],
	});
	await run.shown.pass(80);
	expect(run.shown.text()).toMatch(/answer +All is fine[^]*▸ prompt[^]*▸|text +All/);
});

test('the result of a call is not missing before the journal of a run that has just ended is there', async () => {
	await using run = await watch();
	const data = {tool: 'mcp__crm__find', call: 'a', server: 'crm'};
	const call: TranscriptEntry = {at: testNow, kind: 'tool-call', text: '{}', data};
	await run.happen({type: 'run-progressed', at: testNow, runId: 5, entry: call});
	const done: Run = {...running, state: 'done', finishedAt: testNow + 10, answer: 'Found'};
	await run.happen(runChanged(done));
	const early = run.shown.text();
	run.port.runs.set(5, {
		...done,
		plan: {prompt: 'Review this', target: {kind: 'log', extra: {}}, skills: []},
		transcript: [prompt, call],
		fullAnswer: 'Found',
	});
	await run.shown.pass(800);

	expect(early).toContain('crm.find');
	expect(early).not.toContain('no result');
	expect(run.shown.text()).toContain('no result');
});
