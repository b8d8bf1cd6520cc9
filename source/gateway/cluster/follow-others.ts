import {every} from '../../core/clock.ts';
import type {GatewayEvent} from '../../core/events.ts';
import {hasEnded} from '../../core/run.ts';
import type {LiveGroups} from '../jobs/live-groups.ts';
import type {LiveJobs} from '../jobs/live-jobs.ts';
import type {RoomWorld} from '../rooms.ts';
import type {RunAnnouncer} from '../runs/announce-runs.ts';

/** How often rooms look for changes without a note, milliseconds. */
const lookMs = 5000;

/** Applies events of other gateways to the rooms of this one: wakes the dispatcher, reads groups and jobs again. Ends with the cluster. */
export function followOthers(
	{clock, cluster, log}: Pick<RoomWorld, 'clock' | 'cluster' | 'log'>,
	{
		announce,
		jobs,
		groups,
		wake,
	}: {
		readonly announce: RunAnnouncer;
		readonly jobs: Pick<LiveJobs, 'changed' | 'runChanged'>;
		readonly groups: Pick<LiveGroups, 'wake'>;
		/** Looks for due runs now. */
		readonly wake: () => void;
	},
): void {
	if (!cluster.isShared) {
		return;
	}

	const heed = (event: GatewayEvent) => {
		if (event.type === 'group-changed') {
			groups.wake();
		}

		if (event.type === 'run-changed') {
			const {state, job, profile} = event.run;
			if (job && (state === 'queued' || hasEnded(state))) {
				jobs.runChanged({profile, id: job.id});
			}

			// A worker of its route or job may be free.
			wake();
		}
	};

	cluster.onHeard(events => {
		for (const event of events) {
			heed(event);
		}
	});
	cluster.onMissed(() => {
		groups.wake();
		wake();
		void jobs.changed();
	});
	cluster.onTaken(({requeued, interrupted, uncertain}) => {
		groups.wake();
		for (const run of requeued) {
			void announce.queued(run);
		}

		for (const run of [...interrupted, ...uncertain]) {
			void announce.changed(run);
		}

		const all = {requeued, interrupted, uncertain};
		const told = Object.entries(all).filter(([, runs]) => runs.length > 0);
		if (told.length > 0) {
			log
				.from('cluster')
				.warn(
					'Runs of a gateway that is gone were taken over',
					Object.fromEntries(told.map(([name, runs]) => [name, runs.join(', ')])),
				);
		}
	});
	cluster.onLeaving(
		every(clock, lookMs, () => {
			groups.wake();
			wake();
		}),
	);
}
