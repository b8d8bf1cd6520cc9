import type {DatabaseSync} from 'node:sqlite';
import {integerOf, readJson, type Row, textOf} from './columns.ts';
import {nameOfRoute} from './counters.ts';
import type {RouteLimit} from './port.ts';
import {maxLeasesPerChat, maxLeasesPerConversation, maxLeasesPerJob, maxTurns} from './rules.ts';

/** The waiting runs of one lane: of one route, or of one job that it fires. */
export type WaitingLane = {
	/** The lane as stored in the database. */
	readonly name: string;
	/** Rows with `id, due_at`, the run that is due first in front. Of a conversation only the oldest run: a turn that waits to be retried must not be overtaken. */
	readonly heads: readonly Row[];
	/** Whether more runs may wait behind these. */
	readonly hasMore?: boolean;
	/** The number of its last turn, or of the last turn of all threads of its chat; 0 when unknown. */
	readonly turn: number;
};

export type LanesAtOnce = {
	readonly waiting: readonly WaitingLane[];
	/** Number of leased runs of each lane. */
	readonly leased: ReadonlyArray<{readonly name: string; readonly leased: number}>;
	/** The number of the newest turn. */
	readonly lastTurn: number;
};

/** A run to be leased. */
export type Taken = {
	readonly head: Row;
	readonly lane: string;
	/** The number of the turn, and the name it is stored under. */
	readonly turn: number;
	readonly turnOf: string;
};

/** A limit of concurrent runs: of a route, a job, a chat or a thread. */
type Bound = {readonly name: string; readonly most: number};

type Lane = {
	readonly name: string;
	/** The name under which the lane takes turns together with others, if any: the threads of a chat share one, or a person who opens many would get most turns. */
	readonly sharing: string | undefined;
	readonly bounds: readonly Bound[];
	heads: readonly Row[];
	hasMore: boolean;
	/** The lane with the lowest number is next. */
	turn: number;
};

export type LaneChoice = ReturnType<typeof createLaneChoice>;

/**
 * Chooses the run to lease next: the first run of the lane that has room and whose last turn is longest ago. Pure: the caller reads lanes and writes leases, and locks out
 * others meanwhile. `waitMs` returns in how many milliseconds a run is due; 0 for now.
 */
export function createLaneChoice(
	{waiting, leased: leases, lastTurn}: LanesAtOnce,
	options: {
		readonly limits?: readonly RouteLimit[] | undefined;
		readonly waitMs: (run: Row) => number;
	},
) {
	const {limits = [], waitMs} = options;
	const maxOf = new Map(limits.map(limit => [nameOfRoute(limit), limit.most]));
	const leased = new Map<string, number>();
	const count = (bounds: readonly Bound[], by: number) => {
		for (const {name} of bounds) {
			leased.set(name, (leased.get(name) ?? 0) + by);
		}
	};

	for (const lane of leases) {
		count(boundsOf(lane.name, maxOf), lane.leased);
	}

	const lanes = waiting.map(({name, heads, hasMore = false, turn}): Lane => ({
		name,
		sharing: sharedTurn(name),
		bounds: boundsOf(name, maxOf),
		heads,
		hasMore,
		turn: turn > lastTurn - maxTurns ? turn : 0,
	}));
	let newest = lastTurn;

	const hasRoom = ({bounds}: Lane) =>
		bounds.every(({name, most}) => (leased.get(name) ?? 0) < most);
	const waitOf = ({heads: [head]}: Lane) => (head ? waitMs(head) : Infinity);
	const firstLane = () => {
		let found: Lane | undefined;
		for (const lane of lanes) {
			if (hasRoom(lane) && isBefore(lane, found) && waitOf(lane) === 0) {
				found = lane;
			}
		}

		return found;
	};

	return {
		/** The run to lease next, among the known ones that are due. */
		first: () => firstLane()?.heads[0],
		/** Takes that run, which moves its lane to the end of the order. */
		take(): Taken | undefined {
			const lane = firstLane();
			const head = lane?.heads[0];
			if (!lane || !head) {
				return undefined;
			}

			count(lane.bounds, 1);
			newest += 1;
			lane.heads = lane.heads.slice(1);
			lane.turn = newest;
			for (const other of lane.sharing === undefined ? [] : lanes) {
				other.turn = other.sharing === lane.sharing ? newest : other.turn;
			}

			return {head, lane: lane.name, turn: newest, turnOf: lane.sharing ?? lane.name};
		},
		/** Lanes that might precede `first` with runs that are not known yet: pass these to `learn`. */
		unknown(): readonly string[] {
			const most = firstLane()?.turn ?? Infinity;
			return lanes
				.filter(lane => lane.heads.length === 0 && lane.hasMore && lane.turn <= most)
				.filter(hasRoom)
				.map(({name}) => name);
		},
		/** Sets the runs that wait in a lane now, without those taken. */
		learn(name: string, heads: readonly Row[]) {
			for (const lane of lanes.filter(one => one.name === name)) {
				lane.heads = heads;
				lane.hasMore = false;
			}
		},
		/** When the longest-waiting due run became due, milliseconds since 1970; includes lanes without room. */
		oldestDueAt() {
			const due = lanes.filter(lane => waitOf(lane) === 0);
			return due.length === 0 ? undefined : Math.min(...due.map(dueAtOf));
		},
		/** The run that is due next in any lane with room, and in how many milliseconds. */
		next() {
			const due = firstLane()?.heads[0];
			if (due) {
				return {head: due, waitMs: 0};
			}

			const [lane] = lanes.filter(hasRoom).toSorted((a, b) => waitOf(a) - waitOf(b));
			const head = lane?.heads[0];
			return lane && head && {head, waitMs: waitOf(lane)};
		},
	};
}

/** When the next run is due or the first lease expires, by the wall clock `now`. A due run's time may be ahead of it: the clock was set back, or is not the store's. */
export function nextMoment(
	next: ReturnType<LaneChoice['next']>,
	expiryMs: number | undefined,
	now: number,
): number | undefined {
	const moments = [
		...(next
			? [
					next.waitMs > 0
						? now + Math.ceil(next.waitMs)
						: Math.min(now, integerOf(next.head['due_at'])),
				]
			: []),
		...(expiryMs === undefined ? [] : [now + expiryMs]),
	];
	return moments.length === 0 ? undefined : Math.min(...moments);
}

const dueAtOf = ({heads: [head]}: Lane): number => integerOf(head?.['due_at']);

/** Splits a lane. An unreadable one, written by another program, counts as a route of its own and affects no other. */
function partsOf(lane: string): readonly [profile: string, route: string, job: string | null] {
	const parts = readJson<unknown>(lane);
	if (!Array.isArray(parts)) {
		return ['', lane, null];
	}

	const [profile, route, job]: readonly unknown[] = parts;
	return [String(profile), String(route), typeof job === 'string' ? job : null];
}

/** The name under which threads of a chat share turns: the chat. `undefined` for a lane that is not of a conversation. */
export function sharedTurn(lane: string): string | undefined {
	const [profile, route] = partsOf(lane);
	return isOfConversation(lane) ? JSON.stringify([profile, route.split('/')[0], null]) : undefined;
}

/** Whether the lane's runs are turns of a conversation: only those have a colon in the route. */
const isOfConversation = (lane: string): boolean => partsOf(lane)[1].includes(':');

/** The limits that apply to a run, from its lane: profile, route and job. The route is `-` for a run of a job alone, and the conversation's name for its turns. */
function boundsOf(lane: string, maxOf: ReadonlyMap<string, number>): readonly Bound[] {
	const [profile, route, job] = partsOf(lane);
	if (isOfConversation(lane)) {
		return [
			{name: `thread ${profile} ${route}`, most: maxLeasesPerConversation},
			{name: `chat ${profile} ${route.split('/')[0]}`, most: maxLeasesPerChat},
		];
	}

	const most = route === '-' ? undefined : maxOf.get(nameOfRoute({profile, route}));
	return [
		...(most === undefined ? [] : [{name: `route ${profile} ${route}`, most}]),
		...(job === null ? [] : [{name: `job ${profile} ${job}`, most: maxLeasesPerJob}]),
	];
}

/** Orders lanes by turn; lanes with the same turn, such as those without any, by the age of their runs. */
const isBefore = (a: Lane, b: Lane | undefined): boolean => {
	const [first] = a.heads;
	const [second] = b?.heads ?? [];
	if (!first || !b || !second) {
		return first !== undefined;
	}

	const by =
		a.turn - b.turn ||
		integerOf(first['due_at']) - integerOf(second['due_at']) ||
		integerOf(first['id']) - integerOf(second['id']);
	return by < 0;
};

/** The lanes at one moment, by their first runs: rows of `id, state, token, due_at, profile, route`. */
export type Lanes = ReturnType<ReturnType<typeof createLanes>>;

/**
 * Returns a function that reads the lanes in a few index steps per lane with an unfinished run, however many runs it has. A route has room while fewer runs than its limit
 * are leased, a job while none is. Call it inside a transaction if the answer is to stay valid. `waitMs` returns in how many milliseconds a run is due.
 */
export function createLanes(database: DatabaseSync, waitMs: (runId: number) => number) {
	const leases = database.prepare(
		'select lane, count(*) as leased from run indexed by run_leased where finished_at is null and due_at is null group by lane',
	);
	const heads = database.prepare(
		`with recursive waiting (lane) as (
			select min(lane) from run where due_at is not null
			union all
			select (select min(lane) from run where due_at is not null and run.lane > waiting.lane) from waiting where waiting.lane is not null
		)
		select waiting.lane as lane, run.id, run.state, run.token, run.due_at, run.profile, run.route, lane_turn.turn as turn
		from waiting join run on run.id = (
			select id from run as head where head.due_at is not null and head.lane = waiting.lane order by head.due_at, head.id limit 1
		) left join lane_turn on lane_turn.lane = waiting.lane`,
	);
	const headBy = (order: string) =>
		database.prepare(
			`select id, state, token, due_at, profile, route from run where due_at is not null and lane = ? order by ${order} limit 1`,
		);
	const next = headBy('due_at, id');
	const oldest = headBy('id');
	// Turns are numbered by the journal, not by this process: others may lease from it, too.
	const last = database.prepare('select max(turn) as turn from lane_turn');
	const putTurn = database.prepare(
		'insert into lane_turn (lane, turn) values (?, ?) on conflict do update set turn = excluded.turn',
	);
	const turn = database.prepare('select turn from lane_turn where lane = ?');
	const forgetTurns = database.prepare('delete from lane_turn where turn <= ?');

	const laneOf = (head: Row) => {
		const name = textOf(head['lane']);
		const sharing = sharedTurn(name);
		return {
			name,
			heads: [sharing === undefined ? head : (oldest.get(name) ?? head)],
			turn: integerOf(sharing === undefined ? head['turn'] : turn.get(sharing)?.['turn']),
		};
	};

	return (limits?: readonly RouteLimit[]) => {
		const choice = createLaneChoice(
			{
				waiting: heads.all().map(laneOf),
				leased: leases
					.all()
					.map(row => ({name: textOf(row['lane']), leased: integerOf(row['leased'])})),
				lastTurn: integerOf(last.get()?.['turn']),
			},
			{limits, waitMs: row => waitMs(integerOf(row['id']))},
		);
		return {
			...choice,
			/** Records that the first run was leased, which moves its lane to the end of the order. */
			take() {
				const taken = choice.take();
				if (taken) {
					choice.learn(taken.lane, next.all(taken.lane));
					putTurn.run(taken.turnOf, taken.turn);
					forgetTurns.run(taken.turn - maxTurns);
				}
			},
		};
	};
}
