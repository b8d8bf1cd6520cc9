import {every} from '../../core/clock.ts';
import type {GatewayEvent} from '../../core/events.ts';
import {hasEnded} from '../../core/run.ts';
import type {LiveGroups} from '../jobs/live-groups.ts';
import type {LiveJobs} from '../jobs/live-jobs.ts';
import type {RoomWorld} from '../rooms.ts';
import type {RunAnnouncer} from '../runs/announce-runs.ts';

/** How often the rooms look for what no note told of, milliseconds. */
const lookMs = 5000;

/** Has the rooms of this gateway heed what happened at others: there may be runs to work on, groups to dispatch and jobs that look otherwise. Ends with the cluster. */
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
		/** Looks for due runs. */
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

			// A place of its route, or of its job, may be free.
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
