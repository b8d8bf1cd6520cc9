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
 * Keeps `cron/fired.json` (0600) beside the jobs of a profile. The journal belongs to the home of a gateway, the jobs belong to the profile: a gateway that takes
 * the profile over learns here what has fired. Only for the holder of the lock of the profile's home; read once.
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
		/** Milliseconds since 1970, by the clock of that time; `undefined` when unknown. */
		of: (id: string) => times.get(id),
		/** The times of the job up to `until` have fired, or are skipped. On disk after the next `save`. */
		note(id: string, until: number) {
			times.set(id, until);
			isSaved = false;
		},
		/** Writes the noted times of the existing jobs (`undefined`: unknown). Never rejects: a failure is logged once and tried again. */
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

/** Entries that cannot be read are left out. */
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

/** Calls of a journal that may fail for a while, to keep the schedule of jobs. */
export function createAttempts(log: Logger) {
	let failed = false;
	let succeeded = false;
	let said = false;
	return {
		/** The result of `action`; `undefined` when it failed. Logs the first failure, until a round without failures. */
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
		/** Begins a round. */
		begin() {
			failed = false;
			succeeded = false;
		},
		/** Ends the round; whether nothing failed. */
		end(): boolean {
			if (said && succeeded && !failed) {
				said = false;
				log.note('The schedule of jobs is kept again');
			}

			return !failed;
		},
	};
}

/** Answers that are kept of each job. */
const maxAnswers = 50;

const answerPattern = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-run(\d+)\.md$/;

/**
 * Keeps the answer of a run of a job as `output/<job>/<time>-run<id>.md` (0600) below `cron`, the folder of its profile, and only the newest 50 of the job. `at` is
 * milliseconds since 1970. The path.
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
	// Colons are no part of a file name everywhere.
	const time = `${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
	const path = join(folder, `${time}-run${run}.md`);
	await writePrivateFile(path, text.endsWith('\n') ? text : `${text}\n`);
	const surplus = surplusBeside(basename(path), answersIn(folder));
	await Promise.all(surplus.map(async name => rm(join(folder, name), {force: true})));
	return path;
}

/** Path of the newest answer that is kept of a job, if any. */
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
 * The answers to remove after `latest` was written. Names begin with their time, which gives the order while `latest` is the last by time: another journal
 * may have begun to count runs anew. Otherwise the clock went back, and the numbers of the runs give it.
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
