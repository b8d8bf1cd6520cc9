import type {Clock} from '../core/clock.ts';
import type {GroupCommit} from './group-commit.ts';
import type {JobSteps} from './job-steps.ts';
import type {Jobs} from './port.ts';

/** `Jobs` on SQLite. */
export const createJobs = ({
	clock,
	commit,
	steps,
	reader,
}: {
	readonly clock: Clock;
	readonly commit: GroupCommit;
	readonly steps: JobSteps;
	readonly reader: Pick<Jobs, 'list' | 'get'>;
}): Jobs => ({
	list: reader.list,
	get: reader.get,
	async plan(job, next) {
		await commit.write(() => {
			steps.plan(job, next);
		});
	},
	fire: async entry => commit.write(() => steps.fire(entry, clock.now())),
	async forget(job) {
		await commit.write(() => {
			steps.forget(job);
		});
	},
});
