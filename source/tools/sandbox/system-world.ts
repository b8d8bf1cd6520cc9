import {lstatSync, readlinkSync, realpathSync, statSync} from 'node:fs';
import {userInfo} from 'node:os';
import type {PlanWorld} from './plan.ts';

/** What plans are made from, as this machine has it. */
export function systemWorld(
	homes: Pick<PlanWorld, 'userHome' | 'svcHome' | 'profileHome' | 'environment'>,
): PlanWorld {
	const {uid, gid} = userInfo();
	return {
		...homes,
		uid,
		gid,
		find(path) {
			try {
				// Most of them are not there, and an exception takes longer than a look.
				const stats = statSync(path, {throwIfNoEntry: false});
				if (!stats) {
					return undefined;
				}

				const real = realpathSync.native(path);
				return {
					real,
					kind: stats.isDirectory()
						? 'folder'
						: stats.isFile()
							? 'file'
							: stats.isSocket()
								? 'socket'
								: 'other',
				};
			} catch {
				return undefined;
			}
		},
		linkOf(path) {
			try {
				return lstatSync(path, {throwIfNoEntry: false})?.isSymbolicLink()
					? readlinkSync(path)
					: undefined;
			} catch {
				return undefined;
			}
		},
	};
}
