import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import type {GatewayState} from '../../core/state.ts';
import type {gateway as table} from '../contract/gateway.ts';
import type {CommandsOf} from '../contract/operation.ts';
import type {Rooms, Seat} from '../rooms.ts';

/** The commands for the gateway of this process as a whole. `stop` begins its end and returns. */
export const createGatewayCommands = ({
	clock,
	getState,
	seat,
	rooms,
	stop,
}: {
	readonly clock: Clock;
	readonly getState: () => GatewayState;
	readonly seat: () => Seat;
	readonly rooms: () => Promise<Rooms>;
	readonly stop: () => void;
}): CommandsOf<typeof table> => ({
	async status() {
		const opened = await rooms();
		const {gatewayStatus} = await import('../status/gateway-status.ts');
		return gatewayStatus({state: getState(), seat: seat()}, opened);
	},
	async useModel(provider) {
		const {live} = await rooms();
		const offer = getState().modelOffer;
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
			{clock},
		);
		await live.reload();
	},
	async reload() {
		const {live, jobs} = await rooms();
		await Promise.all([live.reload(), jobs.changed()]);
	},
	restartReceiver: async () => (await rooms()).receiver.restart(),
	async stopConsequences() {
		const {store} = await rooms();
		const [{active, queued}, pendingGroups] = await Promise.all([
			store.runs.counts(),
			store.groups.pending(),
		]);
		return {activeRuns: active, queuedRuns: queued, pendingGroups};
	},
	async stop() {
		stop();
	},
});
