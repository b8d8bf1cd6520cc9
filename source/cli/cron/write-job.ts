import {randomInt} from 'node:crypto';
import {ensureHome} from '../../config/home-paths.ts';
import {SvcError} from '../../core/errors.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {cell} from '../../core/untrusted.ts';
import type {NamedJob} from '../../nouns/job/job-acts.ts';
import {editJobs} from '../../schedule/edit-jobs.ts';
import {requireJob} from '../../schedule/find-job.ts';
import {interpretJob, type JobDefinition} from '../../schedule/job.ts';
import {nextAfter, nextTimes} from '../../schedule/when.ts';
import {zonedIsoTime, zonedTime} from '../../terminal/text/time.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell} from '../console/print.ts';
import {readPlatformProblems} from './open-jobs.ts';

const idLength = 8;
const idCharacters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const shownTimes = 3;
const maxShownName = 100;

/**
 * Adds a job with these settings to the file of the profile; prints its identifier and when it fires next. A gateway that runs sees it by itself.
 *
 * @throws SvcError `job_refused`, `jobs_broken`
 */
export async function addJob(
	context: Context,
	settings: JsonObject,
	{json}: {readonly json: boolean},
): Promise<void> {
	const {clock} = context;
	const paths = context.paths();
	ensureHome(paths);
	const now = clock.now();
	const job = await editJobs(
		paths,
		entries => {
			const entry = {id: newId(entries), ...settings, created_at: new Date(now).toISOString()};
			const added = checkedJob(entry, now);
			refuseTakenName(added, entries);
			return {value: added, entries: [...entries, entry]};
		},
		{clock},
	);
	const {id, name, timeZone, paused} = job;
	await tellProblem(context, job);
	const times = nextTimes(job.schedule, {afterMs: context.clock.now(), count: shownTimes});
	if (json) {
		const next = times.map(at => zonedIsoTime(at, timeZone));
		printJson(context, {id, name, timeZone, paused, next});
		return;
	}

	printLines(context, [
		`Added ${id} (${name})`,
		...times.map(
			(at, index) => `${index === 0 ? 'next  ' : '      '}${zonedTime(at, timeZone)} ${timeZone}`,
		),
		...(paused ? [`It is paused: svc cron resume ${id}`] : []),
	]);
}

/**
 * Changes these settings of a job in the file of the profile; its identifier, its runs and its answers stay. A gateway that runs sees it by itself.
 *
 * @throws SvcError `job_not_found`, `job_ambiguous`, `job_refused`, `jobs_broken`
 */
export async function editJob(
	context: Context,
	changes: JsonObject,
	{reference, json}: {readonly reference: string; readonly json: boolean},
): Promise<void> {
	const changed = Object.keys(changes);
	if (changed.length === 0) {
		tell(context, 'Nothing to change: name at least one flag, see svc cron edit --help');
		context.exit(2);
		return;
	}

	const {clock} = context;
	const job = await editJobs(
		context.paths(),
		entries => {
			const index = indexOf(entries, reference);
			const entry = changedEntry(entries[index], changes);
			const edited = checkedJob(entry, clock.now());
			if (changes['name'] !== undefined) {
				refuseTakenName(edited, entries.toSpliced(index, 1));
			}

			return {value: edited, entries: entries.with(index, entry)};
		},
		{clock},
	);
	const {id, name, timeZone, paused} = job;
	await tellProblem(context, job);
	const at = nextAfter(job.schedule, context.clock.now());
	if (json) {
		const next = at === undefined ? null : zonedIsoTime(at, timeZone);
		printJson(context, {id, name, changed, paused, next});
		return;
	}

	printLines(context, [
		`Changed ${id} (${name}): ${changed.join(', ')}`,
		...(at === undefined || paused ? [] : [`next  ${zonedTime(at, timeZone)} ${timeZone}`]),
	]);
}

/** Removes a job from its file, also one that cannot be used; its runs and answers stay. @throws SvcError `job_not_found`, `job_ambiguous`, `jobs_broken` */
export const removeJob = async (context: Context, reference: string): Promise<NamedJob> =>
	editJobs(
		context.paths(),
		entries => {
			const index = indexOf(entries, reference);
			const {
				job: {id, name},
			} = interpretJob(entries[index] ?? null, index);
			return {value: {id, name}, entries: entries.toSpliced(index, 1)};
		},
		context,
	);

/** Tells why answers of the job would not arrive. */
async function tellProblem(context: Context, {name, target}: JobDefinition): Promise<void> {
	const problem = (await readPlatformProblems(context))(target.kind);
	if (problem !== undefined) {
		tell(context, `Job "${name}" ${problem}`);
	}
}

/** The job of an entry that is to be written. @throws SvcError `job_refused` */
function checkedJob(entry: JsonObject, now: number): JobDefinition {
	const interpreted = interpretJob(entry, 0);
	if (!interpreted.ok) {
		throw new SvcError('job_refused', interpreted.job.problem);
	}

	const {job} = interpreted;
	if (nextAfter(job.schedule, now) === undefined) {
		throw new SvcError(
			'job_refused',
			`Job "${job.name}" would never fire: "${job.scheduleText}" is over`,
		);
	}

	return job;
}

/**
 * Keeps a name one job's own, among `others`: a route and a command that name a job could not tell two apart, and an identifier counts before a name.
 *
 * @throws SvcError `job_refused`
 */
function refuseTakenName({name}: JobDefinition, others: readonly JsonValue[]): void {
	const taken = others
		.map((entry, index) => interpretJob(entry, index).job)
		.find(other => other.name === name || other.id === name);
	if (taken) {
		throw new SvcError(
			'job_refused',
			`Job "${cell(taken.name, maxShownName).text}" exists (${taken.id}): take another --name, or change it: svc cron edit ${taken.id}`,
		);
	}
}

/** An identifier that no entry has. */
function newId(entries: readonly JsonValue[]): string {
	const taken = new Set(entries.map(entry => (isJsonObject(entry) ? entry['id'] : undefined)));
	for (;;) {
		const id = `job_${Array.from({length: idLength}, () => idCharacters[randomInt(idCharacters.length)]).join('')}`;
		if (!taken.has(id)) {
			return id;
		}
	}
}

/** Keys of `deliver_extra` that are not named stay, unless the answer goes somewhere else. */
function changedEntry(before: JsonValue | undefined, changes: JsonObject): JsonObject {
	const {deliver_extra: extra, ...rest} = changes;
	const {deliver_extra: kept, ...entry} = isJsonObject(before) ? before : {};
	const isElsewhere = rest['deliver'] !== undefined && rest['deliver'] !== entry['deliver'];
	const merged = {
		...(!isElsewhere && isJsonObject(kept) && kept),
		...(isJsonObject(extra) && extra),
	};
	return {
		...entry,
		...rest,
		...(Object.keys(merged).length > 0 && {deliver_extra: merged}),
	};
}

/** Where the job stands in its file. @throws SvcError `job_not_found`, `job_ambiguous` */
function indexOf(entries: readonly JsonValue[], reference: string): number {
	const jobs = entries.map((entry, index) => interpretJob(entry, index).job);
	const byId = jobs.findIndex(({id}) => id === reference);
	const named = jobs.flatMap(({name}, index) => (name === reference ? [index] : []));
	const index = byId === -1 && named.length === 1 ? (named[0] ?? -1) : byId;
	if (index === -1) {
		requireJob(reference, named.length > 1 ? {kind: 'ambiguous'} : {kind: 'unknown'});
	}

	return index;
}
