import {hasEnded, type Run, type RunState} from '../../../core/run.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {own, ui} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../commands/command.ts';
import {copyText} from '../../commands/copy.ts';
import {goToDelivery, goToGroup, goToJob} from '../../commands/go-to.ts';
import {change} from '../../commands/navigate.ts';
import {openMenu} from '../../commands/overlay-state.ts';
import {placeNow} from '../../commands/place.ts';
import type {Shell} from '../../shell/shell.ts';
import {jobKey} from '../groups/job-key.ts';
import {clean} from '../line.ts';
import {runText} from './run-detail.ts';
import {runList} from './run-list.ts';
import {canRetry, retryFrom, runAdvice} from './run-word.ts';

const selected = (shell: Shell): Run | undefined => shell.list(runList).selected();

const why =
	(isPossible: (run: Run) => boolean, reason: Safe) =>
	(shell: Shell): Safe | undefined => {
		const run = selected(shell);
		if (!run) {
			return own('No run is selected');
		}

		return isPossible(run) ? undefined : reason;
	};

/** What cancelling means; what is under way may go on while the dialog is open. */
const cancelEffects: Readonly<Partial<Record<RunState, Safe>>> = {
	queued: own('The agent does not start.'),
	running: own(
		'The agent stops, and no answer is delivered unless one is on its way by then. What its tools did already stays done.',
	),
	delivering: own(
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
			title: ui`Cancel run #${run.id} of ${clean(run.route)}`,
			lines: [cancelEffects[run.state] ?? own('The run has ended.')],
			act: own('cancel the run'),
			run() {
				shell.attempt(async () => {
					const done = await shell.port.cancelRun(run.id);
					shell.toast(
						done ? ui`Run #${run.id} is cancelled` : ui`Run #${run.id} had ended already`,
						done ? 'good' : 'warn',
					);
				});
			},
		},
	});
}

function askToRetry(shell: Shell): void {
	const run = selected(shell);
	if (!run) {
		return;
	}

	const advice = runAdvice[run.state];
	change(shell, {
		overlay: {
			kind: 'confirm',
			title: ui`Try run #${run.id} of ${clean(run.route)} again`,
			lines: [
				...(advice === undefined ? [] : [advice]),
				retryFrom[run.state] === 'agent'
					? ui`The agent runs again, then its answer goes to ${clean(run.target)}.`
					: ui`The answer that is there goes to ${clean(run.target)}.`,
			],
			act: own('try again'),
			run() {
				shell.attempt(async () => {
					const done = await shell.port.retryRun(run.id);
					shell.toast(
						done ? ui`Run #${run.id} is queued` : ui`Run #${run.id} cannot be tried again now`,
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
			label: own('answer'),
			run: copy(async () => answerOf(shell, run), own('answer')),
		},
		{key: 'i', label: own('run id'), run: copy(() => String(run.id), own('run id'))},
		...(run.error === undefined
			? []
			: [{key: 'e', label: own('error'), run: copy(() => run.error ?? '', own('error'))}]),
	];
	openMenu(shell, {title: own('Copy'), items});
}

/** Commands of pane 7. */
export const runCommands: readonly PaneCommand[] = [
	{
		id: 'runs.cancel',
		keys: ['x'],
		label: own('cancel (asks)'),
		why: why(run => !hasEnded(run.state), own('The run has ended')),
		run: askToCancel,
	},
	{
		id: 'runs.retry',
		keys: ['t'],
		label: own('try again (asks)'),
		why: why(canRetry, own('A run that waits, is under way, done or silent cannot be tried again')),
		run: askToRetry,
	},
	{
		id: 'runs.delivery',
		keys: ['o'],
		label: own('its delivery'),
		why: why(run => run.delivery !== undefined, own('A schedule or a person started it')),
		run(shell) {
			const {delivery} = selected(shell) ?? {};
			if (delivery !== undefined) {
				goToDelivery(shell, delivery);
			}
		},
	},
	{
		id: 'runs.origin',
		keys: ['b'],
		label: own('back to its group or job'),
		quiet: true,
		why: why(
			({group, job}) => group !== undefined || job !== undefined,
			own('It came of one event, not of a group or a job'),
		),
		run(shell) {
			const {group, job, profile} = selected(shell) ?? {};
			if (group !== undefined) {
				goToGroup(shell, group);
			} else if (job && profile !== undefined) {
				goToJob(shell, jobKey({profile, id: job.id}));
			}
		},
	},
	{
		id: 'runs.copy',
		keys: ['y'],
		label: own('copy'),
		why: why(() => true, own('')),
		run: copyMenu,
	},
	{
		id: 'runs.pager',
		keys: ['e'],
		label: own('transcript in $PAGER'),
		quiet: true,
		why: why(() => true, own('')),
		run(shell) {
			const run = selected(shell);
			const isStillHere = placeNow(shell, own('e'));
			shell.attempt(async () => {
				const stored = run && (await shell.port.getRun(run.id));
				if (!stored) {
					throw new Error('That run is no longer stored');
				}

				if (isStillHere(own('The pager was not opened'))) {
					await shell.desktop.page(runText(stored));
				}
			});
		},
	},
];
