import {mkdirSync, readdirSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {writePrivateFile} from '../config/write-private-file.ts';
import {SvcError} from '../core/errors.ts';
import {orElse} from '../core/or-else.ts';
import {jobIdPattern} from './job.ts';

/** Answers that are kept of each job. */
const maxAnswers = 50;

const answerPattern = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-run(\d+)\.md$/;

/**
 * Keeps the answer of a run of a job as `output/<job>/<time>-run<id>.md` (0600) below `cron`, the folder of its profile, and only the newest 50 of the job. `at` is
 * milliseconds since 1970. The path.
 *
 * @throws SvcError `job_invalid` for an identifier that is none; what the file system says when it cannot write
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
 * What goes for the answer that was just written under the name `latest`. Names begin with their time, which counts while that one is the last by it: another journal
 * may have begun to count runs anew. Otherwise the clock went back, and the numbers count.
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
