import type {Jobs} from './port.ts';

/** `Jobs` on SQLite. */
export const createJobs = (): Jobs => ({
	list: async () => [],
	async plan() {},
	fire: async () => ({kind: 'stale'}),
	async forget() {},
});
