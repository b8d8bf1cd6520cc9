import {SvcError} from '../core/errors.ts';
import type {Broker} from '../core/reduce.ts';
import {hasEnded} from '../core/run.ts';
import type {GatewayState} from '../core/state.ts';
import {createChatChanges} from './commands/chat-commands.ts';
import {createGatewayCommands} from './commands/gateway-commands.ts';
import {createInstallCommands} from './commands/install-commands.ts';
import {createKeyCommands} from './commands/key-commands.ts';
import {createReadCommands} from './commands/read-commands.ts';
import {createRouteCommands} from './commands/route-commands.ts';
import {createRouteEditorCommands} from './commands/route-editor-commands.ts';
import {createServerCommands} from './commands/server-commands.ts';
import {createSetupCommands} from './commands/setup-commands.ts';
import {createWorkCommands} from './commands/work-commands.ts';
import type {GatewayCommands, GatewayPort} from './port.ts';
import type {Rooms, Seat} from './rooms.ts';

/** The port of a gateway in this process. Commands wait until the rooms are open; if the start fails, they reject with its error. */
export function createLocalPort(
	broker: Broker,
	options: {
		readonly rooms: () => Promise<Rooms>;
		/** Why the rooms are not open while the start waits for the store; commands are then refused with this reason. */
		readonly waiting: () => string | undefined;
		readonly seat: () => Seat;
		/** Starts ending the gateway and returns. */
		readonly stop: () => void;
	},
): GatewayPort {
	const {rooms: opened, waiting: whyWaiting, seat, stop} = options;
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- filled before a command is called; none looks at a room before that
	const rooms = {} as Rooms;
	const commands: Omit<GatewayCommands, 'stop'> = {
		...createReadCommands(rooms, () => nodesOfRuns(broker.getState(), rooms.cluster.node)),
		...createWorkCommands(rooms),
		...createKeyCommands(rooms),
		deleteSession: async id => rooms.api.sessions.remove(id),
		sendChat: async said => rooms.api.chat.say(said),
		...createChatChanges(rooms),
		...createServerCommands(rooms),
		...createInstallCommands(rooms),
		...createRouteCommands(rooms),
		...createRouteEditorCommands(rooms),
		...createSetupCommands(rooms),
		...createGatewayCommands(rooms, seat),
	};
	const statusOf = async (reason: string) => {
		const {waitingStatus} = await import('./status/gateway-status.ts');
		return waitingStatus(broker.getState(), {reason, seat: seat()});
	};

	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each keeps the type of the command that it waits for
	const waiting = Object.fromEntries(
		Object.entries<(...args: never[]) => unknown>(commands).map(([name, command]) => [
			name,
			async (...args: never[]) => {
				const reason = whyWaiting();
				if (reason !== undefined) {
					return name === 'status' ? statusOf(reason) : refuse(reason);
				}

				Object.assign(rooms, await opened());
				return command(...args);
			},
		]),
	) as unknown as GatewayCommands;
	return {
		...waiting,
		async stop() {
			stop();
		},
		embedded: true,
		getState: broker.getState,
		subscribe: broker.subscribe,
		async [Symbol.asyncDispose]() {
			// Nothing to detach from: the gateway runs in this process, which ends it.
		},
	};
}

function refuse(reason: string): never {
	throw new SvcError('journal_unavailable', reason);
}

/** The names of the members that work, or worked, on runs, as far as their events have been received. */
const nodesOfRuns = (
	{runs, cluster = []}: GatewayState,
	own: string,
): ReadonlyMap<number, string> =>
	new Map(
		cluster.length < 2
			? []
			: runs.flatMap(({id, state, node = hasEnded(state) ? undefined : own}) =>
					node === undefined ? [] : [[id, node]],
				),
	);
