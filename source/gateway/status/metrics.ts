import {approvalOutcomes} from '../../core/approval.ts';
import type {GatewayEvent} from '../../core/events.ts';
import type {JobView} from '../../core/job.ts';
import {oldestWaitMs, queuedOf, type RunQueue} from '../../core/run-queue.ts';
import {hasEnded} from '../../core/run.ts';
import type {GatewayState} from '../../core/state.ts';
import {serverStatuses} from '../../core/tool-server.ts';
import type {StoreHealth} from '../../store/port.ts';
import {type MetricSample, writeCounters} from '../../webhook/metrics.ts';

/** Values at the time of rendering. */
type Now = {
	readonly state: Pick<GatewayState, 'jobs' | 'totals' | 'health' | 'servers' | 'approvals'>;
	/** Milliseconds since 1970. */
	readonly now: number;
	readonly journal: StoreHealth;
	readonly queue: RunQueue;
	/** Number of runs under way. */
	readonly active: number;
	readonly pendingGroups: number;
};

/** Counts outcomes of runs and groups in memory. Labels are states, reasons and kinds of targets, so there are few. @see manual/metrics.md */
export function createGatewayMetrics() {
	const ended = createCounts();
	const answers = createCounts();
	const groups = createCounts();
	const jobRuns = createCounts();
	const tools = createToolMetrics();

	return {
		/** Counts an event. Cheap: called for each. */
		observe(event: GatewayEvent) {
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
		/** The gateway's part of the receiver's `/metrics`, as Prometheus text: runs, groups, jobs, answers, tools, approvals, journal, event loop. */
		render: ({state, now, journal, queue, active, pendingGroups}: Now): string =>
			[
				gauge('svc_runs_active', 'Runs under way.', active),
				gauge(
					'svc_runs_queued',
					'Runs that wait, for whatever reason: the sum of `svc_runs_waiting`.',
					queuedOf(queue.waits),
				),
				gauge(
					'svc_runs_waiting',
					'Queued runs by what they wait for: `worker`, `rate_limit`, `login`, `retry`.',
					[
						{labels: {for: 'worker'}, value: queue.waits.worker},
						{labels: {for: 'rate_limit'}, value: queue.waits.rateLimit},
						{labels: {for: 'login'}, value: queue.waits.login},
						{labels: {for: 'retry'}, value: queue.waits.retry},
					],
				),
				gauge(
					'svc_runs_oldest_waiting_seconds',
					'How long the oldest run has waited for a worker; 0 if none waits.',
					(oldestWaitMs(queue, now) ?? 0) / 1000,
				),
				gauge('svc_runs_places', 'Places for runs at work (`runs.concurrency`).', queue.places.all),
				gauge('svc_runs_places_taken', 'Places that are taken.', queue.places.taken),
				counter('svc_runs_done_total', 'Runs that came to an answer.', state.totals.runsDone),
				counter(
					'svc_runs_failed_total',
					'Runs that failed, including those whose delivery failed.',
					state.totals.runsFailed,
				),
				counter(
					'svc_runs_ended_total',
					'Runs that ended, by state; a run that is dropped later counts once more.',
					ended.samples(),
				),
				counter('svc_answers_total', 'Answers by target and by result.', answers.samples()),
				gauge('svc_groups_pending', 'Groups of events that wait.', pendingGroups),
				counter(
					'svc_groups_dispatched_total',
					'Groups that became a run, by reason.',
					groups.samples(),
				),
				gauge('svc_jobs', 'Scheduled jobs by state.', countStates(state.jobs)),
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
				counter(
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

type Value = number | readonly MetricSample[];

const gauge = (name: string, help: string, value: Value): string =>
	writeCounters({name, help, type: 'gauge'}, samplesOf(value));

const counter = (name: string, help: string, value: Value): string =>
	writeCounters({name, help, type: 'counter'}, samplesOf(value));

const samplesOf = (value: Value): readonly MetricSample[] =>
	typeof value === 'number' ? [{labels: {}, value}] : value;

/** Counters by labels; those of `first` start at zero. */
function createCounts(first: ReadonlyArray<MetricSample['labels']> = []) {
	const counts = new Map(first.map(labels => [JSON.stringify(labels), {labels, value: 0}]));
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

/** Maximum number of servers with a label of their own; the calls of others are counted together. */
const maxServers = 200;

const otherServers = 'other';

/** Counts tool calls of runs by server (built-in tools under an empty name), and decisions, in memory. Labels are servers of the configuration or fixed words. */
export function createToolMetrics() {
	const servers = new Set<string>();
	const calls = createCounts();
	const decisions = createCounts(approvalOutcomes.map(outcome => ({outcome})));
	return {
		/** Counts an event. Cheap: called for each. */
		observe(event: GatewayEvent) {
			if (event.type === 'approval-settled' && event.approval.decision) {
				decisions.add({outcome: event.approval.decision.outcome});
			} else if (event.type === 'run-progressed' && event.entry.kind === 'tool-result') {
				const {builtIn, ok, denied, ...data} = event.entry.data ?? {};
				const {server = builtIn === true ? '' : undefined} = data;
				if (typeof server === 'string') {
					const name = servers.has(server) || servers.size < maxServers ? server : otherServers;
					servers.add(name);
					calls.add({
						server: name,
						result: denied === true ? 'denied' : ok === true ? 'ok' : 'error',
					});
				}
			}
		},
		render: (state: Pick<GatewayState, 'servers' | 'approvals'>): string =>
			[
				counter(
					'svc_tool_calls_total',
					'Tool calls of runs by server (empty for built-in tools) and by result.',
					calls.samples(),
				),
				gauge(
					'svc_tool_servers',
					'Tool servers by status.',
					serverStatuses.map(status => ({
						labels: {status},
						value: state.servers.filter(server => server.status === status).length,
					})),
				),
				gauge(
					'svc_approvals_waiting',
					'Calls and forms that wait for a person.',
					state.approvals.length,
				),
				counter(
					'svc_approvals_total',
					'Requests for approval that were settled, by outcome.',
					decisions.samples(),
				),
			].join(''),
	};
}
