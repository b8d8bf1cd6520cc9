import {SvcError} from '../../core/errors.ts';
import type {gateway as table} from '../contract/gateway.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {Rooms, Seat} from '../rooms.ts';

/** The commands for the gateway as a whole, except `stop`. */
export const createGatewayCommands = (
	rooms: Rooms,
	seat: () => Seat,
): Omit<CommandsOf<typeof table>, 'stop'> => ({
	async status() {
		const {gatewayStatus} = await import('../status/gateway-status.ts');
		return gatewayStatus({state: rooms.broker.getState(), seat: seat()}, rooms);
	},
	async useModel(provider) {
		const {live} = rooms;
		const offer = rooms.broker.getState().modelOffer;
		if (offer?.provider !== provider) {
			throw new SvcError(
				'model_not_offered',
				`Cannot use provider "${provider}": it was not offered`,
			);
		}

		const {editConfig} = await import('../../config/edit-config.ts');
		await editConfig(
			live.current().paths,
			[
				{path: ['model', 'provider'], value: offer.provider},
				{path: ['model', 'name'], value: offer.name},
			],
			rooms,
		);
		await live.reload();
	},
	async reload() {
		await Promise.all([rooms.live.reload(), rooms.jobs.changed()]);
	},
	restartReceiver: async () => rooms.receiver.start(),
	async stopConsequences() {
		const {store, cluster} = rooms;
		const [{active, queued}, pendingGroups] = await Promise.all([
			store.runs.counts(),
			store.groups.pending(),
		]);
		return {
			activeRuns: active,
			queuedRuns: queued,
			pendingGroups: cluster.hasOthers() ? 0 : pendingGroups,
		};
	},
});
