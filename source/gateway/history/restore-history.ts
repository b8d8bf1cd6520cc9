import {every} from '../../core/clock.ts';
import type {Delivery} from '../../core/delivery.ts';
import {messageOf} from '../../core/errors.ts';
import {idOfNumber, numberOfId} from '../../core/ids.ts';
import {countOf} from '../../core/names.ts';
import {hourMs} from '../../core/route-counts.ts';
import {type JournalCounts, limits} from '../../core/state.ts';
import {trafficMinutes} from '../../core/traffic.ts';
import type {World} from '../../core/world.ts';
import type {Store} from '../../store/port.ts';
import type {RoomWorld} from '../rooms.ts';
import {createFailureReport} from '../runs/announce-runs.ts';
import {countMinutes} from './count-routes.ts';

const recentDeliveries = 500;

const recentRuns = 200;

/** What waits for a person is told of however old it is; the count of all of them is exact. */
const recentToDecide = 200;

/** Reports what the journal knows from before the start, says what a crash had left, and counts from there on. */
export async function restoreHistory(
	world: Pick<RoomWorld, 'clock' | 'emit' | 'log' | 'store' | 'taken'>,
): Promise<Disposable> {
	const {store, taken, emit, clock, log} = world;
	const {lastId} = store;
	/** An unreadable part counts as empty: it only fills lists, and no event waits for it. */
	const readable = async <Row>(part: string, rows: Promise<readonly Row[]>) => {
		try {
			return await rows;
		} catch (error) {
			log.error(
				`Cannot read the ${part} of before this start in the journal ("svc doctor" says what to do): ${messageOf(error)}`,
			);
			return [];
		}
	};

	const [deliveries, runs, toDecide, pending, dispatched, approvals] = await Promise.all([
		// The receiver may have taken others meanwhile: those have been told of.
		lastId === ''
			? []
			: readable(
					'deliveries',
					store.journal.list({
						before: idOfNumber(numberOfId(lastId) + 1),
						limit: recentDeliveries,
					}),
				),
		readable('runs', store.runs.list({limit: recentRuns})),
		readable('runs to decide', store.runs.toDecide(recentToDecide)),
		readable('groups', store.groups.list({state: 'pending', limit: limits.pendingGroups})),
		readable('groups', store.groups.list({state: 'dispatched', limit: limits.dispatchedGroups})),
		readable('approvals', store.approvals.settled({limit: limits.settledApprovals})),
	]);
	const runsFrom = runs.at(-1)?.id ?? 0;
	emit({
		type: 'history-restored',
		at: clock.now(),
		deliveries: deliveries.toReversed(),
		runs: [...toDecide.filter(({id}) => id < runsFrom), ...runs].toSorted(
			(one, other) => one.id - other.id,
		),
		...(runs.length === recentRuns && {runsFrom}),
		groups: [...pending, ...dispatched],
		approvals: approvals.toReversed(),
	});

	if (fillsHour(deliveries, clock.now())) {
		// Only a picture needs it: nothing waits.
		void tellHour({store, emit, clock, log});
	}

	if (pending.length > 0) {
		log.note(
			`${countOf(pending.length, 'group')} of events waited when the last process ended: they go on, or run now where their time is over`,
		);
	}

	const {requeued, interrupted, uncertain} = taken;
	if (requeued.length > 0) {
		log.note('Runs that the last process had not finished are run again', {
			runs: requeued.join(', '),
		});
	}

	if (interrupted.length > 0) {
		log.warn(
			'Runs were interrupted: a person decides (svc runs show says why, svc runs retry goes on)',
			{
				runs: interrupted.join(', '),
			},
		);
	}

	if (uncertain.length > 0) {
		log.warn(
			'Answers may or may not have arrived at their targets: verify, then decide (svc runs retry)',
			{
				runs: uncertain.join(', '),
			},
		);
	}

	return startJournalCounts({store, clock, emit, log});
}

/** Whether more than was restored came within the hour. */
function fillsHour(deliveries: readonly Delivery[], now: number): boolean {
	const oldest = deliveries.at(-1);
	return (
		deliveries.length >= recentDeliveries &&
		oldest !== undefined &&
		oldest.receivedAt > now - hourMs
	);
}

/** Counts the last hour beside the start. */
async function tellHour(
	world: Pick<World, 'clock' | 'emit' | 'log'> & {
		readonly store: Pick<Store, 'history'>;
	},
): Promise<void> {
	const {store, emit, clock, log} = world;
	try {
		const now = clock.now();
		const minutes = await countMinutes(store.history, {now, minutes: trafficMinutes});
		emit({type: 'traffic-counted', at: now, minutes});
	} catch (error) {
		log.warn('Cannot count what came within the last hour', {error: messageOf(error)});
	}
}

/** How often it is counted, milliseconds. */
const countMs = 1000;

/** Tells what the journal holds, whatever is in memory: at once, and each second when it is another number. Ends with its scope. */
async function startJournalCounts(
	world: Pick<World, 'clock' | 'emit' | 'log'> & {
		readonly store: Pick<Store, 'runs' | 'journal'>;
	},
): Promise<Disposable> {
	const {store, clock, emit, log} = world;
	let last: JournalCounts | undefined;
	const sayFailure = createFailureReport(log, 'warn');
	const count = async () => {
		try {
			const [{all: runs, toDecide}, deliveries] = await Promise.all([
				store.runs.kept(),
				store.journal.count(),
			]);
			sayFailure.over();
			if (last?.deliveries !== deliveries || last.runs !== runs || last.runsToDecide !== toDecide) {
				last = {deliveries, runs, runsToDecide: toDecide};
				emit({type: 'journal-counted', at: clock.now(), counts: last});
			}
		} catch (error) {
			sayFailure('Cannot count what the journal holds', error);
		}
	};

	await count();
	const stop = every(clock, countMs, count);
	return {
		[Symbol.dispose]: stop,
	};
}
