import type {Clock} from '../core/clock.ts';
import type {Logger} from '../core/log.ts';
import type {Row} from './columns.ts';

/** A row that cannot be read: a person, or another version of svc, has changed it. */
export type BrokenRow = {readonly table: string; readonly id: string};

/** Called with each unreadable row that is skipped. Must not throw. */
export type OnBroken = (row: BrokenRow) => void;

/** Parses the rows of a table with `read`, skipping unreadable ones. */
export const readRows = <Value>(
	rows: readonly Row[],
	read: (row: Row) => Value,
	{table, onBroken}: {readonly table: string; readonly onBroken: OnBroken},
): readonly Value[] =>
	rows.flatMap(row => {
		try {
			return [read(row)];
		} catch {
			onBroken({table, id: String(row['id'] ?? row['name'] ?? row['at'] ?? '')});
			return [];
		}
	});

/** Least time between two warnings about a table, milliseconds. */
const quietMs = 60_000;

/** Warns of unreadable rows, at most once a minute for each table. */
export function warnOfBroken({
	clock,
	log,
}: {
	readonly clock: Pick<Clock, 'monotonic'>;
	readonly log: Pick<Logger, 'warn'> | undefined;
}): OnBroken {
	const saidAt = new Map<string, number>();
	return ({table, id}) => {
		const now = clock.monotonic();
		if (now - (saidAt.get(table) ?? -Infinity) >= quietMs) {
			saidAt.set(table, now);
			log?.warn(
				`Cannot read row "${id}" of the table "${table}" in the store: a person, or another version of svc, has changed it. Lists leave it out; correct the row, or delete it while no gateway runs`,
				{table, id},
			);
		}
	};
}
