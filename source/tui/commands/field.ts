import {literal} from '../../terminal/text/safe.ts';
import type {Command} from '../acts/command.ts';
import {change, move} from '../acts/navigate.ts';
import {review} from '../acts/settle.ts';
import {completeFilter} from '../filter/completing.ts';

/** Keys beside the text of a filter or a search. */
export const fieldCommands: readonly Command[] = [
	...(
		[
			['field.complete', 'tab', literal('complete, then the next proposal'), 1],
			['field.complete-back', 'shift+tab', literal('the proposal before'), -1],
		] as const
	).map(([id, key, label, step]): Command => ({
		id,
		scope: 'field',
		keys: [key],
		label,
		quiet: step === -1,
		when: ({view}) => view.get().field === 'filter',
		run(shell) {
			completeFilter(shell, step);
		},
	})),
	{
		id: 'field.accept',
		scope: 'field',
		keys: ['enter', 'tab'],
		label: literal('back to the list'),
		run(shell) {
			change(shell, {field: undefined});
		},
	},
	{
		id: 'field.clear',
		scope: 'field',
		keys: ['esc', 'ctrl+c'],
		label: literal('clear, then leave'),
		run(shell) {
			const {field, search} = shell.view.get();
			const list = shell.openList();
			const text = field === 'search' ? search : list?.get().filterText;
			if (field === 'search') {
				change(shell, {search: ''});
			} else {
				list?.setFilter('');
			}

			if (text === '' || text === undefined) {
				change(shell, {field: undefined});
			}
		},
	},
	{
		id: 'field.review',
		scope: 'field',
		keys: ['alt+a'],
		label: literal('review approvals'),
		quiet: true,
		run: review,
	},
	{
		id: 'field.down',
		scope: 'field',
		keys: ['down', 'ctrl+n'],
		label: literal('down'),
		quiet: true,
		run(shell) {
			move(shell, 'down');
		},
	},
	{
		id: 'field.up',
		scope: 'field',
		keys: ['up', 'ctrl+p'],
		label: literal('up'),
		quiet: true,
		run(shell) {
			move(shell, 'up');
		},
	},
];
