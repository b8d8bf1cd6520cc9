import {systemClock} from '../../source/core/clock.ts';
import type {Delivery} from '../../source/core/delivery.ts';
import {createLogger} from '../../source/core/log.ts';
import type {Run} from '../../source/core/run.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';

const page = 1000;

export type Everything = {
	readonly deliveries: readonly Delivery[];
	readonly runs: ReadonlyMap<number, Run>;
	/** The run of each group, by group. */
	readonly groupRuns: ReadonlyMap<number, number>;
};

/** All that a store holds, of a gateway that does not run. Opening it also checks that it is whole. */
export async function readEverything(file: string): Promise<Everything> {
	const log = createLogger({clock: systemClock, redact: text => text, write: () => {}});
	await using store = await openSqliteStore({clock: systemClock, log}, {file});
	const deliveries: Delivery[] = [];
	for (let before: string | undefined; ; before = deliveries.at(-1)?.id) {
		const found = await store.journal.list({limit: page, ...(before !== undefined && {before})});
		deliveries.push(...found);
		if (found.length < page) {
			break;
		}
	}

	const runs: Run[] = [];
	for (let before: number | undefined; ; before = runs.at(-1)?.id) {
		const found = await store.runs.list({limit: page, ...(before !== undefined && {before})});
		runs.push(...found);
		if (found.length < page) {
			break;
		}
	}

	return {
		deliveries,
		runs: new Map(runs.map(run => [run.id, run])),
		groupRuns: new Map(
			runs.flatMap(({group, id}) => (group === undefined ? [] : [[group, id] as const])),
		),
	};
}
