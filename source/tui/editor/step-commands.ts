import type {Safe} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import type {PaneCommand} from '../acts/command.ts';
import {copyText} from '../acts/copy.ts';
import {scrolling} from '../acts/dialog.ts';
import type {Shell} from '../shell/shell.ts';
import {act} from './act.ts';
import {changeEditor, editorNow} from './editor-state.ts';
import {backToForm, closeEditor, keepMine, openBoth, save, takeTheirs} from './save-draft.ts';
import {planLines} from './step-lines.ts';

function scrollDiff(shell: Shell, rows: number): void {
	const {columns} = shell.view.get().size;
	const {bodyHeight} = shell.layout();
	changeEditor(shell, state => {
		const {step} = state;
		if (step.kind !== 'diff') {
			return state;
		}

		const most = planLines(step.plan, columns).length - bodyHeight;
		return {...state, step: {...step, top: Math.max(0, Math.min(step.top + rows, most))}};
	});
}

/** Keys of the diff before saving. */
export const diffCommands: readonly PaneCommand[] = [
	act('-diff.save', ['w'], {changes: true, label: literal('save it'), run: save}),
	...scrolling('editor-diff', scrollDiff, {
		names: ['down', 'up'],
		more: name => ({quiet: name === 'up'}),
	}),
	act('-diff.back', ['esc'], {label: literal('back to the form'), run: backToForm}),
];

const hasTheirs = (shell: Shell): boolean => {
	const step = editorNow(shell)?.step;
	return step?.kind === 'conflict' && step.theirs !== undefined;
};

/** Keys of the choice after somebody else's change. */
export const conflictCommands: readonly PaneCommand[] = [
	act('-conflict.mine', ['m'], {
		label: literal('keep mine on top of theirs'),
		when: hasTheirs,
		run: keepMine,
	}),
	act('-conflict.theirs', ['t'], {label: literal('take theirs'), run: takeTheirs}),
	act('-conflict.both', ['b'], {
		label: literal('both in $EDITOR'),
		when: hasTheirs,
		run: openBoth,
	}),
	act('-conflict.back', ['esc'], {label: literal('back to the form'), run: backToForm}),
];

const copying = (of: 'secret' | 'url' | 'curl', key: string, label: Safe): PaneCommand => {
	const textOf = (shell: Shell) => {
		const step = editorNow(shell)?.step;
		return step?.kind === 'saved' ? step.saved[of] : undefined;
	};

	return act(`-saved.${of}`, [key], {
		label,
		when: shell => textOf(shell) !== undefined,
		run(shell) {
			shell.attempt(async () => copyText(shell, textOf(shell) ?? '', label));
		},
	});
};

/** Keys of what is told once. */
export const savedCommands: readonly PaneCommand[] = [
	copying('secret', 's', literal('copy the secret')),
	copying('url', 'y', literal('copy the URL')),
	copying('curl', 'c', literal('copy the curl line')),
	act('-saved.close', ['enter', 'esc'], {label: literal('done'), run: closeEditor}),
];
