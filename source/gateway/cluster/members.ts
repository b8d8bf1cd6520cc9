import {isDeepStrictEqual} from 'node:util';
import {every} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {createRepeat} from '../../core/mutex.ts';
import type {Broker} from '../../core/reduce.ts';
import {type ClusterMember, lateNotesMs} from '../../core/state.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import type {Store, StoreHealth} from '../../store/port.ts';
import type {Member, TakenOver} from '../../store/shared-port.ts';
import {type ConfigMarks, differingKeys} from './config-marks.ts';

/** How often the members are read, milliseconds. */
const lookMs = 10_000;
const maxNamedKeys = 8;

export type Members = ReturnType<typeof watchMembers>;

/** The name of a member, and the keys in which its configuration differs. */
type Difference = {readonly node: string; readonly keys: readonly string[]};

/** Watches the members of a cluster: takes over the work of members that are gone, and logs differing configurations. */
export function watchMembers(
	{clock, log, store}: Pick<World, 'clock' | 'log'> & {readonly store: Store},
	{
		marks,
		version,
		onRead,
		onBack,
		onTaken,
	}: {
		readonly marks: () => ConfigMarks;
		readonly version: string;
		/** Called with the members read. Must not throw. */
		readonly onRead: (members: readonly Member[], health: StoreHealth) => void;
		/** Called when the store is back after being unreachable: notes may be lost. Must not throw. */
		readonly onBack: () => void;
		/** Called with the work taken over from a gone member. Must not throw. */
		readonly onTaken: (taken: TakenOver) => void;
	},
) {
	let members: readonly Member[] = [];
	let isDescribed = false;
	let isLeaving = false;
	let isAway = false;
	/** The difference logged for each other member, by its owner. */
	const differing = new Map<string, Difference>();
	let hasNamesake = false;
	const gone = new Set<string>();

	const compare = (own: ConfigMarks) => {
		const others = members.filter(({owner, state}) => owner !== store.owner && state === 'live');
		for (const {owner, node, data} of others) {
			const {config, version: theirs} = readData(data);
			const keys = [
				...(theirs === undefined || theirs === version ? [] : ['the version of svc']),
				...(config === undefined ? [] : differingKeys(own, config)),
			];
			if (keys.join() !== (differing.get(owner)?.keys ?? []).join()) {
				tellOfDifference(node, keys);
			}

			if (keys.length === 0) {
				differing.delete(owner);
			} else {
				differing.set(owner, {node, keys});
			}
		}

		tellOfNamesake(others);

		for (const owner of differing.keys()) {
			if (!others.some(other => other.owner === owner)) {
				differing.delete(owner);
			}
		}
	};

	const tellOfNamesake = (others: readonly Member[]) => {
		const {node = ''} = members.find(({owner}) => owner === store.owner) ?? {};
		const had = hasNamesake;
		hasNamesake = others.some(other => other.node === node);
		if (hasNamesake && !had) {
			log.warn(
				`Another gateway on the same store is called "${escapeLine(node, 64)}" as this one is: write another gateway.node into config.yaml of one of them, and restart it`,
			);
		}
	};

	const tellOfDifference = (node: string, keys: readonly string[]) => {
		const name = escapeLine(node, 64);
		const more = keys.length > maxNamedKeys ? ` and ${keys.length - maxNamedKeys} more` : '';
		const list = `${keys
			.slice(0, maxNamedKeys)
			.map(key => escapeLine(key, 100))
			.join(', ')}${more}`;
		if (keys.length === 0) {
			log.note(`Gateway "${name}" has the same configuration as this one again`);
		} else {
			log.warn(
				`Gateway "${name}" on the same store is configured otherwise: ${list}; deploy the same config.yaml, scripts and skills to both`,
			);
		}
	};

	const tellOfGone = () => {
		for (const {owner, node, state} of members) {
			// While the store was away, this member was not seen either.
			if (state === 'gone' && !gone.has(owner) && owner !== store.owner) {
				gone.add(owner);
				log.warn(
					`Gateway "${escapeLine(node, 64)}" on the same store is gone: it was not seen for a minute`,
				);
			} else if (state === 'live' && gone.delete(owner)) {
				log.note(`Gateway "${escapeLine(node, 64)}" is back`);
			}
		}

		for (const owner of gone) {
			if (!members.some(member => member.owner === owner)) {
				gone.delete(owner);
			}
		}
	};

	const look = createRepeat(async () => {
		try {
			const own = marks();
			if (!isDescribed) {
				isDescribed = true;
				await store.cluster.describe({version, config: own, ...(isLeaving && {leaving: true})});
			}

			members = await store.cluster.members();
			onRead(members, await store.health());
			if (isAway) {
				isAway = false;
				onBack();
			}

			tellOfGone();
			compare(own);
			if (members.some(({state}) => state === 'gone')) {
				onTaken(await store.takeOver());
			}
		} catch (error) {
			isDescribed = false;
			isAway = true;
			log.debug(`Cannot look after the gateways on the same store: ${messageOf(error)}`);
		}
	});

	const stop = every(clock, lookMs, look);
	return {
		/** The members as of the last successful read. */
		list: () => members,
		/** Reads the members now. Never rejects. */
		look: async (): Promise<void> => look(),
		/** Publishes this member's changed description at the next read. */
		describe(): void {
			isDescribed = false;
		},
		/** The keys in which the configurations of other members differ from this one's. */
		differences: (): readonly Difference[] =>
			[...differing.values()].map(({node, keys}) => ({
				node: escapeLine(node, 64),
				keys: keys.slice(0, maxNamedKeys).map(key => escapeLine(key, 100)),
			})),
		/** Announces that this member stops, so that of several that stop at once the last to look finds no others. Never rejects. */
		async leave(): Promise<void> {
			isLeaving = true;
			isDescribed = false;
			await look();
		},
		[Symbol.dispose]: stop,
	};
}

/** Whether a member goes on running, by its own description: one that stops hands nothing to another that stops. */
export const goesOn = ({state, data}: Member): boolean =>
	state === 'live' && !(isJsonObject(data) && data['leaving'] === true);

/** Emits the members to faces when they have changed. */
export function createMembersReport({
	clock,
	broker,
}: Pick<World, 'clock'> & {readonly broker: Pick<Broker, 'emit'>}): (
	members: readonly Member[],
	health: StoreHealth,
) => void {
	let told: {readonly members: readonly ClusterMember[]; readonly notesLagMs?: number} | undefined;
	return (all, {notesLagMs = 0}) => {
		const members = all.map(({node, state, leases}) => ({
			node: escapeLine(node, 64),
			isGone: state === 'gone',
			leases,
		}));
		// Rounded to seconds: each other value is an event.
		const next = {
			members,
			...(notesLagMs > lateNotesMs && {notesLagMs: Math.round(notesLagMs / 1000) * 1000}),
		};
		if (!isDeepStrictEqual(next, told)) {
			told = next;
			broker.emit({type: 'cluster-changed', at: clock.now(), ...next});
		}
	};
}

/** Reads a member's description; another version may have written anything. */
function readData(data: JsonValue): {readonly version?: string; readonly config?: ConfigMarks} {
	const {version, config} = isJsonObject(data) ? data : {};
	return {
		...(typeof version === 'string' && {version}),
		...(isJsonObject(config) && {
			config: Object.fromEntries(
				Object.entries(config).flatMap(([key, mark]) =>
					typeof mark === 'string' ? [[key, mark]] : [],
				),
			),
		}),
	};
}
