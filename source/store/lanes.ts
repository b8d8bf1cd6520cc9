import type {DatabaseSync} from 'node:sqlite';
import {integerOf, textOf, type Row} from './columns.ts';
import {createLaneChoice, sharedTurn} from './lane-choice.ts';
import type {RouteLimit} from './port.ts';
import {maxTurns} from './rules.ts';

/** The lanes as they are at one moment, by their heads: rows of `id, state, token, due_at, profile, route`. */
export type Lanes = ReturnType<ReturnType<typeof createLanes>>;

/**
 * A function that looks at the lanes: a few steps of indexes for every lane with an unfinished run, however many runs those have. A route has room while less than its limit
 * of runs are leased, a job while none is. Inside a transaction, when the answer is to hold for longer than this moment. `waitMs` says when a run is due, in milliseconds.
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
	const next = database.prepare(
		'select id, state, token, due_at, profile, route from run where due_at is not null and lane = ? order by due_at, id limit 1',
	);
	const oldest = database.prepare(
		'select id, state, token, due_at, profile, route from run where due_at is not null and lane = ? order by id limit 1',
	);
	// The journal numbers the turns, not this process: others may lease from it, too.
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
			/** Notes that the first was leased: its lane is the last whose turn comes again. */
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
