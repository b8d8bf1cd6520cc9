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

test('e w i d switch levels', async () => {
	await using shown = await showShell(createFakePort({logs}), narrow, {pane: 'logs'});
	await shown.screen.press('d', 'i');

	expect(shown.text()).toContain('lease taken');
	expect(shown.text()).not.toContain('listening');
	await shown.screen.press('e', 'w', 'd');
	expect(shown.text()).toContain('No records at these levels.');
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
		'2026-11-20 12:00:00.000 error agent cannot reach the model',
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
