import type {Command} from 'commander';
import type {JobView} from '../../core/job.ts';
import type {JsonObject} from '../../core/json.ts';
import type {FieldRecord} from '../../nouns/field.ts';
import {jobFileActs, type JobFilePort} from '../../nouns/job/job-acts.ts';
import {jobFields, jobSettings, newJobFields} from '../../nouns/job/job-form.ts';
import {jobKey, jobNoun} from '../../nouns/job/job.ts';
import type {Context} from '../console/context.ts';
import {jsonOption, type Json} from '../console/options.ts';
import {tell} from '../console/print.ts';
import {addActs} from '../nouns/act-commands.ts';
import {addFieldOptions, fieldValues} from '../nouns/field-options.ts';
import {addShow, printList} from '../nouns/noun-commands.ts';

type Settings = Json & {readonly promptFile?: string; readonly prompt?: string};

/** `svc cron add|edit|list|show|run|pause|resume|remove`. @see manual/commands.md */
export function addCronCommands(program: Command, context: Context): void {
	const group = program.command('cron').description('jobs that run at their times');
	const add = group.command('add').description('add a job; needs no running gateway');
	addSettings(add, newJobFields).action(async ({json, ...options}: Settings) => {
		const {createJob} = await import('../cron/write-job.ts');
		await createJob(context, await settingsOf(context, newJobFields, options), {json});
	});

	const edit = group
		.command('edit')
		.description(
			'change the settings of a job that the flags name; its identifier, runs and answers stay',
		)
		.argument('<job>', 'identifier or name of the job');
	addSettings(edit, jobFields).action(async (reference: string, {json, ...options}: Settings) => {
		const {changeJob} = await import('../cron/write-job.ts');
		const settings = await settingsOf(context, jobFields, options);
		await changeJob(context, settings, {reference, json});
	});

	group
		.command('list')
		.description('list the jobs, with their next times and the results of their last runs')
		.option(...jsonOption)
		.action(async ({json = false}: Json) => {
			const {listedJobs, openJobs, readPlatformProblems} = await import('../cron/open-jobs.ts');
			await using jobs = await openJobs(context);
			const {problem} = jobs.set;
			if (problem !== undefined) {
				const {lastGoodGoesOn} = await import('../../gateway/jobs/find-cron-job.ts');
				tell(context, `${problem}; its jobs are not listed, ${lastGoodGoesOn}`);
				context.exit(1);
			}

			if (json || problem === undefined) {
				const items = await listedJobs(context, jobs);
				const problemWith = await readPlatformProblems(context);
				await printList(context, jobNoun, {items, json, known: {problemWith}});
			}
		});

	addShow(group, context, {
		noun: jobNoun,
		says: 'show one job: its settings, its next times and its last runs',
		async read(reference) {
			const {openJobs, shownJob} = await import('../cron/open-jobs.ts');
			await using jobs = await openJobs(context);
			const item = await shownJob(context, jobs, reference);
			return item && {item};
		},
	});
	addActs<JobView, JobFilePort & AsyncDisposable, never>(group, context, {
		noun: jobNoun,
		acts: jobFileActs,
		idOf: id => jobKey({profile: 'default', id}),
		open: async () => openFile(context),
	});
}

const addSettings = (command: Command, fields: readonly FieldRecord[]): Command =>
	addFieldOptions(command, fields)
		.option('--prompt-file <file>', 'file with the task of the agent; - for standard input')
		.option(...jsonOption)
		.hook('preAction', () => {
			const {prompt, promptFile} = command.opts<Settings>();
			const count = [prompt, promptFile].filter(given => given !== undefined).length;
			// A new job needs a prompt.
			if (count > 1 || (count === 0 && fields === newJobFields)) {
				command.error('error: use either --prompt or --prompt-file');
			}
		});

/** The largest prompt file. */
const maxPromptBytes = 1024 * 1024;

/** The settings given by options, by the file's keys. @throws SvcError `file_unreadable` */
async function settingsOf(
	context: Context,
	fields: readonly FieldRecord[],
	{promptFile, ...options}: Settings,
): Promise<JsonObject> {
	const settings = jobSettings(fieldValues(fields, options));
	if (promptFile === undefined) {
		return settings;
	}

	const {readInput} = await import('../console/read-input.ts');
	const prompt = await readInput(context, promptFile, {maxBytes: maxPromptBytes});
	return {...settings, prompt: prompt.trim()};
}

/** The profile's jobs: edited in their file, run by the gateway that schedules them. */
function openFile(context: Context): JobFilePort & AsyncDisposable {
	const paths = context.paths();
	return {
		/** @throws SvcError `job_not_found`, `job_ambiguous`, `job_invalid`, `jobs_broken` */
		async setJobPaused(reference, {paused}) {
			const {setJobPaused} = await import('../../schedule/edit-jobs.ts');
			return setJobPaused(paths, {reference, paused}, context);
		},
		async removeJob(reference) {
			const {removeJob} = await import('../../schedule/edit-jobs.ts');
			return removeJob(paths, reference, context);
		},
		/** @throws SvcError `gateway_not_running`, `job_not_found`, `job_ambiguous`, `job_invalid`, `queue_full` */
		async runJob(reference) {
			const {requireJobGateway} = await import('../cron/open-jobs.ts');
			const {gateway, profile} = await requireJobGateway(context);
			const {runId} = await gateway.runJob(reference, profile === 'default' ? {} : {profile});
			// For a profile served by the home's gateway, runs are there.
			const own = paths.profile === profile ? 'default' : paths.profile;
			const show = `svc ${own === 'default' ? '' : `-p ${own} `}runs show ${runId}`;
			return {runId, seen: profile === 'default' ? show : `${show}, without "-p ${profile}"`};
		},
		async [Symbol.asyncDispose]() {},
	};
}
