import type {Clock} from '../../core/clock.ts';
import type {deliveries as table} from '../contract/deliveries.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {Rooms} from '../rooms.ts';

/** The commands for deliveries of a gateway in this process. */
export const createDeliveryCommands = ({
	clock,
	rooms,
}: {
	readonly clock: Clock;
	readonly rooms: () => Promise<Pick<Rooms, 'store' | 'ids' | 'emit' | 'replays'>>;
}): CommandsOf<typeof table> => ({
	listDeliveries: async filter => (await rooms()).store.journal.list(filter),
	async importDeliveries({deliveries}) {
		const {store, ids, emit} = await rooms();
		const {importDeliveries} = await import('../deliveries/import-deliveries.ts');
		return importDeliveries(deliveries, {clock, ids, intake: store.intake, emit});
	},
	getDelivery: async id => (await rooms()).store.journal.get(id),
	planReplay: async (id, options) => (await rooms()).replays.plan(id, options),
	replay: async (id, options) => (await rooms()).replays.replay(id, options),
});
