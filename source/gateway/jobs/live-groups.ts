import {sleep, createTimer} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {Group} from '../../core/group.ts';
import type {World} from '../../core/world.ts';
import type {Groups} from '../../store/group-port.ts';
import {createFailureReport} from '../runs/announce-runs.ts';

/** Delay after the journal failed to dispatch, milliseconds. */
const journalPauseMs = 1000;

/** Shortest delay before the next look, so that a wrong clock cannot cause a busy loop, milliseconds. */
const minPauseMs = 20;

/** Attempts to dispatch all groups when the receiver closes; groups that the journal does not take wait for the next start. */
const flushTries = 3;

export type LiveGroups = ReturnType<typeof createLiveGroups>;

/**
 * Dispatches groups when their quiet window or their cap ends. The journal knows what is due; this asks it at the time it gave. Groups that became due before the start run
 * at once.
 *
 * @see manual/routes.md#coalescing
 */
export function createLiveGroups(
	world: Pick<World, 'busy' | 'clock' | 'emit' | 'log'> & {
		readonly groups: Groups;
		/** Called when a group's run is on disk and queued; must not throw. */
		readonly onDispatched: (group: Group) => void;
	},
) {
	const {clock, groups, busy, emit, log, onDispatched} = world;
	/** Timer of the next look, at `plannedAt` on the monotonic clock. */
	const timer = createTimer(clock);
	let plannedAt = -Infinity;
	let looking: Promise<void> | undefined;
	/** Whether a look was requested after the current one began. */
	let hasChanged = false;
	let closed = false;
	const sayFailure = createFailureReport(log);

	const report = (changed: readonly Group[]) => {
		for (const group of changed) {
			emit({type: 'group-changed', at: clock.now(), group});
			if (group.state === 'dispatched') {
				onDispatched(group);
			}
		}
	};

	/** Looks now, or once more after the look under way. Returns at once. */
	const wake = () => {
		hasChanged = true;
		if (!closed) {
			looking ??= look();
		}
	};

	const look = async () => {
		const end = busy.begin();
		for (let minMs: number | undefined = 0; minMs !== undefined || hasChanged;) {
			hasChanged = false;
			// oxlint-disable-next-line no-await-in-loop -- one look after the other
			minMs = await lookOnce(minMs ?? 0);
		}

		looking = undefined;
		end();
	};

	/**
	 * Dispatches what is due, or schedules the next look at least `minMs` from now. Returns the minimum delay before looking again, milliseconds; `undefined` when that is
	 * scheduled.
	 */
	const lookOnce = async (minMs: number): Promise<number | undefined> => {
		const askedAt = clock.monotonic();
		try {
			const dueMs = await groups.nextDueMs();
			sayFailure.over();
			if (closed || dueMs === undefined) {
				return undefined;
			}

			const at = askedAt + Math.max(minMs, Math.ceil(dueMs));
			if (at > clock.monotonic()) {
				plan(at);
				return undefined;
			}

			timer.cancel();
			const dispatched = await groups.dispatchDue();
			report(dispatched);
			return dispatched.length > 0 ? 0 : minPauseMs;
		} catch (error) {
			sayFailure('Cannot dispatch groups of events, trying again', error);
			plan(clock.monotonic() + journalPauseMs);
			return undefined;
		}
	};

	const plan = (at: number) => {
		// Each event of a group moves its end: letting a timer fire too early is cheaper than setting a new one for each.
		if (timer.isFree() || plannedAt > at) {
			plannedAt = at;
			timer.set(at - clock.monotonic(), wake);
		}
	};

	const flush = async () => {
		let waiting = 0;
		for (let failures = 0; ;) {
			try {
				// oxlint-disable-next-line no-await-in-loop -- sequential attempts
				waiting = await groups.pending();
				if (waiting === 0) {
					return;
				}

				// oxlint-disable-next-line no-await-in-loop -- sequential attempts
				report(await groups.dispatch('all', 'stop'));
			} catch (error) {
				failures += 1;
				if (failures === flushTries) {
					log.error(
						'Cannot dispatch the groups that wait: their events are in the journal, and they run after the next start',
						{groups: waiting, error: messageOf(error)},
					);
					return;
				}

				// oxlint-disable-next-line no-await-in-loop -- a pause between two attempts
				await sleep(clock, journalPauseMs);
			}
		}
	};

	wake();
	return {
		/** Looks for due groups: another gateway may have opened one. */
		wake,
		/** A group was opened, grew, or was dispatched to make room: emits it and reschedules. */
		changed(group: Group) {
			report([group]);
			wake();
		},
		/** Starts the run of a pending group now; `false` when it is not pending. @throws SvcError `journal_unavailable` */
		async dispatch(id: number): Promise<boolean> {
			const dispatched = await groups.dispatch({id}, 'person');
			report(dispatched);
			return dispatched.length > 0;
		},
		/** Starts the runs of every group: the receiver has closed. Never rejects. @see manual/routes.md#coalescing */
		async flush() {
			const end = busy.begin();
			await flush();
			end();
		},
		/** Stops dispatching due groups, after the look under way. */
		async [Symbol.asyncDispose]() {
			closed = true;
			timer[Symbol.dispose]();
			await looking;
		},
	};
}
