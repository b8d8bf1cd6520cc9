import {expect, test} from 'vitest';
import type {LogRecord} from '../../../../source/core/log.ts';
import {createFakePort} from '../../../helpers/fake-port.ts';
import {makeDelivery, makeRun, received} from '../../../helpers/make.ts';
import {showShell, testNow} from '../../../helpers/show-shell.tsx';

const narrow = {columns: 80, rows: 24};

const record = (message: string, overrides: Partial<LogRecord> = {}): LogRecord => ({
	at: testNow,
	level: 'note',
	source: 'webhook',
	message,
	fields: {},
	...overrides,
});

const logs = [
	record('listening', {level: 'note', fields: {port: 8644}}),
	record('job fires', {level: 'info', source: 'schedule'}),
	record('skew of 412 s', {level: 'warn', source: 'signature'}),
	record('cannot reach the model', {level: 'error', source: 'agent'}),
	record('lease taken', {level: 'debug', source: 'gateway'}),
];

test('one line per record: time, level, source, message and fields', async () => {
	await using shown = await showShell(createFakePort({logs}), narrow, {pane: 'logs'});

	expect(shown.screen.lines().slice(3, 6)).toEqual([
		'  12:00:00   webhook    listening port=8644',
		'  12:00:00 ! signature  skew of 412 s',
		'> 12:00:00 ✗ agent      cannot reach the model',
	]);
});

test('where there is room, the level is a word', async () => {
	await using shown = await showShell(
		createFakePort({logs}),
		{columns: 100, rows: 24},
		{pane: 'logs'},
	);
	await shown.screen.press('a');
	expect(shown.screen.lines().slice(3, 8)).toEqual([
		'  12:00:00   note  webhook    listening port=8644',
		'  12:00:00 · info  schedule   job fires',
		'  12:00:00 ! warn  signature  skew of 412 s',
		'  12:00:00 ✗ error agent      cannot reach the model',
		'> 12:00:00 - debug gateway    lease taken',
	]);
});

/** Records on the screen, by their level. */
const levelsOf = (text: string) => ({
	error: text.includes('cannot reach the model'),
	warn: text.includes('skew of 412 s'),
	note: text.includes('listening'),
	info: text.includes('job fires'),
	debug: text.includes('lease taken'),
});

const none = {error: false, warn: false, note: false, info: false, debug: false};
const usual = {error: true, warn: true, note: true, info: false, debug: false};
const all = {error: true, warn: true, note: true, info: true, debug: true};

test('the log begins with what matters, says how many records there are besides, and a shows all and goes back', async () => {
	await using shown = await showShell(createFakePort({logs}), narrow, {pane: 'logs'});
	expect(levelsOf(shown.text())).toEqual(usual);
	expect(shown.text()).toContain('── 3 ── 2 more, a: all ── following ──');
	await shown.screen.press('a');
	expect(levelsOf(shown.text())).toEqual(all);
	expect(shown.text()).toContain('── 5 ── a: what matters ── following ──');
	await shown.screen.press('a');
	expect(levelsOf(shown.text())).toEqual(usual);
	await shown.screen.press('e', 'a');
	expect(levelsOf(shown.text())).toEqual(all);
});

test('the selected record stays selected when the others come and go', async () => {
	await using shown = await showShell(createFakePort({logs}), narrow, {pane: 'logs'});
	const selected = () => shown.screen.lines().find(row => row.startsWith('> '));
	await shown.screen.press('k');
	expect(selected()).toContain('skew of 412 s');
	await shown.screen.press('a');
	expect(selected()).toContain('skew of 412 s');
	await shown.screen.press('k');
	expect(selected()).toContain('job fires');
	await shown.screen.press('a');
	expect(selected()).toMatch(/skew of 412 s|listening/);
});

test('a filter searches all records, and without it what matters is there again', async () => {
	await using shown = await showShell(createFakePort({logs}), narrow, {pane: 'logs'});
	await shown.screen.press('/');
	await shown.screen.type('lease');
	expect(levelsOf(shown.text())).toEqual({...none, debug: true});
	expect(shown.text()).toContain('── 1 of 5 ──');
	expect(shown.text()).not.toContain('a: all');
	await shown.screen.press('esc');
	expect(levelsOf(shown.text())).toEqual(usual);
});

test.for(['error', 'warn', 'info', 'debug'] as const)(
	'the key of the level %s shows it alone, and says so',
	async level => {
		await using shown = await showShell(createFakePort({logs}), narrow, {pane: 'logs'});
		expect(levelsOf(shown.text())).toEqual(usual);
		const key = level.slice(0, 1);
		await shown.screen.press(key);
		expect(levelsOf(shown.text())).toEqual({...none, [level]: true});
		expect(shown.text()).toContain(`── only ${level}, ${key}: back ──`);
		await shown.screen.press(key);

		expect(levelsOf(shown.text())).toEqual(usual);
	},
);

test('another level takes the place of the first', async () => {
	await using shown = await showShell(createFakePort({logs}), narrow, {pane: 'logs'});
	await shown.screen.press('e', 'w');
	expect(levelsOf(shown.text())).toEqual({...none, warn: true});
	await shown.screen.press('w');
	expect(levelsOf(shown.text())).toEqual(usual);
});

test.for([
	[{run: 7, delivery: 'd1'}, 'runs'],
	[{delivery: 'd1'}, 'traffic'],
	[{}, 'logs'],
] as const)('o on a record of %j goes to %s, and Esc comes back', async ([fields, pane]) => {
	const port = createFakePort({
		logs: [record('of it', {fields})],
		runs: [makeRun({id: 7})],
	});
	port.emit(received(makeDelivery({id: 'd1'})));
	await using shown = await showShell(port, narrow, {pane: 'logs'});
	await shown.screen.press('o');
	expect(shown.shell.pane().id).toBe(pane);
	await shown.screen.press('esc');
	expect(shown.shell.pane().id).toBe('logs');
});

test('the rows of answers begin with what their events are about; the record stays as it is', async () => {
	const answer = (run: number) =>
		record('Answer of route "gh-pr": **Summary.** All `tests` pass␊␊- one', {
			level: 'note',
			source: 'delivery',
			fields: {route: 'gh-pr', run},
		});
	const port = createFakePort({
		logs: [answer(4), answer(5), answer(6)],
		runs: [
			makeRun({id: 4, subject: 'acme/api#7 Fix the flaky test of the receiver'}),
			makeRun({id: 5, subject: 'acme/web#8'}),
		],
	});
	await using shown = await showShell(port, narrow, {pane: 'logs'});

	expect(shown.screen.lines().slice(3, 6)).toEqual([
		expect.stringMatching(/delivery +acme\/api#7 Fix the flaky te…: Summary\. All tests/),
		expect.stringMatching(/^ {24}acme\/web#8: Summary. All tests pass - one r/),
		expect.stringMatching(/delivery +Answer of route "gh-pr": Summary. All tests pass - one/),
	]);
	await shown.screen.press('g', 'y');
	await shown.pass(0);
	expect(shown.desktop.copied[0]).toContain('Answer of route "gh-pr": **Summary.** All `tests`');
	await shown.screen.press('W');
	expect(shown.text()).toContain('Answer of route "gh-pr": Summary.');
	await shown.screen.press('enter');
	expect(shown.screen.lines().map(row => row.trim())).toEqual(
		expect.arrayContaining(['Answer of route "gh-pr":', 'Summary. All tests pass', '- one']),
	);
});

test('t goes through the time formats', async () => {
	await using shown = await showShell(createFakePort({logs}), narrow, {pane: 'logs'});
	await shown.screen.press('t');
	expect(shown.screen.lines()[3]).toContain('2026-11-20 12:00:00.000   webhook');
	await shown.screen.press('t');
	expect(shown.screen.lines()[3]).toBe('    webhook    listening port=8644');
});

test('W wraps, and nothing of a record is lost', async () => {
	const words = Array.from({length: 40}, (_, index) => `word${index}`).join(' ');
	await using shown = await showShell(createFakePort({logs: [record(words)]}), narrow, {
		pane: 'logs',
	});
	expect(shown.text()).not.toContain('word39');
	await shown.screen.press('W');

	const text = shown.text();
	for (const word of words.split(' ')) {
		expect(text).toMatch(new RegExp(`${word}(?!\\d)`));
	}
});

test('/ filters by level, source and words', async () => {
	await using shown = await showShell(createFakePort({logs}), narrow, {pane: 'logs'});
	await shown.screen.press('/');
	await shown.screen.type('source:agent');

	expect(shown.text()).toContain('cannot reach');
	expect(shown.text()).not.toContain('listening');
});

test('y copies the line', async () => {
	await using shown = await showShell(createFakePort({logs}), narrow, {pane: 'logs'});
	await shown.screen.press('y');
	await shown.pass(0);

	expect(shown.desktop.copied).toEqual([
		'2026-11-20T12:00:00.000Z error agent    cannot reach the model',
	]);
});

test('what the row above has just said is not said again, but by the selected row', async () => {
	const same = [record('one'), record('two'), record('three', {source: 'agent'}), record('four')];
	await using shown = await showShell(createFakePort({logs: [...same, record('five')]}), narrow, {
		pane: 'logs',
	});

	expect(shown.screen.lines().slice(3, 8)).toEqual([
		'  12:00:00   webhook    one',
		'                        two',
		'  12:00:00   agent      three',
		'  12:00:00   webhook    four',
		'> 12:00:00   webhook    five',
	]);
});

test('s keeps the records of one room, m those of one run, and both let go again', async () => {
	const about = [
		record('of 7', {source: 'agent', fields: {run: 7}}),
		record('of 8', {source: 'agent', fields: {run: 8}}),
		record('of 7, too', {source: 'delivery', fields: {run: 7}}),
		record('of d1', {source: 'mcp', fields: {delivery: 'd1'}}),
		record('of nothing', {source: 'mcp'}),
	];
	await using shown = await showShell(createFakePort({logs: about}), narrow, {pane: 'logs'});
	await shown.screen.press('m');
	expect(shown.said()).toContain('names neither a run nor a delivery');
	await shown.screen.press('g', 'm');
	expect(shown.text()).toContain('of 7, too');
	expect(shown.text()).not.toContain('of 8');
	await shown.screen.press('s');
	expect(shown.text()).not.toContain('of 7, too');
	await shown.screen.press('m', 's', 'G', 'k', 'm');
	expect(shown.text()).toContain('── delivery:d1 ──');
	expect(shown.text()).not.toContain('of nothing');
});

test('E opens the file itself', async () => {
	await using shown = await showShell(createFakePort({logs}), narrow, {pane: 'logs'});
	await shown.screen.press('E');
	await shown.pass(0);

	expect(shown.desktop.paged).toEqual(['file /home/ann/.svc/logs/gateway.log']);
});

test('a record of a run or a delivery is followed by what its event is about, where there is room', async () => {
	const delivery = makeDelivery({subject: 'acme/api#7 opened · Retry'});
	const port = createFakePort({
		runs: [makeRun({id: 4, subject: 'acme/api#8 closed'})],
		logs: [
			record('replayed', {fields: {delivery: delivery.id}}),
			record('tried again', {fields: {run: 4}}),
			record('answered with much to say about it all', {fields: {run: 4}}),
			record('of another', {fields: {run: 5, delivery: 'none'}}),
		],
	});
	port.emit(received(delivery));
	await using shown = await showShell(port, narrow, {pane: 'logs'});

	expect(shown.screen.lines().slice(3, 7)).toEqual([
		expect.stringMatching(/ replayed delivery=\w+  acme\/api#7/),
		expect.stringMatching(/ tried again run=4  acme\/api#8 closed$/),
		expect.stringMatching(/ about it all run=4$/),
		expect.stringMatching(/ of another run=5 delivery=none$/),
	]);
});
