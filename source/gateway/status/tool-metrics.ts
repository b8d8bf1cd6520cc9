import type {ApprovalOutcome} from '../../core/approval.ts';
import type {GatewayEvent} from '../../core/events.ts';
import type {GatewayState} from '../../core/state.ts';
import {serverStatuses} from '../../core/tool-server.ts';
import {type MetricSample, writeCounters} from '../../webhook/metrics.ts';

/** Servers that get a line of their own; the calls of further ones are counted together. */
const maxServers = 200;

const otherServers = 'other';

const outcomes: readonly ApprovalOutcome[] = [
	'allowed',
	'denied',
	'timeout',
	'cancelled',
	'shutdown',
	'void',
	'full',
];

type CallResult = 'ok' | 'error' | 'denied';

/** What `/metrics` says of tools and approvals. Servers are those of the configuration, all other labels are fixed words. */
export type ToolMetrics = {
	/** Counts an event. Cheap: called for each. */
	observe(event: GatewayEvent): void;
	render(state: Pick<GatewayState, 'servers' | 'approvals'>): string;
};

/** Counts tool calls of runs by server (those of built-in tools with an empty one), and decisions, in memory. */
export function createToolMetrics(): ToolMetrics {
	const calls = new Map<string, Map<CallResult, number>>();
	const decisions = new Map<ApprovalOutcome, number>(outcomes.map(outcome => [outcome, 0]));

	const countCall = (server: string, result: CallResult) => {
		const name = calls.has(server) || calls.size < maxServers ? server : otherServers;
		const counts = calls.get(name) ?? new Map<CallResult, number>();
		counts.set(result, (counts.get(result) ?? 0) + 1);
		calls.set(name, counts);
	};

	return {
		observe(event) {
			if (event.type === 'approval-settled') {
				const outcome = event.approval.decision?.outcome;
				if (outcome !== undefined) {
					decisions.set(outcome, (decisions.get(outcome) ?? 0) + 1);
				}
			} else if (event.type === 'run-progressed' && event.entry.kind === 'tool-result') {
				const {
					builtIn,
					server = builtIn === true ? '' : undefined,
					ok,
					denied,
				} = event.entry.data ?? {};
				if (typeof server === 'string') {
					countCall(server, denied === true ? 'denied' : ok === true ? 'ok' : 'error');
				}
			}
		},
		render: ({servers, approvals}) =>
			[
				writeCounters(
					{
						name: 'svc_tool_calls_total',
						help: 'Tool calls of runs by server, which is empty for built-in tools, and by what came of them.',
						type: 'counter',
					},
					[...calls].flatMap(([server, counts]) =>
						[...counts].map(([result, value]): MetricSample => ({labels: {server, result}, value})),
					),
				),
				writeCounters(
					{name: 'svc_tool_servers', help: 'Tool servers by where they stand.', type: 'gauge'},
					serverStatuses.map(status => ({
						labels: {status},
						value: servers.filter(server => server.status === status).length,
					})),
				),
				writeCounters(
					{
						name: 'svc_approvals_waiting',
						help: 'Calls and forms that wait for a person.',
						type: 'gauge',
					},
					[{labels: {}, value: approvals.length}],
				),
				writeCounters(
					{
						name: 'svc_approvals_total',
						help: 'Requests for approval that were settled, by outcome.',
						type: 'counter',
					},
					[...decisions].map(([outcome, value]) => ({labels: {outcome}, value})),
				),
			].join(''),
	};
}
