import type {Broker} from '../../core/broker.ts';
import {sleep, createTimer} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {GatewayEvent} from '../../core/events.ts';
import type {JsonValue} from '../../core/json.ts';
import {createListeners} from '../../core/listeners.ts';
import type {Sealer} from '../../core/seal.ts';
import type {World} from '../../core/world.ts';
import type {Store} from '../../store/port.ts';
import type {Member, StoreNote, TakenOver} from '../../store/shared-port.ts';
import type {LiveConfig} from '../live-config.ts';
import {type CallHandler, createCalls} from './calls.ts';
import {configMarks} from './config-marks.ts';
import {createMembersReport, type Difference, goesOn, watchMembers} from './members.ts';
import {holdAlone} from './one-holder.ts';
import {readAgain} from './read-again.ts';
import {createRelay} from './relay.ts';

/** Shortest time between two looks at what was missed, milliseconds. */
const readAgainMs = 2000;
/** Pause between two tries to read what a room cannot do without, milliseconds. */
const againMs = 1000;

const beatMs = 10_000;

/** The gateways that work on one store, as a room sees them. On a store that is not shared there is one: nothing is told, asked or waited for. */
export type GatewayCluster = AsyncDisposable & {
	readonly isShared: boolean;
	/** `Shared.owner` of this gateway. */
	readonly owner: string;
	/** What it is called. */
	readonly node: string;
	/** As they were when they could be read last, this one among them. */
	members(): readonly Member[];
	/** Reads them now. Never rejects. */
	look(): Promise<void>;
	/** @see Members.differences */
	differences(): readonly Difference[];
	/** Whether others go on when this one stops: live ones that do not stop as well. */
	hasOthers(): boolean;
	/** This one stops: of several that do so at the same time, the last one that looks has no others. Never rejects. */
	leave(): Promise<void>;
	/** Tells the others what happened here. */
	tell(event: GatewayEvent): void;
	/** Calls `listener`, which must not throw, with what happened at others, and with the `Shared.owner` of the one; empty: it was read in the store. */
	onHeard(listener: (events: readonly GatewayEvent[], from: string) => void): void;
	/** What dead members left has been taken over here. Must not throw. */
	onTaken(listener: (taken: TakenOver) => void): void;
	/** Something was missed, or nobody knows: look at what is not in the store. Must not throw. */
	onMissed(listener: () => void): void;
	/** Notes of others on the store, and those of this member. */
	onNote(listener: (note: StoreNote) => void): void;
	/** Whether nobody but members can read what they ask each other. */
	isSealed(): boolean;
	/** @see Calls */
	call(name: string, input: JsonValue, to?: string): Promise<JsonValue | undefined>;
	/** @see Calls */
	serve(name: string, handler: CallHandler): void;
	/** Begins what one member does at a time, as soon as it is this one; resolves once that is known for the first time. What fails is logged: never rejects, except where one gateway has the store for itself, as `start` does. */
	holdAlone(
		name: string,
		work: {
			readonly start: (isHeld: () => boolean) => Promise<AsyncDisposable>;
			readonly onOther?: () => void;
		},
	): Promise<AsyncDisposable>;
	/** Reads what a room cannot do without: on a shared store as often as it takes, until the gateway ends. @throws the reason of `ending`; where one gateway has the store for itself, what `read` throws */
	read<Value>(read: () => Promise<Value>): Promise<Value>;
	/** The configuration, or what belongs to it, has changed. */
	changed(): void;
	/** Called once when the cluster is left. */
	onLeaving(end: () => void): void;
};

type ClusterWorld = Pick<World, 'clock' | 'log'> & {
	readonly store: Store;
	readonly broker: Broker;
	readonly live: Pick<LiveConfig, 'current'>;
	readonly version: string;
};

type ClusterOptions = {
	readonly isShared: boolean;
	readonly node: string;
	/** Aborts when the gateway ends. */
	readonly ending: AbortSignal;
	/** Encrypts what members ask each other; `undefined`: there is no key. */
	readonly sealer: () => Sealer | undefined;
	/** A room waits for the store; `undefined`: it waits no more. */
	readonly onWaiting: (reason: string | undefined) => void;
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
	/** One look at a time, and a pause before each: what is missed meanwhile is in it. */
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
			{
				hear,
				onMissed: lookAgain,
			},
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
	// What happened between the reading of the history and now.
	lookAgain();
	const holding = {clock, log};
	return {
		isShared: true,
		owner: store.owner,
		node,
		members: () => members.list(),
		look: async () => members.look(),
		differences: () => members.differences(),
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
			const holder = holdAlone(holding, store.leases(name), work);
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

/** The only gateway on its store. */
function aloneIn({clock, store}: ClusterWorld, {node}: ClusterOptions): GatewayCluster {
	const since = clock.now();
	/** As if it beat as those do that share a store. */
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
		tell() {},
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
