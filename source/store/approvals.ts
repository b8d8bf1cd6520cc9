import type {DatabaseSync} from 'node:sqlite';
import {createApprovalReader} from './approval-reader.ts';
import {createApprovalSteps} from './approval-steps.ts';
import type {GroupCommit} from './group-commit.ts';
import type {StoredApprovals} from './port.ts';

/** `StoredApprovals` on SQLite. `now`: when the store was opened, milliseconds since 1970. */
export function createApprovals(
	database: DatabaseSync,
	{commit, now}: {readonly commit: GroupCommit; readonly now: number},
): StoredApprovals {
	const steps = createApprovalSteps(database);
	database.exec('begin immediate');
	const abandoned = steps.recover(now);
	database.exec('commit');
	return {
		...createApprovalReader(database),
		abandoned,
		add: async approval => commit.write(() => steps.add(approval)),
		settle: async (approval, rule) => commit.write(() => steps.settle(approval, rule)),
		lastAllowed: async tool => steps.lastAllowed(tool),
		async removeRules(ids) {
			await commit.write(() => {
				steps.removeRules(ids);
			});
		},
	};
}
