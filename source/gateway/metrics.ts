import type {GatewayState} from '../core/state.ts';
import type {Store} from '../store/port.ts';

/**
 * What the gateway adds to the receiver's `/metrics`, in Prometheus text: runs, journal, event loop.
 *
 * @see Decisions 3
 */
export function gatewayMetrics(
	state: GatewayState,
	{
		health,
		active,
	}: {
		readonly health: ReturnType<Store['health']>;
		readonly active: number;
	},
): string {
	const values: ReadonlyArray<readonly [name: string, type: 'gauge' | 'counter', value: number]> = [
		['svc_runs_active', 'gauge', active],
		['svc_runs_queued', 'gauge', health.queued],
		['svc_runs_done_total', 'counter', state.totals.runsDone],
		['svc_runs_failed_total', 'counter', state.totals.runsFailed],
		['svc_journal_commit_p50_seconds', 'gauge', seconds(health.commitP50Ms)],
		['svc_journal_commit_p99_seconds', 'gauge', seconds(health.commitP99Ms)],
		['svc_journal_failing', 'gauge', health.failing ? 1 : 0],
		['svc_journal_notes_dropped_total', 'counter', health.notesDropped],
		['svc_event_loop_delay_p99_seconds', 'gauge', seconds(state.health?.loopDelayP99Ms ?? 0)],
		['svc_resident_memory_bytes', 'gauge', state.health?.rssBytes ?? 0],
	];
	return values.map(([name, type, value]) => `# TYPE ${name} ${type}\n${name} ${value}\n`).join('');
}

const seconds = (milliseconds: number): number => milliseconds / 1000;
