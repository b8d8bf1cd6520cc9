import type {Safe} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import {inScope, onKeys, type Command, type IdAndKeys, type PaneCommand} from '../acts/command.ts';
import {change, move} from '../acts/navigate.ts';
import {review} from '../acts/settle.ts';
import {completeFilter} from '../filter/completing.ts';

const completing = (keys: IdAndKeys, label: Safe, step: 1 | -1): PaneCommand =>
	onKeys(keys, label, {
		quiet: step === -1,
		when: ({view}) => view.get().field === 'filter',
		run: shell => completeFilter(shell, step),
	});

/** Keys that hold while a filter or a search is typed. */
export const fieldCommands: readonly Command[] = inScope('field', [
	completing(['field.complete', 'tab'], literal('complete, then the next proposal'), 1),
	completing(['field.complete-back', 'shift+tab'], literal('the proposal before'), -1),
	onKeys(['field.accept', 'enter', 'tab'], literal('back to the list'), {
		run: shell => change(shell, {field: undefined}),
	}),
	onKeys(['field.clear', 'esc', 'ctrl+c'], literal('clear, then leave'), {
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
	}),
	onKeys(['field.review', 'alt+a'], literal('review approvals'), {quiet: true, run: review}),
	onKeys(['field.down', 'down', 'ctrl+n'], literal('down'), {
		quiet: true,
		run: shell => move(shell, 'down'),
	}),
	onKeys(['field.up', 'up', 'ctrl+p'], literal('up'), {
		quiet: true,
		run: shell => move(shell, 'up'),
	}),
]);
