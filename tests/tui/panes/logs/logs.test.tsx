import {expect, test} from 'vitest';
import type {LogRecord} from '../../../../source/core/log.ts';
import {createFakePort} from '../../../helpers/fake-port.ts';
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
