import {expect, test} from 'vitest';
import {literal} from '../../../source/terminal/text/safe.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeDelivery, makeGroup, makeJob, received} from '../../helpers/make.ts';
import {showShell, testNow} from '../../helpers/show-shell.tsx';

const wide = {columns: 120, rows: 36};

const busyPort = () => {
	const port = createFakePort({groups: [makeGroup()], jobs: [makeJob()]});
	port.emit(received(makeDelivery({receivedAt: testNow})));
	return port;
};

/** Signs that say where keys go. */
const cursors = (lines: readonly string[]) =>
	lines.join('\n').match(/(?<=^|[│\s]{2}|│)>(?=\s)/gm) ?? [];

test.for(['dark', 'mono'] as const)(
	'in the theme %s one cursor and one solid rule say where keys go',
	async theme => {
		await using shown = await showShell(busyPort(), wide, {theme});
		const rule = () => shown.screen.lines()[2];
		expect(cursors(shown.screen.lines())).toHaveLength(1);
		expect(rule()).toMatch(/^── Traffic ── .*─ {3}·· Detail ·+$/);

		await shown.screen.press('enter');
		expect(rule()).toMatch(/^·· Traffic ·· .*· {3}── Detail ─+$/);
		expect(shown.screen.lines()[4]).toMatch(/^· /);

		await shown.screen.press('q');
		expect(rule()).toMatch(/^·· Traffic ·· .*· {3}·· Detail ·+$/);
		await shown.screen.press('esc', 'esc', ':');
		expect(shown.screen.lines()[4]).toMatch(/^· /);
	},
);

test('on a narrow screen the title says that the detail is shown', async () => {
	await using shown = await showShell(busyPort(), {columns: 80, rows: 24});
	await shown.screen.press('enter');

	expect(shown.screen.lines()[2]).toMatch(/^── Traffic ── Detail ── /);
});

test('of two lists in one pane the one with the keyboard has the solid rule', async () => {
	await using shown = await showShell(busyPort(), {columns: 80, rows: 24}, {pane: 'groups'});
	expect(shown.text()).toMatch(/^── Groups ──/m);
	expect(shown.text()).toMatch(/^·· Jobs ··/m);
	await shown.screen.press('tab');

	expect(shown.text()).toMatch(/^·· Groups ··/m);
	expect(shown.text()).toMatch(/^── Jobs ──/m);
});

test('what went wrong is said until a key is pressed, and for four seconds at least', async () => {
	await using shown = await showShell(busyPort(), wide);
	shown.shell.toast(literal('Cannot do it'), 'bad');
	await shown.pass(60_000);
	expect(shown.said()).toContain('Cannot do it');
	await shown.screen.press('j');
	expect(shown.text()).not.toContain('Cannot do it');

	shown.shell.toast(literal('Cannot do it'), 'bad');
	await shown.screen.press('j');
	expect(shown.said()).toContain('Cannot do it');
	await shown.pass(4000);
	expect(shown.text()).not.toContain('Cannot do it');
});

test('a toast never takes the row of the keys, not even that of a field', async () => {
	await using shown = await showShell(busyPort(), {columns: 60, rows: 16});
	const keys = shown.screen.lines().at(-1);
	shown.shell.toast(literal('Something was done that takes a good many words to say'), 'good');
	await shown.pass(0);
	expect(shown.screen.lines().at(-1)).toBe(keys);
	expect(shown.screen.lines().at(-2)).toMatch(/^── Something was done that/);
	await shown.screen.press('/');

	expect(shown.screen.lines().at(-1)).toMatch(/^\/ /);
	expect(shown.said()).toContain('takes a good many words to say');
});
