import {expect, test} from 'vitest';
import {shellOptions, stateOf, type TuiWorld} from '../../../source/tui/shell/tui-world.ts';
import {readSavedState} from '../../../source/tui/state/saved-state.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {showShell} from '../../helpers/show-shell.tsx';

const known = {panes: ['traffic', 'runs'], lists: ['traffic', 'runs', 'jobs']};

test.for([
	['nothing', undefined, {}],
	['no object', ['traffic'], {}],
	['an empty object', {}, {filters: {}}],
	[
		'what was kept',
		{pane: 'runs', theme: 'light', filters: {traffic: 'route:a', jobs: ''}},
		{pane: 'runs', theme: 'light', filters: {traffic: 'route:a', jobs: ''}},
	],
	['a pane that is gone', {pane: 'chat'}, {filters: {}}],
	['a pane of another type', {pane: {id: 'runs'}}, {filters: {}}],
	['a theme that is gone', {theme: 'puce'}, {filters: {}}],
	['filters of another type', {filters: 'route:a'}, {filters: {}}],
	[
		'a filter of another type, and a list that is gone',
		{filters: {traffic: 7, chat: 'x', runs: 'state:done'}},
		{filters: {runs: 'state:done'}},
	],
	['a filter that nobody typed', {filters: {runs: 'x'.repeat(1001)}}, {filters: {}}],
	['what every object has', {pane: 'toString', theme: 'constructor'}, {filters: {}}],
] as const)('of a file with %s is taken what is right', ([, value, expected]) => {
	expect(readSavedState(value, known)).toEqual(expected);
});

/** The interface of a terminal with these settings. */
const begin = async (environment: Readonly<Record<string, string>>, state?: unknown) => {
	const world = {
		stdout: {columns: 80, rows: 24},
		options: {environment, state, noColor: 'NO_COLOR' in environment, ssh: false, version: '1.0'},
	} as unknown as TuiWorld;
	return showShell(createFakePort(), {columns: 80, rows: 24}, shellOptions(world));
};

test('what the terminal decides about the theme is not kept, what a person chose is', async () => {
	await using light = await begin({COLORFGBG: '0;15'});
	expect(light.shell.view.get().theme).toBe('light');
	expect(stateOf(light.shell)).not.toHaveProperty('theme');

	await light.screen.press(':');
	await light.screen.type('/theme');
	await light.screen.press('enter');
	expect(light.shell.view.get().theme).toBe('ansi16');
	expect(stateOf(light.shell)).toHaveProperty('theme', 'ansi16');
});

test('a start without colours keeps the theme that was chosen before', async () => {
	await using plain = await begin({NO_COLOR: '1'}, {theme: 'light'});

	expect(plain.shell.view.get().theme).toBe('mono');
	expect(stateOf(plain.shell)).toHaveProperty('theme', 'light');
});

test('a pane that is gone opens the first one', async () => {
	await using shown = await showShell(createFakePort(), {columns: 80, rows: 24}, {pane: 'gone'});

	expect(shown.screen.lines()[1]).toContain('[1Traf]');
});
