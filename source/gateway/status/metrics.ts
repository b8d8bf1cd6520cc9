import type {GatewayEvent} from '../../core/events.ts';
import type {JobView} from '../../core/job.ts';
import {oldestWaitMs, queuedOf, type RunQueue} from '../../core/run-queue.ts';
import {hasEnded} from '../../core/run.ts';
import type {GatewayState} from '../../core/state.ts';
import type {StoreHealth} from '../../store/store-health.ts';
import {type Family, type MetricSample, writeCounters} from '../../webhook/metrics.ts';
import {createToolMetrics} from './tool-metrics.ts';

/** What holds at the moment of a look. */
type Now = {
	readonly state: Pick<GatewayState, 'jobs' | 'totals' | 'health' | 'servers' | 'approvals'>;
	/** Milliseconds since 1970. */
	readonly now: number;
	readonly journal: StoreHealth;
	readonly queue: RunQueue;
	/** Runs under way. */
	readonly active: number;
	readonly pendingGroups: number;
};

export type GatewayMetrics = {
	/** Counts an event. Cheap: called for each. */
	observe(event: GatewayEvent): void;
	/** What the gateway adds to the receiver's `/metrics`, in Prometheus text: runs, groups, jobs, answers, tools, approvals, journal, event loop. */
	render(now: Now): string;
};

/** Counts what becomes of runs and groups, in memory. The labels are states, reasons and kinds of targets, all of them few. @see manual/metrics.md */
export function createGatewayMetrics(): GatewayMetrics {
	const ended = createCounts();
	const answers = createCounts();
	const groups = createCounts();
	const jobRuns = createCounts();
	const tools = createToolMetrics();

	return {
		observe(event) {
			tools.observe(event);
			if (event.type === 'group-changed' && event.group.state === 'dispatched') {
				groups.add({reason: event.group.reason ?? 'quiet'});
			} else if (event.type === 'run-changed' && hasEnded(event.run.state)) {
				const {state, target, job} = event.run;
				ended.add({state});
				if (job) {
					jobRuns.add({state});
				}

				if (state === 'done' || state === 'dead' || state === 'uncertain') {
					answers.add({target, result: state === 'done' ? 'delivered' : state});
				}
			}
		},
		render: ({state, now, journal, queue, active, pendingGroups}) =>
			[
				gauge('svc_runs_active', 'Runs under way.', active),
				gauge(
					'svc_runs_queued',
					'Runs that wait, whatever for: the sum of `svc_runs_waiting`.',
					queuedOf(queue.waits),
				),
				writeCounters(
					{
						name: 'svc_runs_waiting',
						help: 'Queued runs by what they wait for: `worker`, `rate_limit`, `login`, `retry`.',
						type: 'gauge',
					},
					[
						{labels: {for: 'worker'}, value: queue.waits.worker},
						{labels: {for: 'rate_limit'}, value: queue.waits.rateLimit},
						{labels: {for: 'login'}, value: queue.waits.login},
						{labels: {for: 'retry'}, value: queue.waits.retry},
					],
				),
				gauge(
					'svc_runs_oldest_waiting_seconds',
					'How long the oldest run has waited for a worker; 0 where none does.',
					(oldestWaitMs(queue, now) ?? 0) / 1000,
				),
				gauge('svc_runs_places', 'Places for runs at work (`runs.concurrency`).', queue.places.all),
				gauge('svc_runs_places_taken', 'Places that are taken.', queue.places.taken),
				total('svc_runs_done_total', 'Runs that came to an answer.', state.totals.runsDone),
				total(
					'svc_runs_failed_total',
					'Runs that failed, also at their delivery.',
					state.totals.runsFailed,
				),
				counter(
					'svc_runs_ended_total',
					'Runs that ended, by state; one that is dropped ends once more.',
					ended.samples(),
				),
				counter(
					'svc_answers_total',
					'Answers by target and by what became of them.',
					answers.samples(),
				),
				gauge('svc_groups_pending', 'Groups of events that wait.', pendingGroups),
				counter(
					'svc_groups_dispatched_total',
					'Groups that became a run, by reason.',
					groups.samples(),
				),
				writeCounters(
					{name: 'svc_jobs', help: 'Scheduled jobs by state.', type: 'gauge'},
					countStates(state.jobs),
				),
				counter(
					'svc_job_runs_ended_total',
					'Runs of jobs that ended, by state.',
					jobRuns.samples(),
				),
				tools.render(state),
				gauge(
					'svc_journal_commit_p50_seconds',
					'Median of the last commits.',
					journal.commitP50Ms / 1000,
				),
				gauge(
					'svc_journal_commit_p99_seconds',
					'99th percentile of the last commits.',
					journal.commitP99Ms / 1000,
				),
				gauge(
					'svc_journal_failing',
					'Whether the journal cannot be written.',
					journal.failing ? 1 : 0,
				),
				total(
					'svc_journal_notes_dropped_total',
					'Refused requests that were not kept.',
					journal.notesDropped,
				),
				gauge(
					'svc_event_loop_delay_p99_seconds',
					'99th percentile of the delay of the event loop in the last second.',
					(state.health?.loopDelayP99Ms ?? 0) / 1000,
				),
				gauge('svc_resident_memory_bytes', 'Memory of the process.', state.health?.rssBytes ?? 0),
			].join(''),
	};
}

const gauge = (name: string, help: string, value: number): string =>
	writeCounters({name, help, type: 'gauge'}, [{labels: {}, value}]);

const total = (name: string, help: string, value: number): string =>
	writeCounters({name, help, type: 'counter'}, [{labels: {}, value}]);

const counter = (name: Family['name'], help: string, samples: readonly MetricSample[]): string =>
	writeCounters({name, help, type: 'counter'}, samples);

function createCounts() {
	const counts = new Map<string, {readonly labels: MetricSample['labels']; value: number}>();
	return {
		add(labels: MetricSample['labels']) {
			const key = JSON.stringify(labels);
			const count = counts.get(key) ?? {labels, value: 0};
			count.value++;
			counts.set(key, count);
		},
		samples: (): readonly MetricSample[] => [...counts.values()],
	};
}

function countStates(jobs: readonly JobView[]): readonly MetricSample[] {
	const states: ReadonlyArray<JobView['state']> = ['active', 'paused', 'ended', 'invalid'];
	return states.map(state => ({
		labels: {state},
		value: jobs.filter(job => job.state === state).length,
	}));
}
