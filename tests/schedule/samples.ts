import {mkdirSync, rmSync, statSync, utimesSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {JsonObject} from '../../source/core/json.ts';
import type {LogFields, Logger} from '../../source/core/log.ts';
import {interpretJob, type JobDefinition} from '../../source/schedule/job.ts';
import {temporaryFolder} from '../store/samples.ts';

/** When the tests of this room begin: a Friday, milliseconds since 1970. */
export const startMs = Date.parse('2026-11-20T12:00:00Z');

let counter = 0;

/** An identifier of its own. */
export const jobId = (): string => `job_${(counter++).toString(36).padStart(8, '0')}`;

/** An entry of `jobs.json`. */
export const sampleEntry = (overrides: JsonObject = {}) => ({
	id: jobId(),
	name: 'digest',
	schedule: '0 9 * * *',
	time_zone: 'UTC',
	prompt: 'Sum up the day',
	...overrides,
});

/** The job of an entry. */
export function sampleJob(overrides: JsonObject = {}): JobDefinition {
	const interpreted = interpretJob(sampleEntry(overrides), 0);
	if (!interpreted.ok) {
		throw new Error(interpreted.job.problem);
	}

	return interpreted.job;
}

/** The folders of a profile, gone with the scope. Time stamps of the file differ with every write, however fast writes follow each other. */
export function sampleProfile() {
	const folder = temporaryFolder();
	const paths = {cron: join(folder.path, 'cron'), run: join(folder.path, 'run')};
	const file = join(paths.cron, 'jobs.json');
	mkdirSync(paths.cron);
	let writtenAt = 1_000_000;
	return {
		...folder,
		paths,
		file,
		writeText(text: string) {
			mkdirSync(dirname(file), {recursive: true});
			writeFileSync(file, text);
			writtenAt += 1;
			utimesSync(file, writtenAt, writtenAt);
		},
		writeJobs(...entries: readonly JsonObject[]) {
			this.writeText(JSON.stringify({jobs: entries}));
		},
		remove() {
			rmSync(file);
		},
		mode: () => statSync(file).mode & 0o777,
	};
}

export type SampleProfile = ReturnType<typeof sampleProfile>;

/** A logger that keeps what it is told. */
export function recordingLogger() {
	const lines: string[] = [];
	const say =
		(level: string) =>
		(message: string, fields: LogFields = {}) => {
			lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
		};
	const log: Logger = {
		debug: say('debug'),
		info: say('info'),
		note: say('note'),
		warn: say('warn'),
		error: say('error'),
		from: () => log,
	};
	return {log, lines};
}
