import type {JobView} from '../../../core/job.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {goToRun} from '../../acts/go-to.ts';
import {change} from '../../acts/navigate.ts';
import {openMenu} from '../../dialogs/questions.ts';
import {jobName} from '../../entries/job-key.ts';
import {jobList} from '../../entries/job-list.ts';
import {clean} from '../../lines/line.ts';
import type {Shell} from '../../shell/shell.ts';

const selected = (shell: Shell): JobView | undefined => shell.list(jobList).selected();

const why =
	(reasonFor: (job: JobView) => Safe | undefined) =>
	(shell: Shell): Safe | undefined => {
		const job = selected(shell);
		return job ? reasonFor(job) : literal('No job is selected');
	};

const unusable = ({state, problem = ''}: JobView): Safe | undefined =>
	state === 'invalid' ? safe`The job is invalid: ${clean(problem)}` : undefined;

function togglePause(shell: Shell): void {
	const job = selected(shell);
	if (!job) {
		return;
	}

	const {id, profile, state} = job;
	const paused = state === 'active';
	shell.attempt(async () => {
		await shell.port.setJobPaused(id, {paused, profile});
		shell.toast(
			safe`${jobName(job)} ${paused ? literal('is paused') : literal('goes on')}`,
			'good',
		);
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
			title: safe`Run ${jobName(job)} now`,
			lines: [
				safe`Starts 1 agent run now; its answer goes to ${clean(deliver)}.`,
				...(open > 0
					? [
							safe`${open} ${open === 1 ? literal('run') : literal('runs')} of it ${open === 1 ? literal('has') : literal('have')} not ended: this one waits for that.`,
						]
					: []),
				...(state === 'paused' ? [literal('Its schedule stays paused.')] : []),
			],
			act: literal('run it'),
			run() {
				shell.attempt(async () => {
					const {runId} = await shell.port.runJob(id, {profile});
					shell.toast(safe`Run #${runId} of ${jobName(job)} is queued`, 'good');
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
		title: literal('Copy'),
		items: [
			{key: 'n', label: literal('name'), run: copy(job.name, literal('name'))},
			{key: 'i', label: literal('job id'), run: copy(job.id, literal('job id'))},
			{key: 's', label: literal('schedule'), run: copy(job.schedule, literal('schedule'))},
		],
	});
}

/** Commands of the jobs in pane 2. */
export const jobCommands: readonly PaneCommand[] = [
	{
		id: 'jobs.run',
		changes: true,
		keys: ['x'],
		label: literal('run now (asks)'),
		why: why(unusable),
		run: askToRun,
	},
	{
		id: 'jobs.pause',
		changes: true,
		keys: ['p'],
		label: literal('pause or resume'),
		why: why(
			job =>
				unusable(job) ?? (job.state === 'ended' ? literal('It has fired, and ended') : undefined),
		),
		run: togglePause,
	},
	{
		id: 'jobs.last-run',
		keys: ['o'],
		label: literal('its last run'),
		why: why(job => (job.lastRunId === undefined ? literal('It has not run yet') : undefined)),
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
		label: literal('copy'),
		why: why(() => undefined),
		run: copyMenu,
	},
];
