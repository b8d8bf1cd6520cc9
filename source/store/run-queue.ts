import {type Run, type RunPlan, canBeDropped, canBeHandedOver, type RunState} from '../core/run.ts';
import {integerOf, jsonOf, type Row, wordOf} from './columns.ts';
import type {StoreParts} from './parts.ts';
import type {RouteKey, ServerKey} from './port.ts';
import {restarts} from './rules.ts';

/** A run that is to wait for a worker. Times are milliseconds since 1970. */
export type NewRun = {
	/** Row of the delivery; `null` when a schedule or a person fired a job. */
	readonly delivery: number | null;
	readonly profile: string;
	readonly route: string;
	/** Kind of the target. */
	readonly target: string;
	readonly createdAt: number;
	readonly dueAt: number;
	/** The group that it comes from, and its events but the latest. */
	readonly group?: {readonly id: number; readonly superseded: number};
	readonly job?: {readonly id: string; readonly name: string} | undefined;
	/** The identifier that its event claims; `at` is milliseconds on the clock of the claims. Of a run without group and job. */
	readonly claim?: {readonly deliveryId: string; readonly at: number} | undefined;
	/** Of a turn of a conversation on a platform, which has neither of them. */
	readonly turn?: {
		readonly conversation: NonNullable<Run['conversation']>;
		readonly plan: RunPlan;
	};
};

/** A function that puts a run in the queue, inside a transaction; its number. The bound of the queue is the caller's. */
export function createEnqueue({
	database,
	counters,
	times,
}: Pick<StoreParts, 'counters' | 'database' | 'times'>): (run: NewRun) => number {
	const columns = 'id, delivery, profile, route, target, state, created_at, due_at';
	const insert = database.prepare(
		`insert into run (${columns}, claimed_id, claimed_at) values (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?)`,
	);
	const insertWithOrigin = database.prepare(
		`insert into run (${columns}, grp, superseded, job, job_name) values (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?)`,
	);

	const insertTurn = database.prepare(
		`insert into run (${columns}, conversation) values (?, ?, ?, ?, ?, 'queued', ?, ?, ?)`,
	);
	const insertPlan = database.prepare(
		"insert into job_run (run, event, plan) values (?, 'chat', ?)",
	);

	return ({delivery, profile, route, target, createdAt, dueAt, group, job, claim, turn}) => {
		if (dueAt > createdAt) {
			times.keepUp();
		}

		const id = counters.lastRun + 1;
		if (turn) {
			const conversation = JSON.stringify(turn.conversation);
			insertTurn.run(id, delivery, profile, route, target, createdAt, dueAt, conversation);
			insertPlan.run(id, JSON.stringify(turn.plan));
		} else if (group || job) {
			const origin = [group?.id, group?.superseded, job?.id, job?.name].map(value => value ?? null);
			insertWithOrigin.run(id, delivery, profile, route, target, createdAt, dueAt, ...origin);
		} else {
			const claimed = [claim?.deliveryId ?? null, claim?.at ?? null] as const;
			insert.run(id, delivery, profile, route, target, createdAt, dueAt, ...claimed);
		}

		counters.lastRun = id;
		counters.runs += 1;
		counters.moved({profile, route}, undefined, 'queued');
		if (dueAt > createdAt) {
			times.add({id, profile, route}, {waitMs: dueAt - createdAt, isPromised: true});
		}

		return id;
	};
}

// What a person asks of a run, decided from its row: `state, dropped, handed`, and 0 or 1 for `chat` (a turn at an open connection) and `answered` (its answer is kept).

/** The note of a run that is put away; `undefined` when it cannot be. `now` is milliseconds since 1970. */
export function droppedOf(
	row: Row,
	reason: string | undefined,
	now: number,
): NonNullable<Run['dropped']> | undefined {
	const was = wordOf<RunState>(row['state']);
	return canBeDropped(was) ? {was, at: now, ...(reason !== undefined && {reason})} : undefined;
}

type Handed = Pick<RunPlan, 'again' | 'target'>;

/** The note of a run whose answer goes to `target` from now on; `undefined` when it cannot. */
export function handedOf(row: Row, target: RunPlan['target']): Handed | undefined {
	const from = wordOf<RunState>(row['state']);
	if (!canBeHandedOver(from) || integerOf(row['answered']) === 0 || integerOf(row['chat']) === 1) {
		return undefined;
	}

	const before = row['handed'] === null ? {} : jsonOf<Partial<Handed>>(row['handed']);
	const again = (before.again ?? 0) + (from === 'done' ? 1 : 0);
	return {target, ...(again > 0 && {again})};
}

/** Where a run begins again that a person puts back; `undefined` when it cannot be. */
export function restartOf(row: Row): 'queued' | 'delivering' | undefined {
	const state = wordOf<RunState>(row['state']);
	const from =
		state === 'dropped' ? jsonOf<NonNullable<Run['dropped']>>(row['dropped']).was : state;
	return integerOf(row['chat']) === 1 ? undefined : restarts[from];
}

/** A run, and the servers of its profile that it waits for a person to log in to. */
type Awaiting = Pick<RouteKey, 'profile'> & {
	readonly awaitsLogins?: readonly string[] | undefined;
};

export const awaitsLogin = (
	{profile, awaitsLogins = []}: Awaiting,
	server: ServerKey | 'all',
): boolean =>
	server === 'all' || (profile === server.profile && awaitsLogins.includes(server.name));

/** Each server once that these wait for. */
export function awaitedServers(runs: readonly Awaiting[]): readonly ServerKey[] {
	const servers = runs.flatMap(({profile, awaitsLogins = []}) =>
		awaitsLogins.map(name => [`${profile}\0${name}`, {profile, name}] as const),
	);
	return [...new Map(servers).values()];
}

const previewLength = 2000;
const maxAnswerBytes = 1024 * 1024;
const cutMark = '\n[cut at 1 MiB]';

/** An answer as it is kept: at most 1 MiB, in two parts, so that a listing reads the first 2,000 characters and no more. */
export function partsOfAnswer(text: string): {readonly preview: string; readonly rest: string} {
	const bounded = boundedAnswer(text);
	const preview = headOf(bounded, previewLength);
	return {preview, rest: bounded.slice(preview.length)};
}

/** At most 1 MiB of UTF-8, cut between characters, with a last line that says so. */
function boundedAnswer(text: string): string {
	if (Buffer.byteLength(text) <= maxAnswerBytes) {
		return text;
	}

	const room = new Uint8Array(maxAnswerBytes - cutMark.length);
	const {read} = new TextEncoder().encodeInto(text, room);
	return text.slice(0, read) + cutMark;
}

/** The first `length` units without half a pair at the end. */
const headOf = (text: string, length: number): string =>
	/[\uD800-\uDBFF]$/.test(text.slice(0, length))
		? text.slice(0, length - 1)
		: text.slice(0, length);
