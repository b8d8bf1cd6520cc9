import {expect, test} from 'vitest';
import type {Run, StoredRun, TranscriptEntry} from '../../../../source/core/run.ts';
import {deliveryList} from '../../../../source/tui/entries/delivery-list.ts';
import {runList} from '../../../../source/tui/entries/lists.ts';
import {dialogRows} from '../../../helpers/dialog-rows.ts';
import {createFakePort} from '../../../helpers/fake-port.ts';
import {makeDelivery, makeJob, makeRun, received, runChanged} from '../../../helpers/make.ts';
import {readTable} from '../../../helpers/read-table.ts';
import {showShell, testNow} from '../../../helpers/show-shell.tsx';

const wide = {columns: 120, rows: 36};
const narrow = {columns: 80, rows: 24};

const run = (id: number, overrides: Partial<Run> = {}): Run =>
	makeRun({id, createdAt: testNow - 60_000, ...overrides});

const stored = (view: Run, overrides: Partial<StoredRun> = {}): StoredRun => ({
	...view,
	plan: {prompt: 'Review', target: {kind: 'log', extra: {}}, skills: []},
	transcript: [],
	...overrides,
});

test('the newest run stands first, its state in a sign, and in words where that does not say it', async () => {
	const port = createFakePort({
		runs: [
			run(1, {state: 'done', startedAt: testNow - 60_000, finishedAt: testNow - 19_000}),
			run(2, {state: 'dead'}),
			run(3, {state: 'running', startedAt: testNow - 5000, toolCalls: 3}),
		],
	});
	await using shown = await showShell(port, narrow, {pane: 'runs'});

	const rows = readTable(shown.screen.lines(), ['#', 'route', 'state', 'took']);
	expect(rows.map(({sign, cells}) => [sign, ...Object.values(cells)])).toEqual([
		['>', '3', 'gh-review', '◐', '5s'],
		['!', '2', 'gh-review', '✗ dead', '-'],
		['', '1', 'gh-review', '✓', '41.0s'],
	]);
});

test('a state with more to say takes the room in its own row: what the others are about is not cut for it', async () => {
	const subject = 'acme/api#7 opened · Retry it';
	const port = createFakePort({
		runs: [run(1, {subject, state: 'interrupted'}), run(2, {subject, state: 'silent'})],
	});
	await using shown = await showShell(port, {columns: 120, rows: 24}, {pane: 'runs'});
	expect(shown.screen.lines().slice(4, 6)).toEqual([
		expect.stringMatching(/api#7 opened · Retry it +✓ silent /),
		expect.stringMatching(/api#7 opened · .*… ! interrupted /),
	]);
});

test('under load what is at work stands on top, and stays there while others come', async () => {
	const waiting = (id: number) => run(id, {state: 'queued', subject: `acme/api#${id} opened`});
	const port = createFakePort({
		runs: [
			run(1, {state: 'running', startedAt: testNow - 5000}),
			run(2, {state: 'delivering', startedAt: testNow - 4000}),
			...Array.from({length: 60}, (_, index) => waiting(3 + index)),
		],
	});
	await using shown = await showShell(port, narrow, {pane: 'runs'});
	const rows = () => readTable(shown.screen.lines(), ['#', 'why', 'state']).map(({cells}) => cells);
	expect(rows().slice(0, 4)).toMatchObject([
		{'#': '2'},
		{'#': '1', why: 'pull_request', state: '◐'},
		{'#': '62', why: 'api#62 opened', state: '○'},
		{'#': '61', why: 'api#61 opened', state: '○'},
	]);
	await shown.screen.press('j');
	const delivery = makeDelivery({runId: 63, subject: 'acme/api#63 opened'});
	port.emit(received(delivery), runChanged(run(2, {state: 'done', startedAt: testNow - 4000})));
	await shown.pass(100);
	expect(shown.text()).toContain('paused · 1 newer');
	expect(rows().slice(0, 3)).toEqual([
		{'#': '1', why: 'pull_request', state: '◐'},
		{'#': '63', why: 'api#63 opened', state: '○'},
		{'#': '62', why: 'api#62 opened', state: '○'},
	]);
	await shown.screen.press('G');
	expect(rows().find(({'#': id}) => id === '2')).toMatchObject({state: '✓'});
});

test.for([
	['its time', testNow + 10_000, 'queued until 12:00:10'],
	['the time of another day', testNow + 86_400_000, 'queued until Nov 21 12:00'],
] as const)(
	'a run that waits for %s says until when, in the list shorter than in its detail',
	async ([, nextAttemptAt, text]) => {
		const waits = run(4, {nextAttemptAt});
		const port = createFakePort({runs: [waits]});
		await using shown = await showShell(port, narrow, {pane: 'runs'});
		expect(shown.screen.lines()[4]).toContain(` ○ ${text.replace('queued ', '')} `);
		await shown.screen.press('enter');

		expect(shown.screen.lines()[3]).toBe(`>#4  gh-review  pull_request  ○ ${text}`);
		expect(shown.text()).toContain('not started');
		expect(shown.text()).not.toContain('next try');
	},
);

test('a run that waits for a login says for how long, and in its detail what a person can do', async () => {
	const waits = run(4, {awaitsLogins: ['linear'], nextAttemptAt: testNow + 600_000});
	const port = createFakePort({runs: [waits]});
	await using shown = await showShell(port, narrow, {pane: 'runs'});
	expect(shown.screen.lines()[4]).toMatch(/^>! 4 .* ! waits login 10:00 /);
	await shown.screen.press('enter');

	expect(shown.screen.lines()[3]).toBe('>#4  gh-review  pull_request  ! waits login 10:00');
	const text = shown.text().replaceAll(/\s+/g, ' ');
	expect(text).toContain('! waits for a login to linear: svc mcp login linear · 10:00 left');
	expect(text).toContain('then it goes on without · t starts it now');
	expect(text).not.toContain('next try');
	await shown.screen.press('t');
	expect(shown.text()).toContain('It goes on without a login to linear, and without its tools.');
});

test('beside a detail there is room for the time alone', async () => {
	const port = createFakePort({runs: [run(4, {nextAttemptAt: testNow + 10_000})]});
	await using shown = await showShell(port, {columns: 100, rows: 24}, {pane: 'runs'});

	expect(shown.screen.lines()[4]).toContain(' ○ until 12:00:10 ');
});

test('a run whose time has come is queued, one that is tried again says when', async () => {
	const next = {nextAttemptAt: testNow + 10_000, attempt: 1};
	const port = createFakePort({
		runs: [
			run(4, {nextAttemptAt: testNow}),
			run(5, {...next, deliveryAttempt: 1, state: 'delivering'}),
			run(6, next),
		],
	});
	await using shown = await showShell(port, narrow, {pane: 'runs'});
	expect(shown.text()).not.toContain('until');
	expect(shown.screen.lines().find(row => row.includes(' 5 '))).toContain(' ◐ again 12:00:10 ');
	expect(shown.screen.lines().find(row => row.includes(' 6 '))).toContain(' ○ again 12:00:10 ');
	await shown.screen.press('enter');
	expect(shown.text()).toContain('next try 12:00:10 · t starts it now');
	await shown.pass(20_000);
	expect(shown.text()).toContain('next try due since 12:00:10: it waits for its turn');
});

test('uncertain says "verify before trying again"', async () => {
	const port = createFakePort({runs: [run(2, {state: 'uncertain'})]});
	await using shown = await showShell(port, wide, {pane: 'runs'});

	expect(shown.text().replaceAll(/[\s│]+/g, ' ')).toMatch(/Verify before trying again/i);
});

const call = (name: string, id: string, at = testNow): TranscriptEntry => ({
	at,
	kind: 'tool-call',
	text: '{"path":"/notes"}',
	data: {tool: `mcp__files__${name}`, server: 'files', call: id},
});

const result = (
	name: string,
	id: string,
	facts: TranscriptEntry['data'] = {},
): TranscriptEntry => ({
	at: testNow + 1000,
	kind: 'tool-result',
	text: 'first line\nsecond line',
	data: {
		tool: `mcp__files__${name}`,
		server: 'files',
		call: id,
		ok: true,
		durationMs: 212,
		...facts,
	},
});

test('a run under way shows what was heard, an ended one its journal', async () => {
	const active = run(5, {state: 'running', startedAt: testNow});
	const port = createFakePort({
		runs: [active],
		progress: {5: [call('read_file', 'a'), result('read_file', 'a'), call('list', 'b')]},
	});
	await using shown = await showShell(port, wide, {pane: 'runs'});
	await shown.pass(80);
	expect(shown.text()).toMatch(/12:00:00 ▸ tool {2}files\.read_file {2}212 ms ✓/);
	expect(shown.text()).toMatch(/12:00:00 ▸ tool {2}files\.list ◐/);
	expect(shown.text()).toContain('2 tool calls');

	const done = run(5, {state: 'done', startedAt: testNow, finishedAt: testNow, answer: 'Fine'});
	port.runs.set(
		5,
		stored(done, {
			transcript: [{at: testNow, kind: 'text', text: 'I looked at it'}],
			fullAnswer: '# Fine\n\nAnd **done**.',
		}),
	);
	port.change({runs: [done], progress: {}});
	await shown.pass(200);
	await shown.pass(400);
	expect(shown.text()).toContain('text  I looked at it');
	expect(shown.text()).toContain('And done.');
	expect(shown.text().indexOf('And done.')).toBeLessThan(shown.text().indexOf('I looked at it'));
});

/** A run that is done, its detail open, with a prompt, a call and an answer. */
async function showDone(
	size = wide,
	overrides: Partial<StoredRun> = {},
	changed: (done: Run) => Run = done => done,
) {
	const plain = run(5, {
		state: 'done',
		attempt: 1,
		startedAt: testNow,
		finishedAt: testNow + 2400,
		toolCalls: 1,
		model: 'gpt-test',
		usage: {inputTokens: 1204, outputTokens: 380, cost: {amount: 0.004, currency: 'USD'}},
	});
	const done = changed(plain);
	const port = createFakePort({runs: [done]});
	port.runs.set(
		5,
		stored(done, {
			transcript: [
				{at: testNow, kind: 'prompt', text: 'Review this\nand that'},
				call('read_file', 'a', testNow + 500),
				result('read_file', 'a', {approval: 'allowed by rule 2'}),
				{at: testNow + 2400, kind: 'text', text: 'All is **fine**'},
			],
			fullAnswer: 'All is **fine**',
			...overrides,
		}),
	);
	const shown = await showShell(port, size, {pane: 'runs'});
	await shown.screen.press('enter');
	await shown.pass(400);
	return shown;
}

test('the prompt of a job, which no sender wrote of, is not called untrusted', async () => {
	await using shown = await showDone(wide, {}, done => {
		const {delivery: of, ...rest} = done;
		expect(of).toBeDefined();
		return {...rest, job: {id: 'job_1', name: 'Digest'}};
	});
	expect(shown.text()).toContain('▸ prompt  20 B');
	expect(shown.text()).not.toContain('untrusted');
});

test('what a run took stands in one line, its answer first, its prompt folded', async () => {
	await using shown = await showDone();
	const text = shown.text();

	expect(text).toContain('try 1 · 1 tool call · tokens 1,204 in · 380 out · $0.004 · 2.4s');
	expect(text).toContain('▸ prompt  20 B, text of the event is untrusted');
	expect(text).not.toContain('and that');
	expect(text).toContain('All is fine');
	expect(text.indexOf('answer')).toBeLessThan(text.indexOf('▸ prompt'));
	expect(text).toMatch(/files\.read_file {2}allowed by rule 2 {2}212 ms ✓/);
});

test.for([wide, narrow])(
	'Enter and the arrows unfold and fold the block under the cursor at %j',
	async size => {
		await using shown = await showDone(size);
		await shown.screen.press('G', 'k', 'right');
		expect(shown.text()).toMatch(/> *12:00:00 ▾ tool/);
		expect(shown.text()).toContain('arguments');
		expect(shown.text()).toContain('"path": "/notes"');
		await shown.screen.press('j', 'j', 'left');
		expect(shown.text()).toMatch(/> *12:00:00 ▸ tool/);
		expect(shown.text()).not.toContain('arguments');
		await shown.screen.press('enter', 'enter');
		expect(shown.text()).not.toContain('arguments');
	},
);

test('a unfolds all, where the time went too, and folds all', async () => {
	await using shown = await showDone();
	await shown.screen.press('a');

	expect(shown.text()).toContain('and that');
	expect(shown.text()).toContain('second line');
	expect(shown.text()).toMatch(/model +█+ +500 ms/);
	expect(shown.text()).toMatch(/files\.read_file +·+█+/);
	await shown.screen.press('a');
	expect(shown.text()).not.toContain('and that');
});

test('e opens the step under the cursor, and from the list the whole transcript', async () => {
	await using shown = await showDone();
	await shown.screen.press('G', 'k', 'e');
	await shown.pass(0);
	expect(shown.desktop.paged).toEqual([
		'arguments\n{\n  "path": "/notes"\n}\n\nresult\nfirst line\nsecond line',
	]);
	await shown.screen.press('esc', 'e');
	await shown.pass(0);
	expect(shown.desktop.paged.at(-1)).toContain('Review this');
});

test('what a stranger says in a run is text, whatever is folded', async () => {
	const hostile = '\u001B[31mred \u001B]52;c;AAAA\u0007 \u202E <!-- hidden -->';
	const entries = (['prompt', 'text', 'error', 'note'] as const).map(kind => ({
		at: testNow,
		kind,
		text: `${kind} ${hostile}\nmore`,
	}));
	await using shown = await showDone(wide, {transcript: entries, fullAnswer: hostile});
	await shown.screen.press('a', 'a');

	expect(shown.screen.written()).not.toContain('\u001B]52;c;AAAA');
	expect(shown.text()).toContain('<!-- hidden -->');
});

test('t starts a run at once that waits for its next try', async () => {
	const waits = run(9, {state: 'delivering', attempt: 1, nextAttemptAt: testNow + 60_000});
	const port = createFakePort({runs: [waits]});
	await using shown = await showShell(port, wide, {pane: 'runs'});
	expect(shown.text()).toContain('next try 12:01:00 · t starts it now');
	await shown.screen.press('t', 'y');
	await shown.pass(0);

	expect(port.calls).toEqual([{name: 'retryRun', args: [9]}]);
});

test.for([
	['x', 'running', 'cancelRun'],
	['x', 'queued', 'cancelRun'],
	['x', 'delivering', 'cancelRun'],
	['t', 'failed', 'retryRun'],
	['t', 'cancelled', 'retryRun'],
	['t', 'dead', 'retryRun'],
	['t', 'interrupted', 'retryRun'],
	['t', 'uncertain', 'retryRun'],
] as const)('%s on a %s run asks, then calls %s', async ([key, state, name]) => {
	const port = createFakePort({runs: [run(9, {state})]});
	await using shown = await showShell(port, narrow, {pane: 'runs'});
	await shown.screen.press(key);
	expect(port.calls).toEqual([]);
	await shown.screen.press('esc');
	expect(port.calls).toEqual([]);

	await shown.screen.press(key, 'y');
	await shown.pass(0);
	expect(port.calls).toEqual([{name, args: [9]}]);
});

test.for([
	['x', 'queued', 'The agent does not start.'],
	['x', 'running', 'What its tools did already stays done.'],
	['x', 'delivering', 'an answer that is on its way may still arrive.'],
	['t', 'failed', 'The agent runs again, then its answer goes to log.'],
	['t', 'interrupted', 'The agent runs again, then its answer goes to log.'],
	['t', 'cancelled', 'The agent runs again, then its answer goes to log.'],
	['t', 'dead', 'The answer that is there goes to log.'],
	['t', 'uncertain', 'The answer that is there goes to log.'],
] as const)('%s on a %s run says "%s"', async ([key, state, effect]) => {
	const port = createFakePort({runs: [run(9, {state})]});
	await using shown = await showShell(port, narrow, {pane: 'runs'});
	await shown.screen.press(key);

	expect(dialogRows(shown.screen.lines()).join(' ').replaceAll(/\s+/g, ' ')).toContain(effect);
});

test.for([
	['x', 'done', 'The run has ended'],
	['t', 'done', 'A run that is under way, done or silent cannot be tried again'],
] as const)('%s on a %s run says why not', async ([key, state, reason]) => {
	const port = createFakePort({runs: [run(9, {state})]});
	await using shown = await showShell(port, narrow, {pane: 'runs'});
	await shown.screen.press(key);

	expect(shown.said()).toContain(reason);
	expect(shown.shell.view.get().overlay).toBeUndefined();
});

test('D puts a dead run away with a reason, x says so, and what has not ended is refused with what to do', async () => {
	const port = createFakePort({runs: [run(1, {state: 'running'}), run(2, {state: 'dead'})]});
	await using shown = await showShell(port, wide, {pane: 'runs'});
	await shown.screen.press('j', 'x');
	expect(shown.said()).toContain('The run has ended: D drops it');
	await shown.screen.press('D');
	expect(shown.text()).toContain('Drop run #2 of gh-review');
	expect(shown.text()).toContain('It waits for nobody any more, and stays');
	await shown.screen.press('a');
	await shown.pass(0);
	expect(port.calls).toEqual([{name: 'dropRun', args: [2, {}]}]);
	expect(shown.said()).toContain('Run #2 is dropped');

	await shown.screen.press('k', 'D');
	expect(shown.said()).toContain('The run has not ended: x cancels it');
	expect(port.calls).toHaveLength(1);
});

test('d hands the answer of a run to the target of its route, or another, and warns where it may arrive twice', async () => {
	const port = createFakePort({
		runs: [
			run(1, {state: 'failed'}),
			run(2, {state: 'done', answer: 'Fine'}),
			run(3, {state: 'dead', answer: 'Fine', deliveryAttempt: 3, error: 'gh is missing'}),
			run(4, {state: 'dead', answer: 'Fine', deliveryAttempt: 3, error: '502 (part 2 of 3)'}),
		],
	});
	await using shown = await showShell(port, wide, {pane: 'runs'});
	await shown.screen.press('d');
	expect(shown.text()).toContain('Parts of it have arrived: the same place gets only the others');
	await shown.screen.press('esc', 'j', 'd');
	expect(shown.text()).toContain('Deliver the answer of run #3 of gh-review');
	expect(shown.text()).not.toContain('arrive');
	await shown.screen.press('enter', 'l', 'o', 'g', 'enter', 'a');
	await shown.pass(0);
	expect(port.calls).toEqual([{name: 'deliverRun', args: [3, {to: 'log'}]}]);
	expect(shown.said()).toContain('The answer of run #3 goes to log');

	await shown.screen.press('j', 'd');
	expect(shown.text()).toContain('It has arrived: it arrives a second time.');
	await shown.screen.press('esc', 'j', 'd');
	expect(shown.said()).toContain('it has no answer, so its agent has to run again');
	await shown.screen.press('V', 'd');
	expect(shown.text()).toContain('Deliver 3 marked runs');
	expect(shown.text()).toContain('1 done: Its answer goes out once more, without the agent.');
	expect(shown.text()).toContain('1 of the marked cannot be queued for delivery');
});

test('a run that was dropped says what it was and why, and t tries again what it would have then', async () => {
	const dropped = {was: 'uncertain', at: testNow - 5000, reason: 'gh was missing'} as const;
	const port = createFakePort({runs: [run(1, {state: 'dropped', dropped, target: 'log'})]});
	await using shown = await showShell(port, wide, {pane: 'runs'});
	expect(shown.text()).toContain('- dropped');
	expect(shown.text()).toContain('was uncertain: gh was missing');
	expect(shown.text()).not.toContain('to decide');
	await shown.screen.press('t');
	expect(shown.text()).toContain('The answer may have arrived');
	expect(shown.text()).toContain('The answer that is there goes to log.');
});

test('o goes to the delivery of the run', async () => {
	const delivery = makeDelivery({receivedAt: testNow});
	const port = createFakePort({runs: [run(9, {delivery: delivery.id})]});
	port.emit(received(delivery), received(makeDelivery({receivedAt: testNow})));
	await using shown = await showShell(port, narrow, {pane: 'runs'});
	await shown.screen.press('o');

	expect(shown.shell.view.get().pane).toBe('traffic');
	expect(shown.shell.list(deliveryList).selected()?.delivery.id).toBe(delivery.id);
});

test.for([
	['a', 'the whole answer'],
	['i', '9'],
	['e', 'it broke'],
] as const)('y %s copies "%s"', async ([key, text]) => {
	const failed = run(9, {state: 'failed', error: 'it broke', answer: 'the whole'});
	const port = createFakePort({runs: [failed]});
	port.runs.set(9, stored(failed, {fullAnswer: 'the whole answer'}));
	await using shown = await showShell(port, narrow, {pane: 'runs'});
	await shown.screen.press('y', key);
	await shown.pass(0);

	expect(shown.desktop.copied).toEqual([text]);
});

test('a run says how many events it stands for, and whose job it is', async () => {
	const job = {id: 'job_morning0', name: 'morning'};
	const scheduled = makeRun({route: '-', event: 'schedule', createdAt: testNow, id: 1, job});
	const {delivery: _none, ...withoutDelivery} = scheduled;
	const port = createFakePort({
		runs: [
			withoutDelivery,
			run(2, {job}),
			run(3, {group: 4, superseded: 5, event: 'pull_request.synchronize'}),
		],
	});
	await using shown = await showShell(port, narrow, {pane: 'runs'});

	const rows = readTable(shown.screen.lines(), ['#', 'time', 'route', 'why', 'state']);
	expect(rows.map(({cells}) => Object.values(cells))).toEqual([
		['3', '11:59:00', 'gh-review', expect.stringMatching(/^pull_.* \+5 old$/), '○'],
		['2', '11:59:00', 'gh-review', expect.stringMatching(/^pull_.* job morning$/), '○'],
		['1', '12:00:00', 'job morning', 'schedule', '○'],
	]);
	await shown.screen.press('enter');
	expect(shown.text()).toContain('delivery abc123  group 4: 6 events  5 superseded');
	await shown.screen.press('esc', 'G', 'enter');
	expect(shown.text()).toContain('job morning (job_morning0)');
	await shown.screen.press('o');
	expect(shown.said()).toContain('A schedule or a person started it');
});

test('b goes back to the job of a run', async () => {
	const job = {id: 'job_morning0', name: 'morning'};
	const port = createFakePort({runs: [run(2, {job})], jobs: [makeJob()]});
	await using shown = await showShell(port, narrow, {pane: 'runs'});
	await shown.screen.press('b');

	expect(shown.text()).toMatch(/^> {2}morning/m);
});

test.for([
	['job:morning', ['2']],
	['job:job_m', ['2']],
	['group:4', ['3']],
	['group>0', ['3']],
	['-job:morning', ['3', '1']],
] as const)('the filter %s keeps the runs %j', async ([filter, ids]) => {
	const port = createFakePort({
		runs: [run(1), run(2, {job: {id: 'job_morning0', name: 'morning'}}), run(3, {group: 4})],
	});
	await using shown = await showShell(port, narrow, {pane: 'runs', filters: {runs: filter}});

	expect(
		shown.shell
			.list(runList)
			.shown()
			.map(({id}) => String(id)),
	).toEqual(ids);
});

test('beside its detail a run is told apart by what it is about; one without a subject by its route', async () => {
	const port = createFakePort({
		runs: [run(1, {}), run(2, {subject: 'acme/api#7 opened · Retry the upload'})],
	});
	await using shown = await showShell(port, {columns: 120, rows: 24}, {pane: 'runs'});

	const rows = readTable(shown.screen.lines(), ['#', 'why', 'state']);
	expect(rows.slice(0, 2).map(({cells}) => cells['why'])).toEqual([
		'api#7 opened · Retry the …',
		'gh-review pull_request',
	]);
});
