import type {Safe} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import type {PaneCommand} from '../acts/command.ts';
import {copyText} from '../acts/copy.ts';
import type {Shell} from '../shell/shell.ts';
import {act} from './act.ts';
import {changeEditor, editorNow} from './editor-state.ts';
import {backToForm, closeEditor, keepMine, openBoth, save, takeTheirs} from './save-draft.ts';
import {planLines} from './step-lines.ts';

const inStep =
	(kind: string) =>
	(shell: Shell): boolean =>
		editorNow(shell)?.step.kind === kind;

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
	act('-diff.save', ['w'], {
		changes: true,
		label: literal('save it'),
		when: inStep('diff'),
		run: save,
	}),
	act('-diff.down', ['j', 'down'], {
		label: literal('down'),
		when: inStep('diff'),
		run(shell) {
			scrollDiff(shell, 1);
		},
	}),
	act('-diff.up', ['k', 'up'], {
		label: literal('up'),
		quiet: true,
		when: inStep('diff'),
		run(shell) {
			scrollDiff(shell, -1);
		},
	}),
	act('-diff.back', ['esc'], {
		label: literal('back to the form'),
		when: inStep('diff'),
		run: backToForm,
	}),
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
	act('-conflict.theirs', ['t'], {
		label: literal('take theirs'),
		when: inStep('conflict'),
		run: takeTheirs,
	}),
	act('-conflict.both', ['b'], {
		label: literal('both in $EDITOR'),
		when: hasTheirs,
		run: openBoth,
	}),
	act('-conflict.back', ['esc'], {
		label: literal('back to the form'),
		when: inStep('conflict'),
		run: backToForm,
	}),
];

const copying = (
	id: string,
	key: string,
	{label, of}: {readonly label: Safe; readonly of: 'secret' | 'url' | 'curl'},
): PaneCommand =>
	act(`-saved.${id}`, [key], {
		label,
		when(shell) {
			const step = editorNow(shell)?.step;
			return step?.kind === 'saved' && step.saved[of] !== undefined;
		},
		run(shell) {
			const step = editorNow(shell)?.step;
			const text = step?.kind === 'saved' ? step.saved[of] : undefined;
			if (text !== undefined) {
				shell.attempt(async () => copyText(shell, text, label));
			}
		},
	});

/** Keys of what is told once. */
export const savedCommands: readonly PaneCommand[] = [
	copying('secret', 's', {label: literal('copy the secret'), of: 'secret'}),
	copying('url', 'y', {label: literal('copy the URL'), of: 'url'}),
	copying('curl', 'c', {label: literal('copy the curl line'), of: 'curl'}),
	act('-saved.close', ['enter', 'esc'], {
		label: literal('done'),
		when: inStep('saved'),
		run: closeEditor,
	}),
];
