import type {DatabaseSync} from 'node:sqlite';
import {integerOf, textOf, type Row} from './columns.ts';
import type {RouteLimit} from './port.ts';
import {maxLeasesPerJob} from './rules.ts';
import {nameOfRoute} from './tally.ts';

/** What only so many runs may hold at once: a route, or a job. */
type Bound = {readonly name: string; readonly most: number};

/** The waiting runs of one route, or of one job that it fires. */
type Lane = {
	/** As the database writes it. */
	readonly name: string;
	readonly bounds: readonly Bound[];
	/** The run that is due first: a row of `id, state, token, due_at`. */
	head: Row | undefined;
};

/** The lanes as they are at one moment, by their heads: rows of `id, state, token, due_at`. */
export type Lanes = {
	/** The first run that is due, of those whose lane has room. */
	first(): Row | undefined;
	/** Says that the first was leased. */
	take(): void;
	/** The run of a lane with room that is due next, and milliseconds until then. */
	next(): {readonly head: Row; readonly waitMs: number} | undefined;
};

/**
 * A function that looks at the lanes: one step of an index for every lane with an unfinished run, however many runs those have. A route has room while less than its limit
 * of runs are leased, a job while none is. Inside a transaction, when the answer is to hold for longer than this moment. `waitMs` says when a run is due, in milliseconds.
 */
export function createLanes(
	database: DatabaseSync,
	waitMs: (runId: number) => number,
): (limits?: readonly RouteLimit[]) => Lanes {
	const leases = database.prepare(
		'select lane, count(*) as leased from run indexed by run_leased where finished_at is null and due_at is null group by lane',
	);
	const heads = database.prepare(
		`with recursive waiting (lane) as (
			select min(lane) from run where due_at is not null
			union all
			select (select min(lane) from run where due_at is not null and run.lane > waiting.lane) from waiting where waiting.lane is not null
		)
		select waiting.lane as lane, run.id, run.state, run.token, run.due_at
		from waiting join run on run.id = (
			select id from run as head where head.due_at is not null and head.lane = waiting.lane order by head.due_at, head.id limit 1
		)`,
	);
	const next = database.prepare(
		'select id, state, token, due_at from run where due_at is not null and lane = ? order by due_at, id limit 1',
	);

	const waitOf = ({head}: Lane) => (head ? waitMs(integerOf(head['id'])) : Infinity);

	return (limits = []) => {
		const maxOf = new Map(limits.map(limit => [nameOfRoute(limit), limit.most]));
		const leased = new Map<string, number>();
		const count = (bounds: readonly Bound[], by: number) => {
			for (const {name} of bounds) {
				leased.set(name, (leased.get(name) ?? 0) + by);
			}
		};

		const hasRoom = ({bounds}: Lane) =>
			bounds.every(({name, most}) => (leased.get(name) ?? 0) < most);
		for (const row of leases.all()) {
			count(boundsOf(textOf(row['lane']), maxOf), integerOf(row['leased']));
		}

		const lanes = heads.all().map((head): Lane => {
			const name = textOf(head['lane']);
			return {name, bounds: boundsOf(name, maxOf), head};
		});

		const first = () => {
			let found: Lane | undefined;
			for (const lane of lanes) {
				if (hasRoom(lane) && isBefore(lane.head, found?.head) && waitOf(lane) === 0) {
					found = lane;
				}
			}

			return found;
		};

		return {
			next() {
				const due = first()?.head;
				if (due) {
					return {head: due, waitMs: 0};
				}

				const [lane] = lanes.filter(hasRoom).toSorted((a, b) => waitOf(a) - waitOf(b));
				return lane?.head && {head: lane.head, waitMs: waitOf(lane)};
			},
			first: () => first()?.head,
			take() {
				const lane = first();
				if (lane) {
					count(lane.bounds, 1);
					lane.head = next.get(lane.name);
				}
			},
		};
	};
}

/** What a run holds by the column `lane`: profile, route and job. A run without a delivery has no route: `-`. */
function boundsOf(lane: string, maxOf: ReadonlyMap<string, number>): readonly Bound[] {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the database writes it, from these columns
	const [profile, route, job] = JSON.parse(lane) as [string, string, string | null];
	const most = route === '-' ? undefined : maxOf.get(nameOfRoute({profile, route}));
	return [
		...(most === undefined ? [] : [{name: `route ${profile} ${route}`, most}]),
		...(job === null ? [] : [{name: `job ${profile} ${job}`, most: maxLeasesPerJob}]),
	];
}

const isBefore = (a: Row | undefined, b: Row | undefined): boolean => {
	if (!a || !b) {
		return a !== undefined;
	}

	const [one, other] = [integerOf(a['due_at']), integerOf(b['due_at'])];
	return one < other || (one === other && integerOf(a['id']) < integerOf(b['id']));
};
