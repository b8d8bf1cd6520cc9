import {statSync} from 'node:fs';
import {codeOf} from '../core/errors.ts';

export type FileStamp = {
	/** Another one when the file must be read again: it is made of modification time (ns), size and inode. */
	readonly stamp: string;
	/** Modification time in milliseconds since 1970; 0 when there is no file. */
	readonly changedAt: number;
};

/** What tells one state of a file from another, for one `stat`. A file that is missing, or cannot be looked at, has a stamp too. Never throws. */
export function stampOf(path: string): FileStamp {
	try {
		const stats = statSync(path, {bigint: true, throwIfNoEntry: false});
		return stats
			? {
					stamp: `${stats.mtimeNs} ${stats.size} ${stats.ino}`,
					changedAt: Number(stats.mtimeMs),
				}
			: {stamp: 'none', changedAt: 0};
	} catch (error) {
		return {stamp: codeOf(error), changedAt: 0};
	}
}
