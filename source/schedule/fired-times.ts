import {mkdirSync, readdirSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {join, basename} from 'node:path';
import type {HomePaths} from '../config/config.ts';
import {readTextFile, writePrivateFile} from '../config/text-files.ts';
import {messageOf, SvcError} from '../core/errors.ts';
import {isJsonObject} from '../core/json.ts';
import type {Logger} from '../core/log.ts';
import {orElse} from '../core/or-else.ts';
import type {World} from '../core/world.ts';
import {jobIdPattern} from './job.ts';

const maxBytes = 4 * 1024 * 1024;

/** The time up to which each job of a profile has fired, whichever gateway fired it. */
export type FiredTimes = ReturnType<typeof createFiredTimes>;

/**
 * Keeps `cron/fired.json` (0600) beside the jobs of a profile. A journal belongs to the home of a gateway, but jobs belong to the profile: a gateway that takes over the
 * profile reads here which times have fired. Only for the holder of the lock on the profile's home. The file is read once.
 */
export function createFiredTimes({
	paths,
	log,
}: Pick<World, 'log'> & {readonly paths: Pick<HomePaths, 'cron'>}) {
	const path = join(paths.cron, 'fired.json');
	const times = read(path, log);
	let isSaved = true;
	let saidFailing = false;

	return {
		/** The time up to which the job has fired, milliseconds since 1970 by the clock of that moment; `undefined`: unknown. */
		of: (id: string) => times.get(id),
		/** Notes that times of the job up to `until` have fired or are skipped. Written by the next `save`. */
		note(id: string, until: number) {
			times.set(id, until);
			isSaved = false;
		},
		/**
		 * Writes the noted times, without those of removed jobs; `existing`: the present jobs, `undefined` if unknown. Never rejects: a failure is logged once, and the
		 * next call tries again.
		 */
		async save(existing: () => ReadonlySet<string> | undefined) {
			if (isSaved) {
				return;
			}

			const jobs = existing();
			for (const id of times.keys()) {
				if (jobs && !jobs.has(id)) {
					times.delete(id);
				}
			}

			const fired = Object.fromEntries(
				[...times].map(([id, until]) => [id, new Date(until).toISOString()]),
			);
			isSaved = true;
			try {
				await writePrivateFile(path, `${JSON.stringify({fired}, null, 2)}\n`);
				saidFailing = false;
			} catch (error) {
				isSaved = false;
				if (!saidFailing) {
					saidFailing = true;
					log.warn(
						`Cannot write "${path}": another gateway that takes this profile over now may fire a time again (${messageOf(error)})`,
					);
				}
			}
		},
	};
}

/** Reads the file; invalid entries are left out. */
function read(path: string, log: Logger): Map<string, number> {
	const times = new Map<string, number>();
	try {
		const text = readTextFile(path, maxBytes);
		const value: unknown = text === undefined ? {} : JSON.parse(text);
		const fired = isJsonObject(value) && value['fired'];
		for (const [id, written] of Object.entries(isJsonObject(fired) ? fired : {})) {
			const until = typeof written === 'string' ? Date.parse(written) : Number.NaN;
			if (jobIdPattern.test(id) && !Number.isNaN(until)) {
				times.set(id, until);
			}
		}
	} catch (error) {
		log.warn(`Cannot use "${path}", it is written anew: ${messageOf(error)}`);
	}

	return times;
}

/** Wraps calls of a journal that may fail for a while, and logs that the schedule of jobs is, or is no longer, affected. */
export function createAttempts(log: Logger) {
	let failed = false;
	let succeeded = false;
	let said = false;
	return {
		/** The result of `action`; `undefined` if it failed. Only the first failure is logged, until a round without failures. */
		async attempt<Result>(action: () => Promise<Result>): Promise<Result | undefined> {
			try {
				const result = await action();
				succeeded = true;
				return result;
			} catch (error) {
				if (!said) {
					log.error(`Cannot keep the schedule of jobs, tries again: ${messageOf(error)}`);
				}

				failed = true;
				said = true;
				return undefined;
			}
		},
		/** Begins a round of calls. */
		begin() {
			failed = false;
			succeeded = false;
		},
		/** Ends the round. Returns `true` if no call failed. */
		end(): boolean {
			if (said && succeeded && !failed) {
				said = false;
				log.note('The schedule of jobs is kept again');
			}

			return !failed;
		},
	};
}

/** Most answers that are kept of each job. */
const maxAnswers = 50;

const answerPattern = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-run(\d+)\.md$/;

/**
 * Stores the answer of a run of a job as `output/<job>/<time>-run<id>.md` (0600) in `cron`, the folder of its profile, and removes all but the newest 50 of the job. `at`:
 * milliseconds since 1970. Returns the path.
 *
 * @throws SvcError `job_invalid` for an identifier that is none; an error of the file system
 */
export async function keepAnswer(
	given: {readonly cron: string; readonly job: string; readonly run: number; readonly at: number},
	text: string,
): Promise<string> {
	const {cron, job, run, at} = given;
	const folder = folderOf(cron, job);
	mkdirSync(folder, {recursive: true, mode: 0o700});
	// Colons are not allowed in file names on every system.
	const time = `${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
	const path = join(folder, `${time}-run${run}.md`);
	await writePrivateFile(path, text.endsWith('\n') ? text : `${text}\n`);
	const surplus = surplusBeside(basename(path), answersIn(folder));
	await Promise.all(surplus.map(async name => rm(join(folder, name), {force: true})));
	return path;
}

/** Path of the newest stored answer of a job; `undefined`: none. */
export function newestAnswer(cron: string, job: string): string | undefined {
	if (!jobIdPattern.test(job)) {
		return undefined;
	}

	const folder = folderOf(cron, job);
	const name = answersIn(folder).toSorted(byRun).at(-1);
	return name === undefined ? undefined : join(folder, name);
}

function folderOf(cron: string, job: string): string {
	if (!jobIdPattern.test(job)) {
		throw new SvcError('job_invalid', `Cannot keep an answer of job "${job}": it is no identifier`);
	}

	return join(cron, 'output', job);
}

/**
 * The answers to remove after `latest` was written. Names start with their time. If `latest` is the last in that order, the order is by time, since another journal may
 * count runs from 1 again. Otherwise the clock was set back, and the order is by run number.
 */
function surplusBeside(latest: string, names: readonly string[]): readonly string[] {
	const inOrder = names.toSorted();
	const oldestFirst = inOrder.at(-1) === latest ? inOrder : names.toSorted(byRun);
	return oldestFirst.filter(name => name !== latest).slice(0, 1 - maxAnswers);
}

const runOf = (name: string): number => Number(answerPattern.exec(name)?.[1]);

const byRun = (one: string, other: string): number => runOf(one) - runOf(other);

const answersIn = (folder: string): readonly string[] =>
	orElse(() => readdirSync(folder), []).filter(name => answerPattern.test(name));
