import {randomInt} from 'node:crypto';
import type {HomePaths} from '../config/config.ts';
import {editedJobs} from '../config/edited-text.ts';
import type {Clock} from '../core/clock.ts';
import {SvcError} from '../core/errors.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {escapeLine} from '../core/untrusted.ts';
import {requireJob} from './find-job.ts';
import {entriesOf, parseJobs} from './job-file.ts';
import {interpretJob, type JobDefinition} from './job.ts';
import {nextAfter} from './when.ts';

const idLength = 8;
const idCharacters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const maxShownName = 100;

type Timed = {readonly clock: Clock};

type Paths = Pick<HomePaths, 'cron' | 'run' | 'shared'>;

type NamedJob = Pick<JobDefinition, 'id' | 'name'>;

/**
 * Replaces the entries of `cron/jobs.json` by the result of `change`, while other writers wait. Unknown keys stay. If `change` throws, nothing is written.
 *
 * @returns the value that `change` returns beside the entries
 * @throws SvcError `jobs_broken` for a file that does not parse, which is never overwritten; `file_too_large`, `lock_timeout`
 */
export async function editJobs<Value>(
	paths: Paths,
	change: (entries: readonly JsonValue[]) => Changed<Value>,
	{clock}: Timed,
): Promise<Value> {
	const written = editedJobs(paths);
	return written.edit(
		text => {
			const file = parseJobs(text, written.name);
			const {entries: jobs, value} = change(entriesOf(file));
			return {value, text: `${JSON.stringify({...file, jobs}, null, 2)}\n`};
		},
		{clock},
	);
}

type Changed<Value> = {readonly entries: readonly JsonValue[]; readonly value: Value};

/** Makes a function that edits jobs by `change`, with an argument `given` and the present time. */
const editing =
	<Given, Value>(
		change: (entries: readonly JsonValue[], given: Given, now: number) => Changed<Value>,
	) =>
	async (paths: Paths, given: Given, {clock}: Timed): Promise<Value> =>
		editJobs(paths, entries => change(entries, given, clock.now()), {clock});

/** Adds a job with these settings, under the keys of the file. @throws SvcError `job_refused`, and as `editJobs` */
export const addJob = editing((entries, settings: JsonObject, now) => {
	const entry = {id: newId(entries), ...settings, created_at: new Date(now).toISOString()};
	const value = checkedJob(entry, now);
	refuseTakenName(value, entries);
	return {value, entries: [...entries, entry]};
});

/**
 * Changes these settings of the job named by `reference` (identifier, else name); its identifier, runs and answers stay.
 *
 * @throws SvcError `job_not_found`, `job_ambiguous`, `job_refused`, and as `editJobs`
 */
export const editJob = editing(
	(
		entries,
		{reference, changes}: {readonly reference: string; readonly changes: JsonObject},
		now,
	) => {
		const {written, others, putBack} = findEntry(entries, reference);
		const entry = changedEntry(written, changes);
		const value = checkedJob(entry, now);
		if (changes['name'] !== undefined) {
			refuseTakenName(value, others);
		}

		return {value, entries: putBack(entry)};
	},
);

/** Removes a job, even an invalid one; its runs and answers stay. @throws SvcError `job_not_found`, `job_ambiguous`, and as `editJobs` */
export const removeJob = editing((entries, reference: string): Changed<NamedJob> => {
	const {found, others} = findEntry(entries, reference);
	return {value: found.job, entries: others};
});

/**
 * Pauses or resumes the job named by `reference`.
 *
 * @throws SvcError `job_not_found`, `job_ambiguous`, `job_invalid`, and as `editJobs`
 */
export const setJobPaused = editing(
	(
		entries,
		{reference, paused}: {readonly reference: string; readonly paused: boolean},
	): Changed<NamedJob> => {
		const {written, found, putBack} = findEntry(entries, reference);
		const {id, name} = found.ok
			? found.job
			: requireJob(reference, {kind: 'invalid', problem: found.job.problem});
		return {value: {id, name}, entries: putBack({...written, paused})};
	},
);

/**
 * Finds the entry of a job: the entry, the other entries, and a function that returns all of them with the entry replaced.
 *
 * @throws SvcError `job_not_found`, `job_ambiguous`
 */
function findEntry(entries: readonly JsonValue[], reference: string) {
	const jobs = entries.map((entry, index) => interpretJob(entry, index).job);
	const byId = jobs.findIndex(({id}) => id === reference);
	const named = jobs.flatMap(({name}, index) => (name === reference ? [index] : []));
	const index = byId === -1 && named.length === 1 ? (named[0] ?? -1) : byId;
	if (index === -1) {
		requireJob(reference, {kind: named.length > 1 ? 'ambiguous' : 'unknown'});
	}

	const written = entries[index] ?? null;
	return {
		found: interpretJob(written, index),
		written: isJsonObject(written) ? written : {},
		others: entries.toSpliced(index, 1),
		putBack: (entry: JsonObject) => entries.with(index, entry),
	};
}

/** The job of an entry before it is written. @throws SvcError `job_refused` */
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
 * Refuses a name that one of `others` has as name or identifier: references by that name would be ambiguous, or lead to the identifier.
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
			`Job "${escapeLine(taken.name, maxShownName)}" exists (${taken.id}): take another --name, or change it: svc cron edit ${taken.id}`,
		);
	}
}

/** A new identifier, unique among the entries. */
function newId(entries: readonly JsonValue[]): string {
	const taken = new Set(entries.map(entry => (isJsonObject(entry) ? entry['id'] : undefined)));
	for (;;) {
		const id = `job_${Array.from({length: idLength}, () => idCharacters[randomInt(idCharacters.length)]).join('')}`;
		if (!taken.has(id)) {
			return id;
		}
	}
}

/** Changes an entry. Keys of `deliver_extra` without a change stay, unless `deliver` changes. */
function changedEntry(written: JsonObject, changes: JsonObject): JsonObject {
	const {deliver_extra: extra, ...rest} = changes;
	const {deliver_extra: kept, ...entry} = written;
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
