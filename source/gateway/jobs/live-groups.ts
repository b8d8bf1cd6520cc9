import {sleep, createTimer} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {Group} from '../../core/group.ts';
import type {World} from '../../core/world.ts';
import type {Groups} from '../../store/group-port.ts';
import {createFailureReport} from '../runs/announce-runs.ts';

/** Pause after the journal failed to dispatch. */
const journalPauseMs = 1000;

/** Shortest wait before the next look, so that a clock that is wrong cannot make it spin. */
const minPauseMs = 20;

/** Tries to hand the groups over when the receiver closes; what the journal does not take then waits in it for the next start. */
const flushTries = 3;

export type LiveGroups = ReturnType<typeof createLiveGroups>;

/**
 * Dispatches groups when their quiet window or their cap is over. What is due is the journal's knowledge: this only asks at the moment that
 * it named. Groups whose time was over before the start run at once.
 *
 * @see manual/routes.md#coalescing
 */
export function createLiveGroups(
	world: Pick<World, 'busy' | 'clock' | 'emit' | 'log'> & {
		readonly groups: Groups;
		/** The group's run is on disk and waits; must not throw. */
		readonly onDispatched: (group: Group) => void;
	},
) {
	const {clock, groups, busy, emit, log, onDispatched} = world;
	/** For the look that is planned, `plannedAt` on the monotonic clock. */
	const timer = createTimer(clock);
	let plannedAt = -Infinity;
	let looking: Promise<void> | undefined;
	/** Since the look that is under way has asked. */
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

	/** Looks now, or once more when a look is under way. Callers do not wait. */
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

	/** Dispatches what is due, or plans when to look; `minMs` from now at the earliest. Milliseconds to wait at least before the next look, `undefined` when that is planned. */
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
		// Every event of a group moves its end: a timer that fires too early is cheaper than a new one for each.
		if (timer.isFree() || plannedAt > at) {
			plannedAt = at;
			timer.set(at - clock.monotonic(), wake);
		}
	};

	const flush = async () => {
		let waiting = 0;
		for (let failures = 0; ;) {
			try {
				// oxlint-disable-next-line no-await-in-loop -- one try after the other
				waiting = await groups.pending();
				if (waiting === 0) {
					return;
				}

				// oxlint-disable-next-line no-await-in-loop -- one try after the other
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

				// oxlint-disable-next-line no-await-in-loop -- a pause between two tries
				await sleep(clock, journalPauseMs);
			}
		}
	};

	wake();
	return {
		/** Looks what is due: another gateway may have opened a group. */
		wake,
		/** A group opened, grew, or was dispatched to make room for the next: tells the faces and minds when it is due. */
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
		/** No group is dispatched for its time any more; what is under way ends first. */
		async [Symbol.asyncDispose]() {
			closed = true;
			timer[Symbol.dispose]();
			await looking;
		},
	};
}
