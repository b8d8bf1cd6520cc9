import {join} from 'node:path';
import type {HomePaths} from '../config/config.ts';
import {readTextFile} from '../config/read-text-file.ts';
import {writePrivateFile} from '../config/write-private-file.ts';
import {messageOf} from '../core/errors.ts';
import {isJsonObject} from '../core/json.ts';
import type {Logger} from '../core/log.ts';
import {jobIdPattern} from './job.ts';

const maxBytes = 4 * 1024 * 1024;

/** Until when the times of each job of a profile are done with, whichever gateway fired them. */
export type FiredTimes = ReturnType<typeof createFiredTimes>;

/**
 * Keeps `cron/fired.json` (0600) beside the jobs of a profile. The journal belongs to the home of a gateway, the jobs belong to the profile: when another gateway takes
 * the profile over, this tells it what has fired. Only for the holder of the lock of the profile's home; read once.
 */
export function createFiredTimes({
	paths: {cron},
	log,
}: {
	readonly paths: Pick<HomePaths, 'cron'>;
	readonly log: Logger;
}) {
	const path = join(cron, 'fired.json');
	const times = read(path, log);
	let isSaved = true;
	let saidFailing = false;

	return {
		/** Milliseconds since 1970, by whatever clock it was then; `undefined` when unknown. */
		of: (id: string) => times.get(id),
		/** The times of the job up to `until` have fired, or are skipped. On disk after the next `save`. */
		note(id: string, until: number) {
			times.set(id, until);
			isSaved = false;
		},
		/** Writes what was noted, of the jobs that there are (`undefined`: unknown). Never rejects: a failure is logged once and tried again. */
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

/** What cannot be read is not known. */
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
