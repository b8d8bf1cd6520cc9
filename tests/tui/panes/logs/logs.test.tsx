import {expect, test} from 'vitest';
import type {LogRecord} from '../../../../source/core/log.ts';
import {createFakePort} from '../../../helpers/fake-port.ts';
import {makeDelivery, makeRun, received} from '../../../helpers/make.ts';
import {showShell, testNow} from '../../../helpers/show-shell.tsx';

const narrow = {columns: 80, rows: 24};

const record = (message: string, overrides: Partial<LogRecord> = {}): LogRecord => ({
	at: testNow,
	level: 'info',
	source: 'webhook',
	message,
	fields: {},
	...overrides,
});

const logs = [
	record('listening', {fields: {port: 8644}}),
	record('skew of 412 s', {level: 'warn', source: 'signature'}),
	record('cannot reach the model', {level: 'error', source: 'agent'}),
	record('lease taken', {level: 'debug', source: 'gateway'}),
];

test('one line per record: time, level, source, message and fields', async () => {
	await using shown = await showShell(createFakePort({logs}), narrow, {pane: 'logs'});

	expect(shown.screen.lines().slice(3, 6)).toEqual([
		expect.stringMatching(/^ {2}12:00:00 +info +webhook +listening port=8644$/),
		expect.stringMatching(/^ {2}12:00:00 ! warn +signature +skew of 412 s$/),
		expect.stringMatching(/^> 12:00:00 ✗ error +agent +cannot reach the model$/),
	]);
});

/** Records on the screen, by their level. */
const levelsOf = (text: string) => ({
	error: text.includes('cannot reach the model'),
	warn: text.includes('skew of 412 s'),
	info: text.includes('listening'),
	debug: text.includes('lease taken'),
});

const none = {error: false, warn: false, info: false, debug: false};
const usual = {error: true, warn: true, info: true, debug: false};

test.for(['error', 'warn', 'info', 'debug'] as const)(
	'the key of the level %s shows it alone, and says so',
	async level => {
		await using shown = await showShell(createFakePort({logs}), narrow, {pane: 'logs'});
		expect(levelsOf(shown.text())).toEqual(usual);
		const key = level.slice(0, 1);
		await shown.screen.press(key);
		expect(levelsOf(shown.text())).toEqual({...none, [level]: true});
		expect(shown.text()).toContain(`── only ${level}, ${key}: all ──`);
		await shown.screen.press(key);

		expect(levelsOf(shown.text())).toEqual({...usual, debug: level === 'debug'});
	},
);

test('another level takes the place of the first, and d d d d is where it began', async () => {
	await using shown = await showShell(createFakePort({logs}), narrow, {pane: 'logs'});
	await shown.screen.press('e', 'w');
	expect(levelsOf(shown.text())).toEqual({...none, warn: true});
	await shown.screen.press('w', 'd', 'd', 'd', 'd');
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
		record('Answer of route "gh-pr": [svc-offline: no language model]', {
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
		expect.stringMatching(/delivery +acme\/api#7 Fix the flaky…: \[svc-offline: no l/),
		expect.stringMatching(/^ {30}acme\/web#8: \[svc-offline: no language model\] r/),
		expect.stringMatching(/delivery +Answer of route "gh-pr": \[svc-offline/),
	]);
	await shown.screen.press('g', 'y');
	await shown.pass(0);
	expect(shown.desktop.copied[0]).toContain('Answer of route "gh-pr": [svc-offline');
	await shown.screen.press('W');
	expect(shown.text()).toContain('Answer of route "gh-pr"');
});

test('t goes through the time formats', async () => {
	await using shown = await showShell(createFakePort({logs}), narrow, {pane: 'logs'});
	await shown.screen.press('t');
	expect(shown.screen.lines()[3]).toContain('2026-11-20 12:00:00.000   info');
	await shown.screen.press('t');
	expect(shown.screen.lines()[3]).toBe('    info  webhook    listening port=8644');
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
		'  12:00:00   info  webhook    one',
		'                              two',
		'  12:00:00   info  agent      three',
		'  12:00:00   info  webhook    four',
		'> 12:00:00   info  webhook    five',
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
