import type {Groups} from './port.ts';

/** `Groups` on SQLite. */
export const createGroups = (): Groups => ({
	nextDueMs: () => undefined,
	dispatchDue: async () => [],
	dispatch: async () => [],
	get: async () => undefined,
	list: async () => [],
	pending: () => 0,
});
