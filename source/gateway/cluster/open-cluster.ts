import {sleep, createTimer} from '../../core/clock.ts';
import {createListeners} from '../../core/derive.ts';
import {messageOf} from '../../core/errors.ts';
import type {Emit, GatewayEvent} from '../../core/events.ts';
import type {Sealer} from '../../core/seal.ts';
import type {Member, StoreNote, TakenOver} from '../../store/shared-port.ts';
import type {RoomWorld, StoreWait} from '../rooms.ts';
import {type Calls, createCalls} from './calls.ts';
import {configMarks} from './config-marks.ts';
import {createMembersReport, goesOn, type Members, watchMembers} from './members.ts';
import {type AloneWork, holdAlone} from './one-holder.ts';
import {readAgain} from './read-again.ts';
import {createRelay} from './relay.ts';

/** Shortest time between two reads of the store for missed notes, milliseconds. */
const readAgainMs = 2000;
/** Delay between two attempts of `read`, milliseconds. */
const againMs = 1000;

const beatMs = 10_000;

/** The gateways on one store, as a room sees them. A store that is not shared has one: it sends no notes, makes no calls and waits for nobody. */
export type GatewayCluster = AsyncDisposable &
	Pick<Calls, 'call' | 'serve'> &
	Pick<Members, 'look' | 'differences' | 'leave'> & {
		readonly isShared: boolean;
		/** `Shared.owner` of this gateway. */
		readonly owner: string;
		/** The name of this gateway. */
		readonly node: string;
		/** The members as of the last successful read, including this one. */
		members(): readonly Member[];
		/** Whether there are other live members that are not stopping themselves. */
		hasOthers(): boolean;
		/** Sends an event to the other members; `undefined` when the store is not shared. */
		readonly tell?: Emit;
		/** Calls `listener` with events of another member and its `Shared.owner`, which is empty for events read from the store. `listener` must not throw. */
		onHeard(listener: (events: readonly GatewayEvent[], from: string) => void): void;
		/** Calls `listener` with work of dead members that this one took over. `listener` must not throw. */
		onTaken(listener: (taken: TakenOver) => void): void;
		/** Calls `listener` when notes may have been missed, so that it reads again what depends on them. `listener` must not throw. */
		onMissed(listener: () => void): void;
		/** Calls `listener` with every note on the store, including those of this member. */
		onNote(listener: (note: StoreNote) => void): void;
		/** Whether calls between members are encrypted in the store. */
		isSealed(): boolean;
		/**
		 * Runs `work` whenever this member holds the lease `name`; resolves after the first attempt to get it. Failures are logged; rejects only if the store is not shared and
		 * `start` rejects.
		 */
		holdAlone(name: string, work: AloneWork): Promise<AsyncDisposable>;
		/** Reads data that a room needs; on a shared store retries until it succeeds. @throws the reason of `ending`; on a store that is not shared, what `read` throws */
		read<Value>(read: () => Promise<Value>): Promise<Value>;
		/** Publishes that this member's configuration, or a file that belongs to it, has changed. */
		changed(): void;
		/** Called once when the cluster is left. */
		onLeaving(end: () => void): void;
	};

type ClusterWorld = Pick<RoomWorld, 'broker' | 'clock' | 'log' | 'store' | 'version'> & {
	readonly live: Pick<RoomWorld['live'], 'current'>;
};

type ClusterOptions = StoreWait & {
	readonly isShared: boolean;
	readonly node: string;
	/** Encrypts calls between members; `undefined` without a key. */
	readonly sealer: () => Sealer | undefined;
};

export function openCluster(world: ClusterWorld, options: ClusterOptions): GatewayCluster {
	return options.isShared ? joinCluster(world, options) : aloneIn(world, options);
}

function joinCluster(
	{clock, log, store, broker, live, version}: ClusterWorld,
	{node, ending, onWaiting, sealer}: ClusterOptions,
): GatewayCluster {
	const stack = new AsyncDisposableStack();
	const heard = createListeners<[events: readonly GatewayEvent[], from: string]>();
	const taken = createListeners<[TakenOver]>();
	const missed = createListeners<[]>();
	const hear = (events: readonly GatewayEvent[], from: string) => {
		for (const event of events) {
			broker.emit(event);
		}

		heard.tell(events, from);
	};

	const again = stack.use(createTimer(clock));
	/** Schedules a read of the store, which covers everything missed until then; one read at a time. */
	const lookAgain = () => {
		if (!again.isFree()) {
			return;
		}

		again.set(readAgainMs, () => {
			const told = {
				getState: () => broker.getState(),
				emit: (event: GatewayEvent) => hear([event], ''),
			};
			void readAgain({store, broker: told, clock}).catch((error: unknown) => {
				log.debug(`Cannot read again what other gateways did: ${messageOf(error)}`);
				lookAgain();
			});
			missed.tell();
		});
	};

	const relay = stack.use(
		createRelay(
			{clock, events: store.events, owner: store.owner, node},
			{hear, onMissed: lookAgain},
		),
	);
	const calls = stack.use(
		createCalls({clock, log, events: store.events, owner: store.owner, node, sealer}),
	);
	const members = stack.use(
		watchMembers(
			{clock, log, store},
			{
				marks: () => configMarks(live.current()),
				version,
				onRead: createMembersReport({clock, broker}),
				onBack: lookAgain,
				onTaken: taken.tell,
			},
		),
	);
	void members.look();
	// Covers what happened since the history was read.
	lookAgain();
	return {
		isShared: true,
		owner: store.owner,
		node,
		members: members.list,
		look: members.look,
		differences: members.differences,
		hasOthers: () => members.list().some(member => goesOn(member) && member.owner !== store.owner),
		leave: async () => members.leave(),
		tell: event => relay.tell(event),
		onHeard: heard.subscribe,
		onTaken: taken.subscribe,
		onMissed: missed.subscribe,
		onNote: listener => stack.defer(store.events.subscribe(listener)),
		isSealed: () => sealer() !== undefined,
		call: async (name, input, to) => calls.call(name, input, to),
		serve: (name, handler) => calls.serve(name, handler),
		async holdAlone(name, work) {
			const holder = holdAlone({clock, log}, store.leases(name), work);
			await holder.looked;
			return holder;
		},
		async read(read) {
			for (let said: string | undefined; ;) {
				try {
					// oxlint-disable-next-line no-await-in-loop -- one try after the other
					const value = await read();
					if (said !== undefined) {
						onWaiting(undefined);
					}

					return value;
				} catch (error) {
					const text = messageOf(error);
					if (text !== said) {
						said = text;
						log.warn(`Waits for the store: ${text}`);
						onWaiting(text);
					}
				}

				// oxlint-disable-next-line no-await-in-loop -- a pause between two tries
				await sleep(clock, againMs, ending);
			}
		},
		changed: () => members.describe(),
		onLeaving: end => stack.defer(end),
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

/** A cluster with only this gateway. */
function aloneIn({clock, store}: ClusterWorld, {node}: ClusterOptions): GatewayCluster {
	const since = clock.now();
	/** When it was last "seen", as if it renewed its entry like members of a shared store. */
	const seenAt = () => since + Math.floor(Math.max(0, clock.now() - since) / beatMs) * beatMs;
	let stopHearing: ReadonlyArray<() => void> = [];
	return {
		isShared: false,
		owner: store.owner,
		node,
		members: () => [
			{owner: store.owner, node, since, seen: seenAt(), leases: 0, state: 'live', data: null},
		],
		async look() {},
		differences: () => [],
		hasOthers: () => false,
		async leave() {},
		onHeard() {},
		onTaken() {},
		onMissed() {},
		onNote(listener) {
			stopHearing = [...stopHearing, store.events.subscribe(listener)];
		},
		isSealed: () => false,
		call: async () => undefined,
		serve() {},
		holdAlone: async (_, {start}) => start(() => true),
		read: async read => read(),
		changed() {},
		onLeaving(end) {
			stopHearing = [...stopHearing, end];
		},
		async [Symbol.asyncDispose]() {
			for (const stop of stopHearing) {
				stop();
			}
		},
	};
}
