import type {Run} from '../../../core/run.ts';
import {literal} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {moveCursor} from '../../acts/navigate.ts';
import {pathOf, placeIn} from '../../lines/detail-cursor.ts';
import type {Shell} from '../../shell/shell.ts';
import type {LocalState} from '../../state/source.ts';
import {foldedMark, type Folds} from './block-rows.ts';

/** What is folded of one run; another run begins as it comes. */
export type RunFolds = {readonly run: number; readonly folds: Folds};

export const runFolds: LocalState<RunFolds> = {initial: {run: 0, folds: new Map()}};

const nothing: Folds = new Map();

/** What a person has folded of `run`. */
export const foldsOf = ({run: id, folds}: RunFolds, run: Run): Folds =>
	id === run.id ? folds : nothing;

const isInDetail = (shell: Shell): boolean => shell.view.get().region === 'detail';

/** The block that the chosen row belongs to. */
export function chosenBlock(shell: Shell): string | undefined {
	const rows = shell.detail.lines();
	return pathOf(rows[placeIn(rows, shell.view.get()).cursor])?.[0];
}

/** Whether rows of the block are shown under its head. */
const isUnfolded = (shell: Shell, key: string): boolean =>
	shell.detail.lines().some(row => {
		const [block, ...rest] = pathOf(row) ?? [];
		return block === key && rest.length > 0;
	});

/** Folds or unfolds blocks of the selected run; the chosen row stays where it is, or gives way to the head of its block. */
function fold(
	shell: Shell,
	run: Run | undefined,
	changes: ReadonlyArray<readonly [string, boolean]>,
) {
	if (!run) {
		return;
	}

	shell.local(runFolds).set(state => ({
		run: run.id,
		folds: new Map([...foldsOf(state, run), ...changes]),
	}));
	moveCursor(shell, placeIn(shell.detail.lines(), shell.view.get()).cursor);
}

const keysOf = (shell: Shell): readonly string[] => [
	...new Set(shell.detail.lines().flatMap(row => pathOf(row)?.[0] ?? [])),
];

/** Commands that fold the detail of a run. */
export const foldCommands = (
	selected: (shell: Shell) => Run | undefined,
): readonly PaneCommand[] => {
	const set = (shell: Shell, isOpen: (key: string) => boolean) => {
		const key = chosenBlock(shell);
		if (key !== undefined) {
			fold(shell, selected(shell), [[key, isOpen(key)]]);
		}
	};

	return [
		{
			id: 'runs.toggle',
			keys: ['enter'],
			label: literal('unfold or fold'),
			when: isInDetail,
			run(shell) {
				set(shell, key => !isUnfolded(shell, key));
			},
		},
		{
			id: 'runs.unfold',
			keys: ['right'],
			label: literal('unfold'),
			quiet: true,
			when: isInDetail,
			run(shell) {
				set(shell, () => true);
			},
		},
		{
			id: 'runs.fold',
			keys: ['left'],
			label: literal('fold'),
			quiet: true,
			when: isInDetail,
			run(shell) {
				set(shell, () => false);
			},
		},
		{
			id: 'runs.fold-all',
			keys: ['a'],
			label: literal('unfold or fold all'),
			quiet: true,
			when: isInDetail,
			run(shell) {
				const keys = keysOf(shell);
				const isOpen = shell.detail.lines().some(row => row.some(({text}) => text === foldedMark));
				fold(
					shell,
					selected(shell),
					keys.map(key => [key, isOpen] as const),
				);
			},
		},
	];
};
