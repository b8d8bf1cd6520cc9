import type {Clock} from '../../core/clock.ts';
import {integerOf, type Row, wordOf} from '../columns.ts';
import {nameOfRoute, routeOf} from '../counters.ts';
import type {RouteKey} from '../port.ts';
import {createWaitingPool, type WaitingFigures, type WaitingPool} from '../waiting-runs.ts';
import type {Transaction} from './database.ts';

/** What is waited for: a worker, a time, or a person to log in. */
type Kind = 'queued' | 'timed' | 'awaiting';

/** Number of waiting things, and when the first is due, milliseconds since 1970. */
type Count = {readonly waiting: number; readonly firstAt: number};

/** The waiting things, and their limits. */
export type Waiting = WaitingPool & {
	/** Counts one more that is about to be written. */
	add(kind: Kind, route: RouteKey, dueAt: number): void;
};

/** Counts waiting things across all members, within a transaction that holds the lock `accept`; `bounds` are the values of `maxQueued` of the events to be added. */
export type WaitingReader = (
	transaction: Transaction,
	bounds: readonly number[],
) => Promise<Waiting>;

/**
 * Maximum number of rows counted, as a multiple of the limit: there are three kinds, and dispatched or retried runs may exceed the limits. With that many rows, every limit
 * is reached.
 */
const countedTimes = 8;
const countedAtLeast = 10_000;

/** How long a count is used: at least this many milliseconds, and this multiple of the time it took, since a person may retry thousands of runs. */
const knownMs = 1000;
const knownTimes = 20;

const figures = `with seen as materialized (
	-- A sequence that has given out nothing has the same last value as one that has given out its first number.
	select (select last_value + is_called::integer from run_id_seq) + (select last_value + is_called::integer from coalesce_group_id_seq) as numbers
), looked as materialized (
	(select profile, route, due_at, case
		when due_at > $1 and awaits_logins is not null then 'awaiting'
		when due_at > $1 and is_promised = 1 and attempt + delivery_attempt = 0 then 'timed'
		else 'queued' end as kind
	from run where due_at is not null and state = 'queued' and (select numbers from seen) >= $3 limit $2)
	union all
	(select profile, route, least(quiet_at, cap_at), 'timed' from coalesce_group where run is null and (select numbers from seen) >= $3 limit $2)
)
select profile, route, kind, count(*) as waiting, min(due_at) as first_at from looked group by profile, route, kind
union all select null, null, 'leased', count(*), 0 from run where finished_at is null and due_at is null and (select numbers from seen) >= $3
union all select null, null, 'numbers', numbers, 0 from seen`;

/**
 * Returns a function that counts by route and kind, in one statement over waiting rows only. It does not count while no limit can be reached: the number as of a second
 * ago, plus the run and group numbers assigned since, must be less than half of each limit, below which nothing is refused.
 */
export function createWaitingReader(clock: Pick<Clock, 'monotonic'>): WaitingReader {
	let known = {unfinished: Infinity, numbers: 0, until: 0};
	return async ({query, now}, bounds) => {
		const start = clock.monotonic();
		const room = Math.min(...bounds) / 2 - bounds.length - known.unfinished;
		const countFrom = start < known.until && room > 0 ? known.numbers + Math.ceil(room) : 0;
		const most = Math.max(countedAtLeast, countedTimes * Math.max(...bounds));
		const rows = await query(figures, [now, most, countFrom]);
		const sumOf = (...kinds: readonly string[]) =>
			rows
				.filter(({kind}) => kinds.includes(wordOf(kind)))
				.reduce((sum, row) => sum + integerOf(row['waiting']), 0);
		const numbers = sumOf('numbers');
		if (numbers >= countFrom) {
			const end = clock.monotonic();
			known = {
				unfinished: sumOf('queued', 'timed', 'awaiting', 'leased'),
				numbers,
				until: end + Math.max(knownMs, knownTimes * (end - start)),
			};
		}

		return waitingOf(rows, now);
	};
}

const isCount = (row: Row): boolean => row['profile'] !== null;

function waitingOf(rows: readonly Row[], now: number): Waiting {
	const counts = new Map<string, Count>();
	const count = (name: string, {waiting, firstAt}: Count) => {
		const before = counts.get(name);
		counts.set(name, {
			waiting: (before?.waiting ?? 0) + waiting,
			firstAt: Math.min(before?.firstAt ?? Infinity, firstAt),
		});
	};

	const add = (kind: Kind, route: RouteKey, more: Count) => {
		count(nameOf(kind, undefined), more);
		count(nameOf(kind, route), more);
	};

	for (const row of rows.filter(isCount)) {
		add(wordOf<Kind>(row['kind']), routeOf(row), {
			waiting: integerOf(row['waiting']),
			firstAt: integerOf(row['first_at']),
		});
	}

	const waitingIn = (kind: Kind) => (route?: RouteKey) =>
		counts.get(nameOf(kind, route))?.waiting ?? 0;
	// A group that an event has just joined is now due later. That is ignored here: a refused sender retries.
	const freeInMs = (kind: Kind, route?: RouteKey) =>
		Math.max(0, (counts.get(nameOf(kind, route))?.firstAt ?? Infinity) - now);
	const known: WaitingFigures = {
		queued: waitingIn('queued'),
		timed: waitingIn('timed'),
		awaiting: waitingIn('awaiting'),
		timedFreeInMs: route => freeInMs('timed', route),
		awaitingFreeInMs: () => freeInMs('awaiting'),
	};

	return {
		...createWaitingPool(known),
		add: (kind, route, dueAt) => add(kind, route, {waiting: 1, firstAt: dueAt}),
	};
}

const nameOf = (kind: Kind, route: RouteKey | undefined): string =>
	route ? `${kind} ${nameOfRoute(route)}` : kind;
