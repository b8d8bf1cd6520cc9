import {type Command, Option} from 'commander';
import type {Context} from '../console/context.ts';
import {keyValueOption, listOption} from '../console/options.ts';
import type {AddJobOptions} from '../cron/add-job.ts';
import type {EditJobOptions} from '../cron/edit-job.ts';

type Json = {readonly json?: boolean};

const reference = ['<job>', 'identifier or name of the job'] as const;

/** `svc cron add|edit|list|show|pause|resume|run|remove`. @see manual/commands.md */
export function addCronCommands(program: Command, context: Context): void {
	const group = program.command('cron').description('jobs that run at their times');
	addAddCommand(group, context);
	addEditCommand(group, context);

	group
		.command('list')
		.description('list the jobs, with when they fire next and what became of their last runs')
		.option('--json', 'print JSON')
		.action(async ({json = false}: Json) => {
			const {listJobs} = await import('../cron/list-jobs.ts');
			await listJobs(context, {json});
		});

	group
		.command('show')
		.description('show one job: what it does, its next times and its last runs')
		.argument(...reference)
		.option('--json', 'print JSON')
		.action(async (job: string, {json = false}: Json) => {
			const {showJob} = await import('../cron/show-job.ts');
			await showJob(context, {reference: job, json});
		});

	for (const [name, paused, description] of [
		['pause', true, 'keep a job from firing until it is resumed'],
		['resume', false, 'let a paused job fire again, from its next time on'],
	] as const) {
		group
			.command(name)
			.description(description)
			.argument(...reference)
			.option('--json', 'print JSON')
			.action(async (job: string, {json = false}: Json) => {
				const {pauseJob} = await import('../cron/change-job.ts');
				await pauseJob(context, {reference: job, json, paused});
			});
	}

	group
		.command('run')
		.description('queue a run of a job now, also of a paused one; needs a running gateway')
		.argument(...reference)
		.option('--json', 'print JSON')
		.action(async (job: string, {json = false}: Json) => {
			const {runJob} = await import('../cron/change-job.ts');
			await runJob(context, {reference: job, json});
		});

	group
		.command('remove')
		.description('remove a job; its runs and answers stay')
		.argument(...reference)
		.option('--json', 'print JSON')
		.action(async (job: string, {json = false}: Json) => {
			const {removeJob} = await import('../cron/change-job.ts');
			await removeJob(context, {reference: job, json});
		});
}

function addAddCommand(group: Command, context: Context): void {
	const command = group
		.command('add')
		.description('add a job; needs no running gateway')
		.requiredOption('--name <name>', 'what the job is called')
		.requiredOption('--schedule <text>', scheduleHelp);
	addSettings(command)
		.option('--paused', 'do not fire until it is resumed')
		.option('--json', 'print JSON')
		.action(async (options: AddJobOptions) => {
			if ((options.prompt === undefined) === (options.promptFile === undefined)) {
				command.error('error: use either --prompt or --prompt-file');
			}

			const {addJob} = await import('../cron/add-job.ts');
			await addJob(context, options);
		});
}

function addEditCommand(group: Command, context: Context): void {
	const command = group
		.command('edit')
		.description('change what the flags name of a job; its identifier, runs and answers stay')
		.argument(...reference)
		.option('--name <name>', 'another name')
		.option('--schedule <text>', scheduleHelp);
	addSettings(command)
		.option('--json', 'print JSON')
		.action(async (job: string, options: EditJobOptions) => {
			if (options.prompt !== undefined && options.promptFile !== undefined) {
				command.error('error: use either --prompt or --prompt-file');
			}

			const {editJob} = await import('../cron/edit-job.ts');
			await editJob(context, job, options);
		});
}

const scheduleHelp =
	'"0 9 * * 1-5" (five cron fields, or six with seconds first), "every 2h", or a time such as "2026-12-24T18:00"';

/** What a job may say beside its name and its times. */
const addSettings = (command: Command): Command =>
	command
		.option('--time-zone <zone>', 'IANA zone of the schedule; the machine’s when absent')
		.option('--prompt <text>', 'what the agent is asked')
		.option('--prompt-file <file>', 'file with what the agent is asked; - for standard input')
		.option(
			'--skills <list>',
			'skills, separated by commas; the first that is found is loaded',
			listOption,
		)
		.option(
			'--toolsets <list>',
			'toolsets instead of the default, separated by commas; "" for none',
			listOption,
		)
		.option('--model <name>', 'model of the same provider instead of the configured one')
		.option('--deliver <target>', 'where the answer goes; svc help delivery lists the targets')
		.option('--deliver-chat-id <id>', 'chat or address for the target')
		.option(
			'--deliver-extra <key=value>',
			'another key for the target, such as repo or pr_number; repeatable',
			keyValueOption,
		)
		.addOption(
			new Option(
				'--misfire <rule>',
				'what becomes of times that passed while no gateway ran: one run for all of them, or none',
			).choices(['once', 'skip']),
		);
