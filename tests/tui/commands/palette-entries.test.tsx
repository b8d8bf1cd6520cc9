import {expect, test} from 'vitest';
import type {RouteView} from '../../../source/core/config-view.ts';
import {otherWords} from '../../../source/tui/commands/other-words.ts';
import {paletteEntries} from '../../../source/tui/commands/palette-entries.ts';
import {acts} from '../../../source/tui/commands/table.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {showShell} from '../../helpers/show-shell.tsx';

const route: RouteView = {
	name: 'hook',
	profile: 'default',
	source: 'dynamic',
	mode: 'agent',
	deliver: 'log',
	events: ['push'],
	description: '',
	insecure: false,
};

const firstOf = async (pane: string, query: string) => {
	await using shown = await showShell(
		createFakePort({routes: [route]}),
		{columns: 80, rows: 24},
		{pane},
	);
	const [first] = paletteEntries(shown.shell, acts, query);
	return first && `${first.place}: ${first.label}`;
};

test.for([
	['subs', 'rota', 'Subs: new secret'],
	['subs', 'rename', 'Subs: edit'],
	['subs', 'paus', 'Subs: pause or resume'],
	['traffic', 'paus', 'everywhere: pause or resume live updates'],
	['traffic', 'approv', 'everywhere: review approvals'],
	['subs', 'copy', 'Subs: copy'],
] as const)('in %s "%s" finds "%s" first', async ([pane, query, found]) => {
	expect(await firstOf(pane, query)).toBe(found);
});

test('every other word belongs to a command that there is', () => {
	const ids = new Set<string>(acts.map(({id}) => id));
	expect(Object.keys(otherWords).filter(id => !ids.has(id))).toEqual([]);
});
