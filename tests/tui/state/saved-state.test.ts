import {expect, test} from 'vitest';
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

test('a pane that is gone opens the first one', async () => {
	await using shown = await showShell(createFakePort(), {columns: 80, rows: 24}, {pane: 'gone'});

	expect(shown.screen.lines()[1]).toContain('[1 Traf]');
});
