import {readlinkSync, realpathSync, statSync} from 'node:fs';
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
				const real = realpathSync.native(path);
				const stats = statSync(real);
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
				return readlinkSync(path);
			} catch {
				return undefined;
			}
		},
	};
}
