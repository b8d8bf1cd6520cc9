import type {JobView} from '../../../core/job.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {own, ui} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../commands/command.ts';
import {copyText} from '../../commands/copy.ts';
import {goToRun} from '../../commands/go-to.ts';
import {change} from '../../commands/navigate.ts';
import {openMenu} from '../../commands/overlay-state.ts';
import type {Shell} from '../../shell/shell.ts';
import {clean} from '../line.ts';
import {jobName} from './job-key.ts';
import {jobList} from './job-list.ts';

const selected = (shell: Shell): JobView | undefined => shell.list(jobList).selected();

const why =
	(reasonFor: (job: JobView) => Safe | undefined) =>
	(shell: Shell): Safe | undefined => {
		const job = selected(shell);
		return job ? reasonFor(job) : own('No job is selected');
	};

const unusable = ({state, problem = ''}: JobView): Safe | undefined =>
	state === 'invalid' ? ui`The job is invalid: ${clean(problem)}` : undefined;

function togglePause(shell: Shell): void {
	const job = selected(shell);
	if (!job) {
		return;
	}

	const {id, profile, state} = job;
	const paused = state === 'active';
	shell.attempt(async () => {
		await shell.port.setJobPaused(id, {paused, profile});
		shell.toast(ui`${jobName(job)} ${paused ? own('is paused') : own('goes on')}`, 'good');
	});
}

function askToRun(shell: Shell): void {
	const job = selected(shell);
	if (!job) {
		return;
	}

	const {id, profile, state, open, deliver} = job;
	change(shell, {
		overlay: {
			kind: 'confirm',
			title: ui`Run ${jobName(job)} now`,
			lines: [
				ui`Starts 1 agent run now; its answer goes to ${clean(deliver)}.`,
				...(open > 0
					? [
							ui`${open} ${open === 1 ? own('run') : own('runs')} of it ${open === 1 ? own('has') : own('have')} not ended: this one waits for that.`,
						]
					: []),
				...(state === 'paused' ? [own('Its schedule stays paused.')] : []),
			],
			act: own('run it'),
			run() {
				shell.attempt(async () => {
					const {runId} = await shell.port.runJob(id, {profile});
					shell.toast(ui`Run #${runId} of ${jobName(job)} is queued`, 'good');
				});
			},
		},
	});
}

function copyMenu(shell: Shell): void {
	const job = selected(shell);
	if (!job) {
		return;
	}

	const copy = (text: string, what: Safe) => () => {
		shell.attempt(async () => copyText(shell, text, what));
	};

	openMenu(shell, {
		title: own('Copy'),
		items: [
			{key: 'n', label: own('name'), run: copy(job.name, own('name'))},
			{key: 'i', label: own('job id'), run: copy(job.id, own('job id'))},
			{key: 's', label: own('schedule'), run: copy(job.schedule, own('schedule'))},
		],
	});
}

/** Commands of the jobs in pane 2. */
export const jobCommands: readonly PaneCommand[] = [
	{
		id: 'jobs.run',
		keys: ['x'],
		label: own('run now (asks)'),
		why: why(unusable),
		run: askToRun,
	},
	{
		id: 'jobs.pause',
		keys: ['p'],
		label: own('pause or resume'),
		why: why(
			job => unusable(job) ?? (job.state === 'ended' ? own('It has fired, and ended') : undefined),
		),
		run: togglePause,
	},
	{
		id: 'jobs.last-run',
		keys: ['o'],
		label: own('its last run'),
		why: why(job => (job.lastRunId === undefined ? own('It has not run yet') : undefined)),
		run(shell) {
			const {lastRunId} = selected(shell) ?? {};
			if (lastRunId !== undefined) {
				goToRun(shell, lastRunId);
			}
		},
	},
	{
		id: 'jobs.copy',
		keys: ['y'],
		label: own('copy'),
		why: why(() => undefined),
		run: copyMenu,
	},
];
