import type {Broker} from '../core/broker.ts';
import type {Clock} from '../core/clock.ts';
import {createApprovalCommands} from './commands/approval-commands.ts';
import {createDeliveryCommands} from './commands/delivery-commands.ts';
import {createGatewayCommands} from './commands/gateway-commands.ts';
import {createGroupCommands} from './commands/group-commands.ts';
import {createHistoryCommands} from './commands/history-commands.ts';
import {createInstallCommands} from './commands/install-commands.ts';
import {createJobCommands} from './commands/job-commands.ts';
import {createKeyCommands} from './commands/key-commands.ts';
import {createRouteCommands} from './commands/route-commands.ts';
import {createRouteEditorCommands} from './commands/route-editor-commands.ts';
import {createRunCommands} from './commands/run-commands.ts';
import {createServerCommands} from './commands/server-commands.ts';
import {createSessionCommands} from './commands/session-commands.ts';
import {createSetupCommands} from './commands/setup-commands.ts';
import type {GatewayPort} from './port.ts';
import type {Rooms, Seat} from './rooms.ts';

/** The port of a gateway in this process. Commands wait until the rooms are open, and reject as the start did when they never are. */
export function createLocalPort({
	clock,
	broker,
	seat,
	rooms,
	stop,
}: {
	readonly clock: Clock;
	readonly broker: Broker;
	readonly seat: () => Seat;
	readonly rooms: () => Promise<Rooms>;
	readonly stop: () => void;
}): GatewayPort {
	const getState = () => broker.getState();
	return {
		...createDeliveryCommands({clock, rooms}),
		...createRunCommands(rooms),
		...createGroupCommands(rooms),
		...createJobCommands(rooms),
		...createApprovalCommands(rooms),
		...createKeyCommands(clock, async () => {
			const {api, live} = await rooms();
			return {desk: await api.keys(), prefix: live.current().api.keyPrefix};
		}),
		...createSessionCommands(async () => {
			const {api, store} = await rooms();
			return {desk: api.sessions, chat: api.chat, sessions: store.sessions};
		}),
		...createServerCommands({clock, rooms}),
		...createHistoryCommands({clock, rooms}),
		...createInstallCommands({clock, rooms}),
		...createRouteCommands({clock, getState, rooms}),
		...createRouteEditorCommands({clock, getState, rooms}),
		...createSetupCommands({clock, rooms}),
		...createGatewayCommands({clock, getState, seat, rooms, stop}),
		embedded: true,
		getState,
		subscribe: listener => broker.subscribe(listener),
		async [Symbol.asyncDispose]() {
			// The gateway is this process: whoever started it ends it.
		},
	};
}
