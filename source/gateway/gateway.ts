import {setImmediate} from 'node:timers/promises';
import {createBusy} from '../core/clock.ts';
import {growSlowly} from '../core/program.ts';
import {createBroker} from '../core/reduce.ts';
import {createLocalPort} from './local-port.ts';
import type {GatewayPort} from './port.ts';
import type {GatewayWorld, Rooms} from './rooms.ts';

export type Gateway = {
	readonly port: GatewayPort;
	/**
	 * Resolves when everything runs (the receiver listens, or was refused), or when the shared store cannot be opened yet: the start then goes on in the background. Rejects
	 * with `SvcError` when the gateway cannot start: `gateway_running`, `home_unusable`, `store_unreadable`, `store_too_new`.
	 */
	readonly started: Promise<void>;
	/** Resolves when the gateway has ended because `port.stop()` asked for it. */
	readonly stopped: Promise<void>;
	/** Notes that the interface of this process has left, so that the gateway counts as running in the background. */
	goOnAlone(): void;
	/** Resolves as soon as no run is being looked for or worked on. */
	idle(): Promise<void>;
	/** Drains and ends the gateway. May be called more than once. */
	[Symbol.asyncDispose](): Promise<void>;
};

/** Starts a gateway. Returns at once with a port whose state is `starting`, so that a face can draw before the rooms are loaded; commands wait for the start. */
export function startGateway(world: GatewayWorld): Gateway {
	const {clock, paths, version} = world;
	const broker = createBroker();
	const busy = createBusy();
	let {seat = 'interface'} = world;
	const stopped = Promise.withResolvers<void>();
	broker.emit({
		type: 'gateway-started',
		at: clock.now(),
		pid: process.pid,
		version,
		home: paths.home,
		profile: paths.profile,
	});

	const over = new AbortController();
	let ending: Promise<void> | undefined;
	const end = async () => {
		over.abort();
		broker.emit({type: 'gateway-stopping', at: clock.now()});
		try {
			const rooms = await opening.catch(() => undefined);
			await rooms?.[Symbol.asyncDispose]();
		} finally {
			stopped.resolve();
		}
	};

	const dispose = () => {
		ending ??= end();
		return ending;
	};

	/** Why the store cannot be opened, while the start waits for it. */
	let waiting: string | undefined;
	const isWaiting = Promise.withResolvers<void>();
	const port: GatewayPort = createLocalPort(broker, {
		rooms: async () => opening,
		waiting: () => waiting,
		seat: () => seat,
		stop() {
			// The caller that disposes of the gateway gets the failure.
			dispose().catch(() => {});
		},
	});

	const open = async (): Promise<Rooms> => {
		// Loading the rooms blocks the thread: lets a waiting face draw first.
		await setImmediate();
		const {openRooms} = await import('./open-rooms.ts');
		return openRooms(
			{...world, broker, busy},
			{
				port,
				ending: over.signal,
				onWaiting(reason) {
					waiting = reason;
					if (reason !== undefined) {
						isWaiting.resolve();
					}
				},
			},
		);
	};

	const opening = open();
	const started = (async () => {
		await Promise.race([opening, isWaiting.promise]);
		growSlowly();
	})();
	// After `started` has resolved, no caller would see a failure to open: the gateway ends.
	opening.catch(() => {
		if (waiting !== undefined) {
			port.stop().catch(() => {});
		}
	});
	// A rejection must not end the process of a face that does not await `started`.
	started.catch(() => {});
	return {
		port,
		started,
		stopped: stopped.promise,
		goOnAlone() {
			seat = 'background';
			void opening.then(
				({log}) => {
					log.note('The interface has left; the gateway goes on in the background');
					return undefined;
				},
				() => {},
			);
		},
		idle: () => busy.idle(),
		[Symbol.asyncDispose]: dispose,
	};
}
