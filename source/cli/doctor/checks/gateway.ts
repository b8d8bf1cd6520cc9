import {existsSync} from 'node:fs';
import type {HomePaths} from '../../../config/config.ts';
import {lockHolder} from '../../../core/lock-holder.ts';
import {runningPid} from '../../../gateway/control/lock.ts';
import {storeRows} from '../../../nouns/store.ts';
import {type Check, failed, failedOfStore, type CheckResult, ok, warning} from './check.ts';

/** Whether a gateway runs, its version, and leftovers of a dead one. */
export const gateway: Check = {
	subject: 'gateway',
	look({gateway: seen, paths, context}) {
		switch (seen.kind) {
			case 'silent':
				return failed(
					seen.reason,
					`kill ${runningPid(paths) ?? 'that process'}, then: svc gateway`,
				);
			case 'running': {
				const {status} = seen;
				const {pid, version, api, restart_needed: keys, journal_failing: failing} = status;
				const isShared = status.store?.kind === 'postgres';
				const isAway = isShared && failing !== null;
				return [
					version === context.version
						? ok(`process ${pid} runs, version ${version}`)
						: warning(
								`process ${pid} runs version ${version}, this is ${context.version}`,
								'svc gateway stop; svc gateway',
							),
					'refused' in api &&
						(isAway ? failedOfStore : failed)(
							`the chat API is not served: ${api.refused}`,
							'another api.port in config.yaml, or api.enabled: false; for keys see "journal"',
						),
					keys.length > 0 &&
						warning(`a restart is needed for ${keys.join(', ')}`, 'svc gateway stop; svc gateway'),
					failing !== null &&
						(isShared
							? failedOfStore(`its store cannot be used: ${failing}`, 'see "store"')
							: failed(`its journal cannot be written: ${failing}`, 'see "disk" and "journal"')),
					...storeRows(status, context.clock.now())
						.filter(({name, tone}) => name !== 'store' && tone === 'warn')
						.map(({name, text, help}) => warning(`${name}: ${text}`, help)),
				];
			}
			case 'none':
				return [ok(seen.elsewhere ?? 'none runs'), leftOf(paths)];
		}
	},
};

/** Leftovers of a dead gateway in `run/`. The kernel releases locks with their process, so they do not prevent the next start. */
function leftOf({lockFile, pidFile, socket}: HomePaths): CheckResult | false {
	const holder = lockHolder(lockFile);
	if (holder !== undefined) {
		return failed(
			`process ${holder} holds the lock of the home ("${lockFile}") and does not answer`,
			`kill ${holder}, then: svc gateway`,
		);
	}

	const pid = runningPid({pidFile});
	return (
		(pid !== undefined || existsSync(socket)) &&
		warning(
			`a gateway${pid === undefined ? '' : ` (process ${pid})`} ended without leaving: what it left in run/ does no harm, the next start goes on from the journal`,
			'svc gateway',
		)
	);
}
