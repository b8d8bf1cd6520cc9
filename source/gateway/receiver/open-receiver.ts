import type {Clock} from '../../core/clock.ts';
import type {Emit} from '../../core/events.ts';
import type {Logger} from '../../core/log.ts';
import type {Redact} from '../../core/redact.ts';
import type {Deliverer} from '../../delivery/deliverer.ts';
import type {Store} from '../../store/port.ts';
import {createReceiver, type ReceiverDependencies} from '../../webhook/receiver.ts';
import type {LiveGroups} from '../jobs/live-groups.ts';
import type {LiveJobs} from '../jobs/live-jobs.ts';
import type {LiveConfig} from '../live-config.ts';
import type {RunAnnouncer} from '../runs/announce-runs.ts';
import type {LoopBreaker} from '../runs/loop-breaker.ts';
import {holdDirect} from './hold-direct.ts';
import {createLiveReceiver, type LiveReceiver} from './live-receiver.ts';

/** Joins what comes in with the journal, the groups, the jobs and the deliverer. Nothing listens before `start()`. */
export function openReceiver({
	clock,
	live,
	ids,
	store,
	journalFailing,
	deliverer,
	loops,
	wake,
	groups,
	jobs,
	announce,
	emit,
	log,
	redact,
	ownMark,
	metrics,
	environment,
}: {
	readonly clock: Clock;
	readonly live: LiveConfig;
	readonly ids: () => string;
	readonly store: Store;
	readonly journalFailing: ReceiverDependencies['journalFailing'];
	readonly deliverer: Deliverer;
	readonly loops: LoopBreaker;
	/** Looks for due runs. */
	readonly wake: () => void;
	readonly groups: LiveGroups;
	readonly jobs: LiveJobs;
	readonly announce: RunAnnouncer;
	readonly emit: Emit;
	readonly log: Logger;
	readonly redact: Redact;
	readonly ownMark: ReceiverDependencies['ownMark'];
	readonly metrics: ReceiverDependencies['metrics'];
	/** The process's. */
	readonly environment: Readonly<Record<string, string>>;
}): LiveReceiver {
	const config = () => live.current();
	const dependencies: ReceiverDependencies = {
		clock,
		ids,
		intake: store.intake,
		journalFailing,
		routes: () => live.routes(),
		homeOf: profile => config().profiles.of(profile).paths,
		latestStarts: async () => store.runs.latestStarts(),
		multiplexing: () => config().multiplexProfiles,
		jobOf: jobs.jobOf,
		deliverDirect: holdDirect(loops, deliverer),
		onAccepted(runId, job) {
			if (job) {
				// What a delivery implies of its run does not name the job.
				void announce.queued(runId);
			} else {
				wake();
			}
		},
		onGroupChanged(group) {
			groups.changed(group);
		},
		emit,
		log,
		redact,
		ownMark,
		metrics,
		metricsHost: () => config().metrics.host,
		environment: () => environment,
	};
	return createLiveReceiver({
		clock,
		emit,
		log,
		config: () => config().webhook,
		brokenBy: () => live.broken[0]?.message,
		create: ({host, port}) =>
			createReceiver(dependencies, {host, port, maxQueued: () => config().runs.maxQueued}),
		onClosed: () => groups.flush(),
	});
}
