import type {Run} from '../../../core/run.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {literal} from '../../../terminal/text/safe.ts';
import {type PaneCommand, onKeys} from '../../acts/command.ts';
import {moveCursor} from '../../acts/navigate.ts';
import {runList} from '../../entries/lists.ts';
import {pathOf, cursorIn} from '../../lines/detail-cursor.ts';
import type {Shell} from '../../shell/shell.ts';
import type {LocalState} from '../../state/source.ts';
import {foldedMark, type Folds} from './block-rows.ts';

/** The folds of one run; another run begins with defaults. */
type RunFolds = {readonly run: number; readonly folds: Folds};

export const runFolds: LocalState<RunFolds> = {initial: {run: 0, folds: new Map()}};

const nothing: Folds = new Map();

/** The blocks of `run` that the person folded or unfolded. */
export const foldsOf = ({run: id, folds}: RunFolds, run: Run): Folds =>
	id === run.id ? folds : nothing;

const isInDetail = (shell: Shell): boolean => shell.view.get().region === 'detail';

/** The block of the selected row. */
export function chosenBlock(shell: Shell): string | undefined {
	const rows = shell.detail.lines();
	return pathOf(rows[cursorIn(rows, shell.view.get()).cursor])?.[0];
}

/** Whether the block's contents are shown. */
const isUnfolded = (shell: Shell, key: string): boolean =>
	shell.detail.lines().some(row => {
		const [block, ...rest] = pathOf(row) ?? [];
		return block === key && rest.length > 0;
	});

/** Folds or unfolds blocks of the selected run. The selected row stays, or if hidden, its block's head is selected. */
function fold(shell: Shell, changes: ReadonlyArray<readonly [string, boolean]>): void {
	const run = shell.list(runList).selected();
	if (run) {
		shell
			.local(runFolds)
			.set(state => ({run: run.id, folds: new Map([...foldsOf(state, run), ...changes])}));
		moveCursor(shell, cursorIn(shell.detail.lines(), shell.view.get()).cursor);
	}
}

type Folding = {readonly label: Safe; readonly isOpen: (shell: Shell, block: string) => boolean};

const folding = (id: string, key: string, {label, isOpen}: Folding): PaneCommand =>
	onKeys([`runs.${id}`, key], label, {
		quiet: id !== 'toggle',
		when: isInDetail,
		run(shell) {
			const block = chosenBlock(shell);
			if (block !== undefined) {
				fold(shell, [[block, isOpen(shell, block)]]);
			}
		},
	});

/** Commands that fold a run's detail. */
export const foldCommands: readonly PaneCommand[] = [
	folding('toggle', 'enter', {
		label: literal('unfold or fold'),
		isOpen: (shell, block) => !isUnfolded(shell, block),
	}),
	folding('unfold', 'right', {label: literal('unfold'), isOpen: () => true}),
	folding('fold', 'left', {label: literal('fold'), isOpen: () => false}),
	onKeys(['runs.fold-all', 'a'], literal('unfold or fold all'), {
		quiet: true,
		when: isInDetail,
		run(shell) {
			const rows = shell.detail.lines();
			const isOpen = rows.some(row => row.some(({text}) => text === foldedMark));
			const blocks = new Set(rows.flatMap(row => pathOf(row)?.[0] ?? []));
			fold(
				shell,
				[...blocks].map(block => [block, isOpen] as const),
			);
		},
	}),
];
