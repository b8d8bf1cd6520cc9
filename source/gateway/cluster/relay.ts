import {every} from '../../core/clock.ts';
import type {GatewayEvent} from '../../core/events.ts';
import {approvalSchema} from '../../core/schemas/approval.ts';
import type {World} from '../../core/world.ts';
import type {StoreNotes} from '../../store/shared-port.ts';

/** How long events are gathered before the other members are told, milliseconds. */
const gatherMs = 200;
/** Maximum number of events of one note, and their maximum JSON size in UTF-16 units; beyond that the other members read the store instead. */
const maxEvents = 500;
const maxLength = 256 * 1024;

/** Events about rows that all members share. Each member reads keys, rules and jobs from the store itself; text deltas stay at the member that works on the run. */
const relayed = [
	'alerts-changed',
	'approval-extended',
	'approval-requested',
	'approval-settled',
	'delivery-received',
	'group-changed',
	'run-changed',
	'run-progressed',
] as const satisfies ReadonlyArray<GatewayEvent['type']>;

type RelayedEvent = Extract<GatewayEvent, {readonly type: (typeof relayed)[number]}>;

const isTold = (event: GatewayEvent): event is RelayedEvent =>
	relayed.some(type => type === event.type);

/** Whether this version can read the approval in the event; kinds that only a newer member knows are left to that member. */
const isSound = (event: RelayedEvent): boolean =>
	!('approval' in event) || approvalSchema.safeParse(event.approval).success;

/** Sends events of this member to the others, and theirs to `hear`. Best effort: after a missed note, `onMissed` has the store read. */
export function createRelay(
	{
		clock,
		events,
		owner,
		node,
	}: Pick<World, 'clock'> & {
		readonly events: StoreNotes;
		/** `Shared.owner`. */
		readonly owner: string;
		readonly node: string;
	},
	{
		hear,
		onMissed,
	}: {
		/** Receives the events of one note; must not throw. */
		readonly hear: (events: readonly GatewayEvent[], from: string) => void;
		readonly onMissed: () => void;
	},
) {
	let gathered: RelayedEvent[] = [];
	let length = 0;
	let isTooMuch = false;
	let seq = 0;
	/** The number of the last note received from each other member. */
	const heard = new Map<string, number>();

	const send = () => {
		if (gathered.length === 0 && !isTooMuch) {
			return;
		}

		const sent = isTooMuch ? [] : gathered;
		gathered = [];
		length = 0;
		isTooMuch = false;
		seq += 1;
		events.publish({kind: 'events', from: owner, node, seq, events: sent});
	};

	const unsubscribe = events.subscribe(note => {
		if (note.kind === 'missed') {
			onMissed();
		}

		if (note.kind !== 'events' || note.from === owner) {
			return;
		}

		const last = heard.get(note.from);
		heard.set(note.from, Math.max(last ?? 0, note.seq));
		if (note.events.length === 0 || (last !== undefined && note.seq > last + 1)) {
			onMissed();
		}

		hear(
			note.events
				.filter(isTold)
				.filter(isSound)
				.map(event => from(event, note.node)),
			note.from,
		);
	});
	const stop = every(clock, gatherMs, send);
	return {
		/** Sends an event of this member to the others. */
		tell(event: GatewayEvent): void {
			if (!isTold(event) || isTooMuch) {
				return;
			}

			// Approximates the size; only texts are long.
			length += JSON.stringify(event).length;
			isTooMuch = gathered.length >= maxEvents || length > maxLength;
			if (isTooMuch) {
				gathered = [];
			} else {
				gathered.push(event);
			}
		},
		/** Sends the gathered events, and receives nothing more. */
		[Symbol.dispose]() {
			stop();
			send();
			unsubscribe();
		},
	};
}

/** The event, with the name of the member that has the run or request. */
function from(event: RelayedEvent, node: string): GatewayEvent {
	switch (event.type) {
		case 'approval-requested':
		case 'approval-extended':
		case 'approval-settled':
			return {...event, approval: {...event.approval, node}};

		case 'run-changed':
			return {...event, run: {...event.run, node}};

		case 'alerts-changed':
		case 'delivery-received':
		case 'group-changed':
		case 'run-progressed':
			return event;
	}
}
