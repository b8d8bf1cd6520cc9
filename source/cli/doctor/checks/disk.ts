import {existsSync} from 'node:fs';
import {statfs} from 'node:fs/promises';
import {dirname} from 'node:path';
import {type Check, failed, type Found, ok, warning} from './check.ts';

const mib = 1024 ** 2;

/** Room where the journal grows. */
export const disk: Check = {
	subject: 'disk',
	async look({paths: {home}}) {
		// The first start makes it.
		let folder = home;
		while (!existsSync(folder) && dirname(folder) !== folder) {
			folder = dirname(folder);
		}

		const {bavail, bsize, files, ffree} = await statfs(folder);
		return [healthOfDisk({freeBytes: bavail * bsize, files, freeFiles: ffree}, home)];
	},
};

/** Pure. */
export function healthOfDisk(
	{
		freeBytes,
		files,
		freeFiles,
	}: {readonly freeBytes: number; readonly files: number; readonly freeFiles: number},
	home: string,
): Found {
	const free =
		freeBytes >= 1024 * mib
			? `${Math.floor(freeBytes / mib / 1024)} GiB`
			: `${Math.floor(freeBytes / mib)} MiB`;
	const found = `${free} free for ${home}`;
	const mend = 'free some, or remove what is old: retention in config.yaml, svc help guarantees';
	// File systems without such a number say 0 of 0.
	if (freeBytes < 50 * mib || (files > 0 && freeFiles < 100)) {
		return failed(
			files > 0 && freeFiles < 100 ? `no more files fit on the disk of ${home}` : found,
			mend,
		);
	}

	return freeBytes < 512 * mib ? warning(found, mend) : ok(found);
}
