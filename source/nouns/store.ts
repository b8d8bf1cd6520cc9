import {compact, countOf} from '../core/names.ts';
import {goneMs, lateNotesMs} from '../core/state.ts';
import {dayTime} from '../terminal/text/time.ts';
import type {Tone} from './noun.ts';

/** The shared store's state, as in a gateway's status. */
type StoreStatus = {
	readonly store?: {readonly kind: 'postgres' | 'sqlite'; readonly ok: boolean};
	readonly journal_failing: string | null;
	readonly sharing?: {
		readonly notes_lag_ms: number | null;
		readonly queue_by_route: ReadonlyArray<{
			readonly profile: string;
			readonly route: string;
			readonly queued: number;
		}>;
		readonly differences?: ReadonlyArray<{
			readonly node: string;
			readonly keys: readonly string[];
		}>;
	};
	readonly cluster?: {
		readonly members: ReadonlyArray<{
			readonly node: string;
			readonly since: string;
			readonly seen: string;
			readonly leases: number;
		}>;
	};
};

/** A row of the status; `help`: the reason, or a remedy. Texts are unescaped: faces escape them. */
export type StoreRow = {
	readonly name: 'differs' | 'member' | 'names' | 'notes' | 'queue' | 'store';
	readonly text: string;
	readonly tone: Tone;
	readonly help?: string;
};

/** The state of the store and its members, for `svc gateway status`, `svc doctor` and the interface's states. Empty if the store is not shared. */
export function storeRows(
	{store, journal_failing: failing, sharing, cluster}: StoreStatus,
	now: number,
): readonly StoreRow[] {
	if (store?.kind !== 'postgres') {
		return [];
	}

	const {notes_lag_ms: lagMs = null, queue_by_route: routes = [], differences = []} = sharing ?? {};
	const members = (cluster?.members ?? []).map(member => ({
		...member,
		silentMs: Math.max(0, now - Date.parse(member.seen)),
	}));
	const live = members.filter(({silentMs}) => silentMs < goneMs);
	const namesakes = [...Map.groupBy(live, ({node}) => node)].filter(([, {length}]) => length > 1);
	return compact<StoreRow>([
		store.ok
			? {name: 'store', text: 'PostgreSQL', tone: 'good'}
			: {
					name: 'store',
					text: 'PostgreSQL, which cannot be used now',
					tone: 'bad',
					...(failing !== null && {help: failing}),
				},
		lagMs !== null &&
			store.ok && {
				name: 'notes',
				text: `heard ${(lagMs / 1000).toFixed(1)} s late at most, in the last minute`,
				tone: lagMs > lateNotesMs ? 'warn' : 'good',
			},
		...routes.map(({profile, route, queued}): StoreRow => ({
			name: 'queue',
			text: `${profile === 'default' ? '' : `${profile}/`}${route}: ${countOf(queued, 'run')} waiting`,
			tone: 'plain',
		})),
		...members.map(({node, since, leases, silentMs}): StoreRow => {
			// Without the store, members cannot be observed.
			const isGone = store.ok && silentMs >= goneMs;
			return {
				name: 'member',
				text: `${node}: ${isGone ? 'gone' : store.ok ? `${countOf(leases, 'run')} at work` : 'as it was known last'}, seen ${agoText(silentMs)}, since ${dayTime(Date.parse(since))}`,
				tone: isGone ? 'warn' : store.ok ? 'good' : 'plain',
			};
		}),
		...differences.map(({node, keys}): StoreRow => ({
			name: 'differs',
			text: `${node} is configured otherwise than this one`,
			tone: 'warn',
			help: `${keys.join(', ')}: deploy the same config.yaml, scripts and skills to both`,
		})),
		...namesakes.map(([node, {length}]): StoreRow => ({
			name: 'names',
			text: `${length} members are called ${node}`,
			tone: 'warn',
			help: 'write another gateway.node into config.yaml of each, and restart them',
		})),
	]);
}

/** `12 s ago`, `3 min ago`. */
const agoText = (ms: number): string => {
	const seconds = Math.floor(ms / 1000);
	return seconds < 120 ? `${seconds} s ago` : `${Math.floor(seconds / 60)} min ago`;
};
