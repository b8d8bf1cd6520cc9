import type {groups as table} from '../contract/groups.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {Rooms} from '../rooms.ts';

/** The commands for groups of a gateway in this process. */
export const createGroupCommands = (
	rooms: () => Promise<Pick<Rooms, 'store' | 'groups'>>,
): CommandsOf<typeof table> => ({
	listGroups: async filter => (await rooms()).store.groups.list(filter),
	getGroup: async id => (await rooms()).store.groups.get(id),
	dispatchGroup: async id => (await rooms()).groups.dispatch(id),
});
