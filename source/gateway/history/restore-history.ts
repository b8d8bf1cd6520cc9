import type {Delivery} from '../../core/delivery.ts';
import {messageOf} from '../../core/errors.ts';
import {idOfNumber, numberOfId} from '../../core/ids.ts';
import {countOf} from '../../core/names.ts';
import {hourMs} from '../../core/route-counts.ts';
import {limits} from '../../core/state.ts';
import {trafficMinutes} from '../../core/traffic.ts';
import type {RoomWorld} from '../rooms.ts';
import {startCounts} from '../status/health.ts';
import {countMinutes} from './count-routes.ts';

const recentDeliveries = 500;

const recentRuns = 200;

/** How many of the runs that wait for a person are restored, whatever their age; their count is exact. */
const recentToDecide = 200;

/** Emits what the journal holds from before the start and what a crash left, then counts its rows: now, and each second if the numbers have changed. */
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
		// The receiver may have taken newer ones meanwhile, which have been emitted already.
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
		// Needed only for a chart: nothing waits for it.
		void tellHour(world);
	}

	if (pending.length > 0) {
		log.note(
			`${countOf(pending.length, 'group')} of events waited when the last process ended: they go on, or run now where their time is over`,
		);
	}

	for (const [kind, level, text] of takenWords) {
		if (taken[kind].length > 0) {
			log[level](text, {runs: taken[kind].join(', ')});
		}
	}

	const counts = startCounts(
		{clock, log},
		{
			async read() {
				const [kept, count] = await Promise.all([store.runs.kept(), store.journal.count()]);
				return {deliveries: count, runs: kept.all, runsToDecide: kept.toDecide};
			},
			tell: found => emit({type: 'journal-counted', at: clock.now(), counts: found}),
			failure: 'Cannot count what the journal holds',
		},
	);
	await counts.first;
	return counts;
}

/** Log messages about the runs of the last process. */
const takenWords = [
	['requeued', 'note', 'Runs that the last process had not finished are run again'],
	[
		'interrupted',
		'warn',
		'Runs were interrupted: a person decides (svc runs show says why, svc runs retry goes on)',
	],
	[
		'uncertain',
		'warn',
		'Answers may or may not have arrived at their targets: verify, then decide (svc runs retry)',
	],
] as const;

/** Whether the last hour may contain more deliveries than were restored. */
function fillsHour(deliveries: readonly Delivery[], now: number): boolean {
	const oldest = deliveries.at(-1);
	return (
		deliveries.length >= recentDeliveries &&
		oldest !== undefined &&
		oldest.receivedAt > now - hourMs
	);
}

/** Counts the last hour, in the background. */
async function tellHour({
	store,
	emit,
	clock,
	log,
}: Pick<RoomWorld, 'clock' | 'emit' | 'log' | 'store'>): Promise<void> {
	try {
		const now = clock.now();
		const minutes = await countMinutes(store.history, {now, minutes: trafficMinutes});
		emit({type: 'traffic-counted', at: now, minutes});
	} catch (error) {
		log.warn('Cannot count what came within the last hour', {error: messageOf(error)});
	}
}
