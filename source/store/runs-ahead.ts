import type {Clock} from '../core/clock.ts';
import {createCountsByRoute} from './counts-by-route.ts';
import {createDueQueue} from './due-queue.ts';
import type {RouteKey} from './port.ts';

/** What is counted until its time comes, on the monotonic clock. */
type RunAhead = RouteKey & {readonly id: number; readonly at: number};

/** Waiting runs of one kind, as long as their time lies ahead. Costs the logarithm of their number, and what is asked for. */
export type RunsAhead<Waiting extends RunAhead> = {
	/** In place of what was said of its number before. */
	set(run: Waiting): void;
	delete(id: number): void;
	count(): number;
	of(route: RouteKey): number;
	all(): Iterable<Waiting>;
};

export function createRunsAhead<Waiting extends RunAhead>(
	clock: Pick<Clock, 'monotonic'>,
): RunsAhead<Waiting> {
	/** Also those whose time came since they were asked for last. */
	const runs = new Map<number, Waiting>();
	const due = createDueQueue();
	const tally = createCountsByRoute();

	const remove = (id: number) => {
		const run = runs.get(id);
		if (run) {
			runs.delete(id);
			due.delete(id);
			tally.add(run, -1);
		}
	};

	const removeDue = () => {
		const now = clock.monotonic();
		for (let first = due.first(); first && first.at <= now; first = due.first()) {
			remove(first.id);
		}
	};

	return {
		set(run) {
			remove(run.id);
			runs.set(run.id, run);
			due.set(run.id, run.at);
			tally.add(run, 1);
		},
		delete: remove,
		count() {
			removeDue();
			return runs.size;
		},
		of(route) {
			removeDue();
			return tally.of(route);
		},
		all() {
			removeDue();
			return runs.values();
		},
	};
}
