import {type Run, type RunPlan, canBeDropped, canBeHandedOver, type RunState} from '../core/run.ts';
import {integerOf, jsonOf, type Row, wordOf} from './columns.ts';
import type {RouteKey, ServerKey} from './port.ts';
import {restarts} from './rules.ts';

// Decides what a person may do with a run, from its row: `state, dropped, handed`, and as 0 or 1 `chat` (a turn on an open connection) and `answered` (its answer is stored).

/** The column `dropped` for a run to be dropped; `undefined` when it cannot be. `now` is milliseconds since 1970. */
export function droppedOf(
	row: Row,
	reason: string | undefined,
	now: number,
): NonNullable<Run['dropped']> | undefined {
	const was = wordOf<RunState>(row['state']);
	return canBeDropped(was) ? {was, at: now, ...(reason !== undefined && {reason})} : undefined;
}

type Handed = Pick<RunPlan, 'again' | 'target'>;

/** The column `handed` for a run whose answer is to be delivered to `target`; `undefined` when it cannot be. */
export function handedOf(row: Row, target: RunPlan['target']): Handed | undefined {
	const from = wordOf<RunState>(row['state']);
	if (!canBeHandedOver(from) || integerOf(row['answered']) === 0 || integerOf(row['chat']) === 1) {
		return undefined;
	}

	const before = row['handed'] === null ? {} : jsonOf<Partial<Handed>>(row['handed']);
	const again = (before.again ?? 0) + (from === 'done' ? 1 : 0);
	return {target, ...(again > 0 && {again})};
}

/** The state from which a run continues when a person queues it again; `undefined` when it cannot be. */
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

/** The distinct servers that these runs wait for. */
export function awaitedServers(runs: readonly Awaiting[]): readonly ServerKey[] {
	const servers = runs.flatMap(({profile, awaitsLogins = []}) =>
		awaitsLogins.map(name => [`${profile}\0${name}`, {profile, name}] as const),
	);
	return [...new Map(servers).values()];
}
