import {hasEnded, type Run, type RunState, type StoredRun} from '../../../core/run.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {change} from '../../acts/navigate.ts';
import {openMenu} from '../../acts/overlay-state.ts';
import {placeNow} from '../../acts/place.ts';
import {runList} from '../../entries/run-list.ts';
import {canRetry, retryFrom, runAdvice} from '../../entries/run-word.ts';
import {clean} from '../../lines/line.ts';
import type {Shell} from '../../shell/shell.ts';
import {blockText} from './block-rows.ts';
import {askForMarked, hasMarkedRuns, runMarkCommands} from './bulk.ts';
import {chosenBlock, foldCommands} from './folds.ts';
import {originCommands} from './origin-commands.ts';
import {runBlocks} from './run-blocks.ts';
import {runText} from './run-detail.ts';

const selected = (shell: Shell): Run | undefined => shell.list(runList).selected();

const why =
	(isPossible: (run: Run) => boolean, reason: Safe) =>
	(shell: Shell): Safe | undefined => {
		const run = selected(shell);
		if (!run) {
			return literal('No run is selected');
		}

		return isPossible(run) ? undefined : reason;
	};

/** What cancelling means; what is under way may go on while the dialog is open. */
const cancelEffects: Readonly<Partial<Record<RunState, Safe>>> = {
	queued: literal('The agent does not start.'),
	running: literal(
		'The agent stops, and no answer is delivered unless one is on its way by then. What its tools did already stays done.',
	),
	interrupted: literal('It waits for a person: this drops it, and its event.'),
	delivering: literal(
		'The agent has answered. No further try is made, but an answer that is on its way may still arrive.',
	),
};

function askToCancel(shell: Shell): void {
	const run = selected(shell);
	if (!run) {
		return;
	}

	change(shell, {
		overlay: {
			kind: 'confirm',
			title: safe`Cancel run #${run.id} of ${clean(run.route)}`,
			lines: [cancelEffects[run.state] ?? literal('The run has ended.')],
			act: literal('cancel the run'),
			run() {
				shell.attempt(async () => {
					const done = await shell.port.cancelRun(run.id);
					shell.toast(
						done ? safe`Run #${run.id} is cancelled` : safe`Run #${run.id} had ended already`,
						done ? 'good' : 'warn',
					);
				});
			},
		},
	});
}

/** Marked runs are acted on, whichever is selected. */
const unlessMarked =
	(reason: (shell: Shell) => Safe | undefined) =>
	(shell: Shell): Safe | undefined =>
		hasMarkedRuns(shell) ? undefined : reason(shell);

/** What another try does. */
const retryEffect = (run: Run): Safe =>
	(retryFrom[run.state] ?? (run.state === 'queued' ? 'agent' : 'delivery')) === 'agent'
		? safe`The agent runs again, then its answer goes to ${clean(run.target)}.`
		: safe`The answer that is there goes to ${clean(run.target)}.`;

function askToRetry(shell: Shell): void {
	const run = selected(shell);
	if (!run) {
		return;
	}

	const advice = runAdvice[run.state];
	change(shell, {
		overlay: {
			kind: 'confirm',
			title: hasEnded(run.state)
				? safe`Try run #${run.id} of ${clean(run.route)} again`
				: safe`Let run #${run.id} of ${clean(run.route)} start now`,
			lines: [
				...(advice === undefined ? [] : [advice]),
				...(run.awaitsLogins ?? []).map(
					name => safe`It goes on without a login to ${clean(name)}, and without its tools.`,
				),
				retryEffect(run),
			],
			act: hasEnded(run.state) ? literal('try again') : literal('start now'),
			run() {
				shell.attempt(async () => {
					const done = await shell.port.retryRun(run.id);
					shell.toast(
						done ? safe`Run #${run.id} is queued` : safe`Run #${run.id} cannot be tried again now`,
						done ? 'good' : 'warn',
					);
				});
			},
		},
	});
}

/** The whole answer, which the list holds only the beginning of. */
async function answerOf(shell: Shell, run: Run): Promise<string> {
	const stored = await shell.port.getRun(run.id);
	return stored?.fullAnswer ?? run.answer ?? '';
}

function copyMenu(shell: Shell): void {
	const run = selected(shell);
	if (!run) {
		return;
	}

	const copy = (text: () => Promise<string> | string, what: Safe) => () => {
		shell.attempt(async () => copyText(shell, await text(), what));
	};

	const items = [
		{
			key: 'a',
			label: literal('answer'),
			run: copy(async () => answerOf(shell, run), literal('answer')),
		},
		{key: 'i', label: literal('run id'), run: copy(() => String(run.id), literal('run id'))},
		...(run.error === undefined
			? []
			: [{key: 'e', label: literal('error'), run: copy(() => run.error ?? '', literal('error'))}]),
	];
	openMenu(shell, {title: literal('Copy'), items});
}

/** Commands of pane 7. */
export const runCommands: readonly PaneCommand[] = [
	{
		id: 'runs.cancel',
		changes: true,
		keys: ['x'],
		label: literal('cancel (asks)'),
		why: unlessMarked(
			why(run => cancelEffects[run.state] !== undefined, literal('The run has ended')),
		),
		run(shell) {
			if (hasMarkedRuns(shell)) {
				askForMarked(shell, {
					verb: literal('Cancel'),
					done: literal('cancelled'),
					effectOf: run => cancelEffects[run.state],
					act: async run => shell.port.cancelRun(run.id),
				});
			} else {
				askToCancel(shell);
			}
		},
	},
	{
		id: 'runs.retry',
		changes: true,
		keys: ['t'],
		label: literal('try again, or now (asks)'),
		why: unlessMarked(
			why(canRetry, literal('A run that is under way, done or silent cannot be tried again')),
		),
		run(shell) {
			if (hasMarkedRuns(shell)) {
				askForMarked(shell, {
					verb: literal('Retry'),
					done: literal('retried'),
					effectOf: run => (canRetry(run) ? retryEffect(run) : undefined),
					act: async run => shell.port.retryRun(run.id),
				});
			} else {
				askToRetry(shell);
			}
		},
	},
	...originCommands(selected),
	{
		id: 'runs.copy',
		keys: ['y'],
		label: literal('copy'),
		why: why(() => true, literal('')),
		run: copyMenu,
	},
	...runMarkCommands,
	...foldCommands(selected),
	{
		id: 'runs.pager',
		keys: ['e'],
		label: literal('step or transcript in $PAGER'),
		quiet: true,
		why: why(() => true, literal('')),
		run(shell) {
			const run = selected(shell);
			const block = shell.view.get().region === 'detail' ? chosenBlock(shell) : undefined;
			const isStillHere = placeNow(shell, literal('e'));
			shell.attempt(async () => {
				const stored = run && (await shell.port.getRun(run.id));
				if (!stored) {
					throw new Error('That run is no longer stored');
				}

				if (isStillHere(literal('The pager was not opened'))) {
					await shell.desktop.page(stepText(stored, block) ?? runText(stored));
				}
			});
		},
	},
];

/** All of the block with this key. */
function stepText(stored: StoredRun, key: string | undefined): string | undefined {
	const {answer, steps} = runBlocks(stored, {
		stored,
		transcript: stored.transcript,
		now: stored.createdAt,
	});
	const block = [...(answer ? [answer] : []), ...steps].find(one => one.key === key);
	return block && blockText(block);
}
