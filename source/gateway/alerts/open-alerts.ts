import type {AlertConfig} from '../../config/alerts.ts';
import {createTimer} from '../../core/clock.ts';
import type {GatewayEvent} from '../../core/events.ts';
import {needsOf} from '../../nouns/needs.ts';
import type {RoomWorld} from '../rooms.ts';
import {createCalledChat, type CalledChat, type CalledChatWorld} from './called-chat.ts';

/** Debounce of events, milliseconds: a busy gateway has thousands of them in that time. */
const lookMs = 1000;

/** How often needs are compared without an event while any is open, milliseconds: some end without an event. */
const lookAgainMs = 60_000;

/** Kind of the memos that keep each chat's state in the store. */
const memoKind = 'alert';

/** Reports needs of a person to chats on platforms. */
export type Alerts = Awaited<ReturnType<typeof openAlerts>>;

type AlertsWorld = Pick<RoomWorld, 'broker' | 'clock' | 'emit' | 'live' | 'log' | 'store'> &
	Pick<CalledChatWorld, 'deliverer' | 'host' | 'isHeld'>;

/**
 * Watches the state for needs of a person, and sends new ones to each chat of `alerts`, gathered and at its pace. The journal keeps which were sent, so that after a
 * restart only unsent needs are reported.
 *
 * @see manual/alerts.md
 */
export async function openAlerts(world: AlertsWorld) {
	const {broker, clock, emit, live, store} = world;
	const {memos} = store;
	const kept = new Map((await memos.list(memoKind)).map(({name, value}) => [name, value]));
	const timer = createTimer(clock);
	let chats: ReadonlyMap<string, CalledChat> = new Map();
	let isLookSoon = false;
	let stopHearing: (() => void) | undefined;
	const needs = () => needsOf(broker.getState(), clock.now());

	const look = () => {
		isLookSoon = false;
		timer.cancel();
		const all = needs();
		for (const chat of chats.values()) {
			chat.compare(all);
		}

		if ([...chats.values()].some(chat => chat.isOpen())) {
			timer.set(lookAgainMs, look);
		}
	};

	const report = () => {
		const alerts = [...chats.values()].map(chat => chat.view());
		emit({type: 'alerts-changed', at: clock.now(), alerts});
	};

	const open = (name: string, entry: AlertConfig): CalledChat =>
		createCalledChat(
			{
				...world,
				needs,
				profile: live.current().paths.profile,
				async keep(value) {
					kept.set(name, value);
					await memos.put(memoKind, name, value);
				},
				onTried() {
					report();
					look();
				},
			},
			entry,
			kept.get(name),
		);

	const hear = (events: readonly GatewayEvent[]) => {
		if (!isLookSoon && events.some(mayMatter)) {
			isLookSoon = true;
			timer.set(lookMs, look);
		}
	};

	const changed = () => {
		const before = chats;
		chats = new Map(
			named(live.current().alerts).map(([name, entry]) => {
				const chat = before.get(name) ?? open(name, entry);
				chat.follow(entry);
				return [name, chat];
			}),
		);
		for (const [name, chat] of before) {
			if (!chats.has(name)) {
				chat[Symbol.dispose]();
			}
		}

		stopHearing?.();
		stopHearing = chats.size === 0 ? undefined : broker.subscribe(hear);
		report();
		look();
	};

	changed();
	return {
		/** Applies the current configuration. */
		changed,
		[Symbol.dispose]() {
			stopHearing?.();
			timer[Symbol.dispose]();
			for (const chat of chats.values()) {
				chat[Symbol.dispose]();
			}
		},
	};
}

/** Pairs each entry with the name of its memo: its chat, numbered where several entries have the same chat. */
function named(entries: readonly AlertConfig[]): ReadonlyArray<readonly [string, AlertConfig]> {
	const counts = new Map<string, number>();
	return entries.map(entry => {
		const place = JSON.stringify([entry.platform, entry.chat ?? null]);
		const count = counts.get(place) ?? 0;
		counts.set(place, count + 1);
		return [count === 0 ? place : `${place} ${count}`, entry];
	});
}

/** Whether an event may change the needs; most do not, and there are thousands of them. */
function mayMatter(event: GatewayEvent): boolean {
	switch (event.type) {
		case 'delivery-received':
			return event.delivery.outcome === 'rate' || event.delivery.outcome === 'queue';

		case 'history-restored':
		case 'webhook-listening':
		case 'webhook-refused':
		case 'webhook-disabled':
		case 'webhook-closed':
		case 'api-changed':
		case 'routes-changed':
		case 'jobs-changed':
		case 'run-changed':
		case 'approval-requested':
		case 'approval-settled':
		case 'server-changed':
		case 'server-removed':
		case 'model-selected':
		case 'model-refused':
		case 'model-silent':
		case 'model-answers':
		case 'platform-changed':
		case 'config-reloaded':
		case 'config-rejected':
			return true;

		case 'gateway-started':
		case 'gateway-stopping':
		case 'gateway-lost':
		case 'message-skipped':
		case 'journal-counted':
		case 'queue-counted':
		case 'store-failing':
		case 'cluster-changed':
		case 'traffic-counted':
		case 'keys-changed':
		case 'group-changed':
		case 'approval-extended':
		case 'approval-rules-changed':
		case 'alerts-changed':
		case 'installs-changed':
		case 'run-progressed':
		case 'run-said':
		case 'health-sampled':
		case 'log-restored':
		case 'log-written':
			return false;
	}
}
