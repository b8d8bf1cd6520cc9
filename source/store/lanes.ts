import type {DatabaseSync} from 'node:sqlite';
import {integerOf, textOf, type Row} from './columns.ts';
import type {RouteLimit} from './port.ts';
import {maxLeasesPerChat, maxLeasesPerConversation, maxLeasesPerJob, maxTurns} from './rules.ts';
import {nameOfRoute} from './tally.ts';

/** What only so many runs may hold at once: a route, or a job. */
type Bound = {readonly name: string; readonly most: number};

/** The waiting runs of one route, or of one job that it fires. */
type Lane = {
	/** As the database writes it. */
	readonly name: string;
	/** The name under which it takes turns with others, where it does: threads of a chat are one among routes, or somebody who opens many would be before all. */
	readonly sharing: string | undefined;
	readonly bounds: readonly Bound[];
	/** The run that is due first: a row of `id, state, token, due_at, profile, route`. */
	head: Row | undefined;
	/** Its last turn; 0 when none is known. Of two lanes the lower one is next. */
	turn: number;
};

/** The lanes as they are at one moment, by their heads: rows of `id, state, token, due_at, profile, route`. */
export type Lanes = {
	/** The run whose turn it is, of those that are due and whose lane has room. */
	first(): Row | undefined;
	/** Notes that the first was leased: its lane is the last whose turn comes again. */
	take(): void;
	/** When the due run that has waited longest was due, milliseconds since 1970, also of a lane without room. */
	oldestDueAt(): number | undefined;
	/** The run of a lane with room that is due next, and milliseconds until then. */
	next(): {readonly head: Row; readonly waitMs: number} | undefined;
};

/**
 * A function that looks at the lanes: a few steps of indexes for every lane with an unfinished run, however many runs those have. A route has room while less than its limit
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
		select waiting.lane as lane, run.id, run.state, run.token, run.due_at, run.profile, run.route, lane_turn.turn as turn
		from waiting join run on run.id = (
			select id from run as head where head.due_at is not null and head.lane = waiting.lane order by head.due_at, head.id limit 1
		) left join lane_turn on lane_turn.lane = waiting.lane`,
	);
	const next = database.prepare(
		'select id, state, token, due_at, profile, route from run where due_at is not null and lane = ? order by due_at, id limit 1',
	);
	const oldest = database.prepare(
		'select id, state, token, due_at, profile, route from run where due_at is not null and lane = ? order by id limit 1',
	);
	// The journal numbers the turns, not this process: others may lease from it, too.
	const takeTurn = database.prepare(
		`insert into lane_turn (lane, turn) values (?, (select coalesce(max(turn), 0) + 1 from lane_turn))
		on conflict do update set turn = excluded.turn returning turn`,
	);
	const turn = database.prepare('select turn from lane_turn where lane = ?');
	const forgetTurns = database.prepare('delete from lane_turn where turn <= ?');

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
			const sharing = sharedTurn(name);
			return {
				name,
				sharing,
				bounds: boundsOf(name, maxOf),
				// A turn that is to be tried again is followed by no other.
				head: sharing === undefined ? head : (oldest.get(name) ?? head),
				turn: integerOf(sharing === undefined ? head['turn'] : turn.get(sharing)?.['turn']),
			};
		});

		const first = () => {
			let found: Lane | undefined;
			for (const lane of lanes) {
				if (hasRoom(lane) && isBefore(lane, found) && waitOf(lane) === 0) {
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
			oldestDueAt() {
				const due = lanes.filter(lane => lane.head && waitOf(lane) === 0);
				return due.length === 0
					? undefined
					: Math.min(...due.map(({head}) => integerOf(head?.['due_at'])));
			},
			first: () => first()?.head,
			take() {
				const lane = first();
				if (lane) {
					count(lane.bounds, 1);
					lane.head = next.get(lane.name);
					const taken = integerOf(takeTurn.get(lane.sharing ?? lane.name)?.['turn']);
					lane.turn = taken;
					for (const other of lane.sharing === undefined ? [] : lanes) {
						other.turn = other.sharing === lane.sharing ? taken : other.turn;
					}

					forgetTurns.run(taken - maxTurns);
				}
			},
		};
	};
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the database writes it, from these columns
const partsOf = (lane: string) => JSON.parse(lane) as [string, string, string | null];

/** What threads of a chat take turns under: the chat; `undefined` for a lane of no conversation. */
function sharedTurn(lane: string): string | undefined {
	const [profile, route] = partsOf(lane);
	return isOfConversation(lane) ? JSON.stringify([profile, route.split('/')[0], null]) : undefined;
}

/** Whether its runs are turns of a conversation: no route has a colon in its name. */
const isOfConversation = (lane: string): boolean => partsOf(lane)[1].includes(':');

/** What a run holds by the column `lane`: profile, route and job. A run of a job alone has no route, `-`; a turn of a conversation has that one's name. */
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

/** By turns; lanes whose turn is the same, as that of those that had none, by the age of their runs. */
const isBefore = (a: Lane, b: Lane | undefined): boolean => {
	if (!a.head || !b?.head) {
		return a.head !== undefined;
	}

	const by =
		a.turn - b.turn ||
		integerOf(a.head['due_at']) - integerOf(b.head['due_at']) ||
		integerOf(a.head['id']) - integerOf(b.head['id']);
	return by < 0;
};
