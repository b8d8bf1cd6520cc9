import type {DatabaseSync} from 'node:sqlite';
import {integerOf, textOf, type Row} from './columns.ts';
import type {Runs} from './port.ts';

/** How many runs of a route may be leased at once. */
export type LimitOf = NonNullable<Parameters<Runs['lease']>[2]>;

/** The waiting runs of one route, or of one job that it fires. */
type Lane = {
	/** As the database writes it. */
	readonly name: string;
	/** The route whose limit counts, if there is one, and the job. */
	readonly route?: string;
	readonly job?: string;
	readonly limit: number;
	/** The run that is due first: a row of `id, state, token, due_at`. */
	head: Row | undefined;
};

/** The lanes as they are at one moment. */
export type Lanes = {
	/** The run that is due first of those whose lane has room: a row of `id, state, token, due_at`. */
	first(): Row | undefined;
	/** Says that the first was leased. */
	take(): void;
};

/**
 * A function that looks at the lanes: one step of an index for every lane with an unfinished run, however many runs those have. A route has room while less than its limit
 * of runs are leased, a job while none is. Inside a transaction, when the answer is to hold for longer than this moment.
 */
export function createLanes(database: DatabaseSync): (limitOf?: LimitOf) => Lanes {
	const open = database.prepare(
		`with recursive open (lane) as (
			select min(lane) from run where finished_at is null
			union all
			select (select min(lane) from run where finished_at is null and run.lane > open.lane) from open where open.lane is not null
		)
		select lane, (select count(*) from run where finished_at is null and run.lane = open.lane and due_at is null) as leased
		from open where lane is not null`,
	);
	const head = database.prepare(
		'select id, state, token, due_at from run where finished_at is null and lane = ? and due_at is not null order by due_at, id limit 1',
	);

	return limitOf => {
		const leased = new Map<string, number>();
		const count = (name: string | undefined, by: number) => {
			if (name !== undefined) {
				leased.set(name, (leased.get(name) ?? 0) + by);
			}
		};

		const countLease = ({route, job}: Lane, by: number) => {
			count(route, by);
			count(job, by);
		};

		const leasedOf = (name: string | undefined) =>
			name === undefined ? 0 : (leased.get(name) ?? 0);
		const hasRoom = ({route, job, limit}: Lane) => leasedOf(route) < limit && leasedOf(job) < 1;
		const lanes = open.all().map(row => {
			const lane = laneOf(textOf(row['lane']), limitOf);
			countLease(lane, integerOf(row['leased']));
			return lane;
		});
		for (const lane of lanes) {
			lane.head = hasRoom(lane) ? head.get(lane.name) : undefined;
		}

		const first = () => {
			let found: Lane | undefined;
			for (const lane of lanes) {
				if (hasRoom(lane) && isBefore(lane.head, found?.head)) {
					found = lane;
				}
			}

			return found;
		};

		return {
			first: () => first()?.head,
			take() {
				const lane = first();
				if (lane) {
					countLease(lane, 1);
					lane.head = head.get(lane.name);
				}
			},
		};
	};
}

/** The column `lane`: profile, route and job. A run without a delivery has no route: `-`. */
function laneOf(name: string, limitOf: LimitOf = () => undefined): Lane {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the database writes it, from these columns
	const [profile, route, job] = JSON.parse(name) as [string, string, string | null];
	return {
		name,
		limit: (route === '-' ? undefined : limitOf({profile, route})) ?? Number.POSITIVE_INFINITY,
		head: undefined,
		...(route !== '-' && {route: `route\0${profile}\0${route}`}),
		...(job !== null && {job: `job\0${profile}\0${job}`}),
	};
}

const isBefore = (a: Row | undefined, b: Row | undefined): boolean => {
	if (!a || !b) {
		return a !== undefined;
	}

	const [one, other] = [integerOf(a['due_at']), integerOf(b['due_at'])];
	return one < other || (one === other && integerOf(a['id']) < integerOf(b['id']));
};
