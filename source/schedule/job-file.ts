import type {HomePaths} from '../config/config.ts';
import {placed} from '../config/format-diagnostic.ts';
import {createJsonPlacer} from '../config/json-source.ts';
import {createLastGoodReader, type LastGood} from '../config/keep-last-good.ts';
import {placelessIn} from '../config/place-diagnostic.ts';
import {jobsText} from '../config/text-files.ts';
import type {Diagnostic} from '../core/config-view.ts';
import {messageOf, SvcError} from '../core/errors.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import type {World} from '../core/world.ts';
import {interpretJob, invalid, type JobEntry} from './job.ts';

/** The jobs of one profile. A change of the file makes a new object. */
export type JobSet = LastGood & {
	/** In the order of the file. */
	readonly entries: readonly JobEntry[];
	/** Whether `entries` are all jobs: the file exists, is not blank, and could be read. */
	readonly complete: boolean;
};

export type JobsReader = ReturnType<typeof createJobsReader>;

/** The file, or database, with the jobs of a profile, for messages. */
export const jobsFile = (paths: Pick<HomePaths, 'cron' | 'shared'>): string => jobsText(paths).name;

/**
 * Reads `cron/jobs.json` of a profile, again whenever modification time, size or inode of the file changed. A file that cannot be used (more than 4 MiB, not `{"jobs":
 * […]}`) is reported once to `log`, and the last good jobs stay; a missing or blank file has no jobs. An invalid entry is reported with its position and does not affect
 * the others; its last good version, if any, stays in use. `current`: the present jobs; a call without a change costs one `stat`; never throws.
 */
export function createJobsReader(
	world: Pick<World, 'clock' | 'log'> & {readonly paths: Pick<HomePaths, 'cron' | 'shared'>},
) {
	const {log, paths} = world;
	const written = jobsText(paths);
	const path = written.name;
	/** Entries by their JSON, so that only changed ones of thousands are interpreted again. */
	let known = new Map<string, JobEntry>();

	/** Positions of entries in `text`. Rows of a database have no lines: the identifier of the job is used. */
	const place = (text: string): Place => {
		const inRows = placelessIn(path);
		const inFile = createJsonPlacer(path, text);
		return ({job}, index) => {
			const {problem: message} = job;
			return paths.shared
				? inRows({path: [job.id], message})
				: inFile({path: ['jobs', index], message});
		};
	};

	const interpret = (text: string, last: JobSet): readonly JobEntry[] => {
		const entries = entriesOf(parseJobs(text, path));
		const next = new Map<string, JobEntry>();
		const all = entries.map((entry, index) => {
			const key = JSON.stringify(entry);
			const before = known.get(key);
			// The message about an invalid entry depends on its position, so it is made again.
			const interpreted = before?.ok ? before : interpretJob(entry, index);
			next.set(key, interpreted);
			return interpreted;
		});
		const isNew = (index: number) => !known.has(JSON.stringify(entries[index]));
		const result = withLastGood(
			withPlaces(withoutRepeatedIds(all, entries), place(text)),
			last.entries,
		);
		for (const [index, entry] of result.entries()) {
			if (entry.at && isNew(index)) {
				log.warn(
					entry.ok ? `${entry.stale}; its last good version stays in use` : entry.job.problem,
				);
			}
		}

		known = next;
		return result;
	};

	return createLastGoodReader<JobSet>(written, world, {
		first: {entries: [], complete: false},
		absent: '',
		read: (text, last) => ({entries: interpret(text, last), complete: text.trim() !== ''}),
		failed: {complete: false},
		consequence: wasRead => (wasRead ? 'the last good jobs stay in place' : 'no job of it fires'),
	});
}

type Place = (entry: JobEntry & {readonly ok: false}, index: number) => Diagnostic;

/** Adds their position to invalid entries. */
const withPlaces = (entries: readonly JobEntry[], place: Place): readonly JobEntry[] =>
	entries.map((entry, index) => {
		if (entry.ok) {
			return entry;
		}

		const at = place(entry, index);
		return {...entry, job: {...entry.job, problem: placed(at, entry.job.problem)}, at};
	});

/** Replaces an invalid entry by the last good job with its identifier. */
function withLastGood(
	entries: readonly JobEntry[],
	before: readonly JobEntry[],
): readonly JobEntry[] {
	const good = new Map(before.flatMap(({ok, job}) => (ok ? [[job.id, job] as const] : [])));
	const taken = new Set(entries.flatMap(({ok, job}) => (ok ? [job.id] : [])));
	return entries.map(entry => {
		const job = good.get(entry.job.id);
		if (entry.ok || !job || taken.has(job.id)) {
			return entry;
		}

		taken.add(job.id);
		return {ok: true, job, stale: entry.job.problem, ...(entry.at && {at: entry.at})};
	});
}

/** Makes the later one of two entries with one identifier invalid: references to it would be ambiguous. */
function withoutRepeatedIds(
	all: readonly JobEntry[],
	entries: readonly JsonValue[],
): readonly JobEntry[] {
	const seen = new Set<string>();
	return all.map((entry, index) => {
		if (!entry.ok || !seen.has(entry.job.id)) {
			seen.add(entry.job.id);
			return entry;
		}

		const says = `cannot be used: id ${entry.job.id} is that of another job above`;
		const written = entries[index] ?? null;
		return invalid({...(isJsonObject(written) && written), id: ''}, {index, says});
	});
}

/**
 * The object in the text of a jobs file; blank text means no jobs.
 *
 * @throws SvcError `jobs_broken`
 */
export function parseJobs(text: string, path: string): JsonObject {
	if (text.trim() === '') {
		return {jobs: []};
	}

	const value = parseJson(text, path);
	if (!isJsonObject(value) || !Array.isArray(value['jobs'])) {
		throw new SvcError(
			'jobs_broken',
			`Cannot use "${path}": it must hold one JSON object with a list under "jobs"`,
		);
	}

	return value;
}

/** The entries of an object from `parseJobs`. */
export const entriesOf = ({jobs}: JsonObject): readonly JsonValue[] =>
	Array.isArray(jobs) ? jobs.map((entry: JsonValue) => entry) : [];

function parseJson(text: string, path: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		// The engine's message quotes the text around the error, which may contain anything.
		const [position = ''] = /at position \d+/.exec(messageOf(error)) ?? [];
		throw new SvcError('jobs_broken', `Cannot use "${path}": it is not JSON ${position}`.trimEnd());
	}
}
