import type {Config} from '../config/config.ts';
import {looseFiles} from '../config/loose-files.ts';
import type {Logger} from '../core/log.ts';

/** Says which files of the home, and of the profiles beside it, others may read. */
export function warnOfLooseFiles({paths, profiles}: Config, log: Logger): void {
	for (const warning of [paths, ...profiles.others.map(other => other.paths)].flatMap(looseFiles)) {
		log.warn(warning);
	}
}
