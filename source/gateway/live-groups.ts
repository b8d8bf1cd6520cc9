import {type Clock, sleep} from '../core/clock.ts';
import {messageOf} from '../core/errors.ts';
import type {Emit} from '../core/events.ts';
import type {Group} from '../core/group.ts';
import type {Busy} from '../core/idle.ts';
import type {Logger} from '../core/log.ts';
import type {Groups} from '../store/port.ts';

/** Pause after the journal failed to dispatch. */
const journalPauseMs = 1000;

/** Shortest wait before the next look, so that a clock that is wrong cannot make it spin. */
const shortestPauseMs = 20;

/** Tries to hand the groups over when the receiver closes; what the journal does not take then waits in it for the next start. */
const flushTries = 3;

export type LiveGroups = {
	/** A group opened, grew, or was dispatched to make room for the next: tells the faces and minds when it is due. */
	changed(group: Group): void;
	/** Starts the run of a pending group now; `false` when it is not pending. @throws SvcError `journal_unavailable` */
	dispatch(id: number): Promise<boolean>;
	/** Starts the runs of every group: the receiver has closed. Never rejects. @see Interface 3 */
	flush(): Promise<void>;
	/** No group is dispatched for its time any more; what is under way ends first. */
	[Symbol.asyncDispose](): Promise<void>;
};

/**
 * Dispatches groups when their quiet window or their cap is over. What is due is the journal's knowledge: this only asks at the moment that
 * it named. Groups whose time was over before the start run at once.
 *
 * @see Interface 2.10, 3
 */
export function createLiveGroups({
	clock,
	groups,
	busy,
	emit,
	log,
	onDispatched,
}: {
	readonly clock: Clock;
	readonly groups: Groups;
	readonly busy: Busy;
	readonly emit: Emit;
	readonly log: Logger;
	/** The group's run is on disk and waits; must not throw. */
	readonly onDispatched: (group: Group) => void;
}): LiveGroups {
	/** The look that is planned, on the monotonic clock. */
	let planned: {readonly at: number; readonly cancel: () => void} | undefined;
	let looking: Promise<void> | undefined;
	let closed = false;

	const report = (changed: readonly Group[]) => {
		for (const group of changed) {
			emit({type: 'group-changed', at: clock.now(), group});
			if (group.state === 'dispatched') {
				onDispatched(group);
			}
		}
	};

	/** Looks when the next group is due, and `leastMs` from now at the earliest. */
	const plan = (leastMs = 0) => {
		const dueMs = groups.nextDueMs();
		if (closed || looking || dueMs === undefined) {
			return;
		}

		const delayMs = Math.max(leastMs, Math.ceil(dueMs));
		if (delayMs === 0) {
			planned?.cancel();
			planned = undefined;
			looking = look();
			return;
		}

		// Every event of a group moves its end: a timer that fires too early is cheaper than a new one for each.
		const at = clock.monotonic() + delayMs;
		if (planned && planned.at <= at) {
			return;
		}

		planned?.cancel();
		planned = {
			at,
			cancel: clock.after(delayMs, () => {
				planned = undefined;
				plan();
			}),
		};
	};

	const look = async () => {
		const end = busy.begin();
		const pauseMs = await dispatchDue();
		looking = undefined;
		plan(pauseMs);
		end();
	};

	/** Milliseconds to wait at least before the next look. */
	const dispatchDue = async (): Promise<number> => {
		try {
			const dispatched = await groups.dispatchDue();
			report(dispatched);
			return dispatched.length > 0 ? 0 : shortestPauseMs;
		} catch (error) {
			log.error('Cannot dispatch groups of events, trying again', {error: messageOf(error)});
			return journalPauseMs;
		}
	};

	const flush = async () => {
		for (let failures = 0; groups.pending() > 0;) {
			try {
				// oxlint-disable-next-line no-await-in-loop -- one try after the other
				report(await groups.dispatch('all', 'stop'));
			} catch (error) {
				failures += 1;
				if (failures === flushTries) {
					log.error(
						'Cannot dispatch the groups that wait: their events are in the journal, and they run after the next start',
						{groups: groups.pending(), error: messageOf(error)},
					);
					return;
				}

				// oxlint-disable-next-line no-await-in-loop -- a pause between two tries
				await sleep(clock, journalPauseMs);
			}
		}
	};

	plan();
	return {
		changed(group) {
			report([group]);
			plan();
		},
		async dispatch(id) {
			const dispatched = await groups.dispatch({id}, 'person');
			report(dispatched);
			return dispatched.length > 0;
		},
		async flush() {
			const end = busy.begin();
			await flush();
			end();
		},
		async [Symbol.asyncDispose]() {
			closed = true;
			planned?.cancel();
			await looking;
		},
	};
}
