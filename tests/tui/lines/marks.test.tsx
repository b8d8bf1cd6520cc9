import {expect, test} from 'vitest';
import type {Run} from '../../../source/core/run.ts';
import {runMarks} from '../../../source/tui/panes/runs/runs.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeDelivery, makeRun, received} from '../../helpers/make.ts';
import {showShell, testNow} from '../../helpers/show-shell.tsx';

const size = {columns: 120, rows: 30};

const run = (id: number, overrides: Partial<Run> = {}): Run =>
	makeRun({id, createdAt: testNow - 60_000, ...overrides});

const mixed = [
	run(1, {state: 'failed'}),
	run(2, {state: 'dead'}),
	run(3, {state: 'done'}),
	run(4, {state: 'failed'}),
];

test('v marks a row and goes on, the title counts, Esc forgets', async () => {
	await using shown = await showShell(createFakePort({runs: mixed}), size, {pane: 'runs'});
	await shown.screen.press('v', 'v');

	expect(shown.text()).toContain('2 marked');
	expect(shown.screen.lines().filter(line => /^.{2}\*/.test(line))).toHaveLength(2);
	await shown.screen.press('G', 'v', 'v');
	expect(shown.text()).toContain('2 marked');
	await shown.screen.press('esc');
	expect(shown.text()).not.toContain('marked');
});

test('t asks once for all marked runs, with what it means to how many; one that fails stops no other', async () => {
	const port = createFakePort({runs: mixed});
	const {retryRun} = port;
	const refusing = {...port, retryRun: async (id: number) => (id === 2 ? false : retryRun(id))};
	await using shown = await showShell(refusing, size, {pane: 'runs'});
	await shown.screen.press('V', 't');
	const question = shown.text();
	expect(question).toContain('Retry 3 marked runs');
	expect(question).toContain('2 failed: The agent runs again');
	expect(question).toContain('1 dead: The answer that is there goes to log');
	expect(question).toContain('1 of the marked cannot be retried');
	expect(port.calls).toEqual([]);

	await shown.screen.press('y');
	await shown.pass(0);
	expect(port.calls).toEqual([
		{name: 'retryRun', args: [1]},
		{name: 'retryRun', args: [4]},
	]);
	expect(shown.said()).toContain('2 retried, 1 could not: run #2');
	expect(shown.text()).not.toContain('marked');
});

test('x cancels what is marked, also what the filter keeps out by now, and says what is gone', async () => {
	const port = createFakePort({
		runs: [run(1, {state: 'queued'}), run(2, {state: 'running'}), run(3, {state: 'queued'})],
	});
	await using shown = await showShell(port, size, {pane: 'runs'});
	await shown.screen.press('V');
	port.change({runs: port.getState().runs.filter(({id}) => id !== 3)});
	await shown.pass(300);
	shown.shell.openList()?.setFilter('state:running');
	await shown.screen.press('x');
	expect(shown.text()).toContain('Cancel 2 marked runs');
	expect(shown.text()).toContain('1 of the marked are no longer in the list');
	await shown.screen.press('y');
	await shown.pass(0);

	expect(port.calls.map(({args}) => args)).toEqual([[1], [2]]);
});

test('V marks all that pass the filter, and says how many', async () => {
	const runs = Array.from({length: 250}, (_, index) => run(index + 1, {state: 'failed'}));
	await using shown = await showShell(createFakePort({runs}), size, {pane: 'runs'});
	await shown.screen.press('V');

	expect(shown.shell.local(runMarks).get().size).toBe(250);
	expect(shown.said()).toContain('250 marked');
});

test('V marks what only the journal has, too, page by page, and D puts all of it away with one reason', async () => {
	const stored = Array.from({length: 450}, (_, index) => run(index + 1, {state: 'dead'}));
	const port = createFakePort({
		runs: stored.slice(-10),
		journal: {deliveries: 0, runs: 450, runsToDecide: 450},
	});
	const limits: number[] = [];
	const searching = {
		...port,
		async searchRuns({before = 451, limit}: {before?: number; limit: number}) {
			limits.push(limit);
			const items = stored
				.filter(({id}) => id < before)
				.slice(-limit)
				.toReversed();
			const last = items.at(-1)?.id ?? 0;
			return {items, scanned: limit, ...(last > 1 && {searchedTo: last})};
		},
	};
	await using shown = await showShell(searching, size, {pane: 'runs'});
	await shown.screen.press('V');
	await shown.pass(0);
	expect(shown.shell.local(runMarks).get().size).toBe(450);
	expect(shown.said()).toContain('450 marked');
	expect(Math.max(...limits)).toBe(200);

	await shown.screen.press('D');
	expect(shown.text()).toContain('Drop 450 marked runs');
	expect(shown.text()).toContain('450 dead: Its answer is kept and goes nowhere.');
	await shown.screen.press('enter', 'g', 'h', 'enter', 'a');
	await shown.pass(0);
	expect(port.calls).toHaveLength(450);
	expect(port.calls[0]).toEqual({name: 'dropRun', args: [1, {reason: 'gh'}]});
	expect(shown.said()).toContain('450 dropped');
});

test('a filter that is changed before all are found marks nothing', async () => {
	const found = Promise.withResolvers<{items: Run[]; scanned: number}>();
	const port = createFakePort({
		runs: [run(500)],
		journal: {deliveries: 0, runs: 450, runsToDecide: 450},
	});
	const searching = {...port, searchRuns: async () => found.promise};
	await using shown = await showShell(searching, size, {pane: 'runs'});
	await shown.screen.press('V');
	shown.shell.openList()?.setFilter('state:dead');
	found.resolve({items: [run(1), run(2)], scanned: 2});
	await shown.pass(0);
	expect(shown.shell.local(runMarks).get().size).toBe(0);
});

test('more than 5,000 are said to be more, and one more by hand is refused with words', async () => {
	const runs = Array.from({length: 5001}, (_, index) => run(index + 1, {state: 'failed'}));
	await using shown = await showShell(createFakePort({runs}), size, {pane: 'runs'});
	await shown.screen.press('V');
	const marks = shown.shell.local(runMarks);
	const before = marks.get();
	expect(before.size).toBe(5000);
	expect(shown.said()).toContain('The newest 5,000 that pass are marked, there are more');
	shown.shell.openList()?.select('1');
	await shown.screen.press('v');
	expect(shown.said()).toContain('At most 5,000 rows can be marked');
	expect(marks.get()).toEqual(before);
});

test('r replays what is marked, after one question that names what is started where', async () => {
	const port = createFakePort();
	const deliveries = [1, 2, 3].map(second =>
		makeDelivery({receivedAt: testNow + second * 1000, outcome: 'accepted'}),
	);
	port.emit(...deliveries.map(delivery => received(delivery)));
	const [first] = deliveries;
	const {planReplay} = port;
	const partly = {
		...port,
		async planReplay(...args: Parameters<typeof planReplay>) {
			if (args[0] === first?.id) {
				throw new Error('its body is gone');
			}

			return planReplay(...args);
		},
	};
	await using shown = await showShell(partly, size, {pane: 'traffic'});
	await shown.screen.press('V', 'r');
	await shown.pass(0);
	expect(shown.text()).toContain('Replay 2 marked deliveries');
	expect(shown.text()).toContain('2× gh-review: starts an agent run');
	expect(shown.text()).toContain('1 of the marked cannot be replayed: its body is gone');
	await shown.screen.press('y');
	await shown.pass(0);

	expect(port.calls.map(({name, args}) => [name, args[0]])).toEqual(
		deliveries.slice(1).map(({id}) => ['replay', id]),
	);
	expect(shown.said()).toContain('2 replayed');
});
