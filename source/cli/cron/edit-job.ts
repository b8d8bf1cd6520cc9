import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {editJobs} from '../../schedule/edit-jobs.ts';
import {requireJob} from '../../schedule/find-job.ts';
import {interpretJob, type JobDefinition} from '../../schedule/job.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell} from '../console/print.ts';
import {readInput} from '../console/read-input.ts';
import {
	type AddJobOptions,
	checkedJob,
	maxPromptBytes,
	refuseTakenName,
	settingsOf,
} from './add-job.ts';
import {readPlatformProblems} from './job-target.ts';
import {nextTimes} from './next-times.ts';
import {zonedIsoTime, zonedTime} from './zoned-time.ts';

/** The flags of `svc cron edit`: those that are given change. */
export type EditJobOptions = Partial<AddJobOptions>;

/**
 * Changes what the flags name of a job in the file of the profile; its identifier, its runs and its answers stay. A gateway that runs sees it by itself.
 *
 * @throws SvcError `job_not_found`, `job_ambiguous`, `job_refused`, `jobs_broken`, `file_unreadable`
 */
export async function editJob(
	context: Context,
	reference: string,
	{promptFile, json, ...options}: EditJobOptions,
): Promise<void> {
	const prompt =
		promptFile === undefined
			? options.prompt
			: (await readInput(context, promptFile, {maxBytes: maxPromptBytes})).trim();
	const changes = settingsOf({...options, ...(prompt !== undefined && {prompt})});
	if (Object.keys(changes).length === 0) {
		tell(context, 'Nothing to change: name at least one flag, see svc cron edit --help');
		context.exit(2);
		return;
	}

	const now = context.clock.now();
	const edited: JobDefinition[] = [];
	await editJobs(
		context.paths(),
		entries => {
			const index = indexOf(entries, reference);
			return entries.map((entry, other) => {
				if (other !== index) {
					return entry;
				}

				const changed = changedEntry(isJsonObject(entry) ? entry : {}, changes);
				const job = checkedJob(changed, now);
				if (options.name !== undefined) {
					refuseTakenName(job, entries.toSpliced(index, 1));
				}

				edited.push(job);
				return changed;
			});
		},
		{clock: context.clock},
	);
	const problemWith = await readPlatformProblems(context);
	for (const {id, name, timeZone, paused, target, ...job} of edited) {
		const problem = problemWith(target.kind);
		if (problem !== undefined) {
			tell(context, `Job "${name}" ${problem}`);
		}

		const [next] = nextTimes(job, {now, count: 1});
		if (json) {
			printJson(context, {
				id,
				name,
				changed: Object.keys(changes),
				paused,
				next: next === undefined ? null : zonedIsoTime(next, timeZone),
			});
		} else {
			printLines(context, [
				`Changed ${id} (${name}): ${Object.keys(changes).join(', ')}`,
				...(next === undefined || paused ? [] : [`next  ${zonedTime(next, timeZone)} ${timeZone}`]),
			]);
		}
	}
}

/** Keys of `deliver_extra` that are not named stay, unless the answer goes somewhere else. */
function changedEntry(entry: JsonObject, changes: JsonObject): JsonObject {
	const {deliver_extra: extra, ...rest} = changes;
	const {deliver_extra: before, ...kept} = entry;
	const isElsewhere = rest['deliver'] !== undefined && rest['deliver'] !== entry['deliver'];
	const merged = {
		...(!isElsewhere && isJsonObject(before) && before),
		...(isJsonObject(extra) && extra),
	};
	return {
		...kept,
		...rest,
		...(Object.keys(merged).length > 0 && {deliver_extra: merged}),
	};
}

/** Where the job stands in its file. @throws SvcError `job_not_found`, `job_ambiguous` */
export function indexOf(entries: readonly JsonValue[], reference: string): number {
	const jobs = entries.map((entry, index) => interpretJob(entry, index).job);
	const byId = jobs.findIndex(({id}) => id === reference);
	const named = jobs.flatMap(({name}, index) => (name === reference ? [index] : []));
	const index = byId === -1 && named.length === 1 ? (named[0] ?? -1) : byId;
	if (index === -1) {
		requireJob(reference, named.length > 1 ? {kind: 'ambiguous'} : {kind: 'unknown'});
	}

	return index;
}
