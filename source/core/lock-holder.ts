import {readFileSync, statSync} from 'node:fs';

/** The id of another process that holds a lock on the file at `path`, if the system reports it (Linux does). The id may be one of another PID namespace. */
export function lockHolder(path: string): number | undefined {
	try {
		return lockersOf(statSync(path), readFileSync('/proc/locks', 'utf8')).find(
			pid => pid !== process.pid,
		);
	} catch {
		return undefined;
	}
}

/**
 * The processes with a lock on a file, from `/proc/locks`, which names files `major:minor:inode` (hex, hex, decimal).
 * The device must match, too: inode numbers repeat across file systems.
 *
 * @see proc_locks(5), makedev(3)
 */
export function lockersOf(
	{dev, ino}: {readonly dev: number; readonly ino: number},
	locks: string,
): readonly number[] {
	const device = BigInt(dev);
	const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
	const minor = (device & 0xffn) | ((device >> 12n) & 0xff_ff_ff_00n);
	const found = locks.matchAll(
		/ (?:READ|WRITE) (?<pid>[1-9]\d*) (?<major>[\da-f]+):(?<minor>[\da-f]+):(?<inode>\d+) /g,
	);
	return [...found]
		.filter(
			({groups = {}}) =>
				Number(groups['inode']) === ino &&
				BigInt(`0x${groups['major']}`) === major &&
				BigInt(`0x${groups['minor']}`) === minor,
		)
		.map(({groups}) => Number(groups?.['pid']));
}
