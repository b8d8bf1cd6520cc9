import {expect, test} from 'vitest';
import {callFacts} from '../../../source/agent/record-steps.ts';
import type {ApprovalOutcome} from '../../../source/core/approval.ts';
import type {GatewayEvent} from '../../../source/core/events.ts';
import type {TranscriptEntry} from '../../../source/core/run.ts';
import {createToolMetrics} from '../../../source/gateway/status/metrics.ts';
import {askedOf} from '../../helpers/make-approval.ts';
import {makeShownTool, makeServer} from '../../helpers/make-server.ts';
import {parsePrometheus} from '../../webhook/parse-prometheus.ts';

const resultOf = (data: NonNullable<TranscriptEntry['data']>): GatewayEvent => ({
	type: 'run-progressed',
	at: 1,
	runId: 1,
	entry: {at: 1, kind: 'tool-result', text: 'x', data},
});

const settled = (outcome: ApprovalOutcome): GatewayEvent => ({
	type: 'approval-settled',
	at: 1,
	approval: {
		id: 1,
		kind: 'tool',
		profile: 'default',
		requestedAt: 1,
		deadline: 2,
		latestDeadline: 2,
		tool: makeShownTool(),
		args: {},
		argsBytes: 2,
		scopes: ['once'],
		mustTypeName: false,
		decision: {outcome, at: 1, by: 'cli (ann)'},
	},
});

const nothing = {servers: [], approvals: []};

function linesOf(text: string, name: string) {
	const samples = parsePrometheus(text).get(name)?.samples ?? [];
	return samples.map(({labels, value}) => [...Object.values(labels), value].join(' '));
}

test('calls of tools are counted by server and result, built-in ones without a server; those of no tool are not', () => {
	const metrics = createToolMetrics();

	metrics.observe(resultOf({server: 'crm', ok: true}));
	metrics.observe(resultOf({server: 'crm', ok: true}));
	metrics.observe(resultOf({server: 'crm', ok: false}));
	metrics.observe(resultOf({server: 'mail', ok: false, denied: true}));
	metrics.observe(resultOf({ok: true}));
	const asked = {...askedOf(makeShownTool()), from: {kind: 'built-in'}} as const;
	const tool = {
		name: 'terminal',
		description: '',
		inputSchema: {},
		readOnly: false,
		needsApproval: true,
		asked,
		execute: async () => ({text: ''}),
	};
	metrics.observe(
		resultOf({...callFacts({toolName: 'terminal', toolCallId: 'a'}, tool), ok: true}),
	);

	expect(linesOf(metrics.render(nothing), 'svc_tool_calls_total')).toEqual([
		'crm ok 2',
		'crm error 1',
		'mail denied 1',
		' ok 1',
	]);
});

test('servers that come and go without end share one label in the end', () => {
	const metrics = createToolMetrics();

	for (let index = 0; index < 1000; index++) {
		metrics.observe(resultOf({server: `server-${index}`, ok: true}));
	}

	const lines = linesOf(metrics.render(nothing), 'svc_tool_calls_total');
	expect(lines).toHaveLength(201);
	expect(lines.at(-1)).toBe('other ok 800');
});

test('every status and every outcome has a line, also at zero', () => {
	const metrics = createToolMetrics();
	metrics.observe(settled('allowed'));
	metrics.observe(settled('timeout'));
	metrics.observe(settled('timeout'));

	const text = metrics.render({
		servers: [
			makeServer(),
			makeServer({name: 'b'}),
			makeServer({name: 'c', status: 'needs login'}),
		],
		approvals: [],
	});

	expect(linesOf(text, 'svc_tool_servers')).toEqual([
		'skipped 0',
		'lazy 0',
		'connecting 0',
		'connected 2',
		'needs login 1',
		'failed 0',
		'parked 0',
		'recycled 0',
	]);
	expect(linesOf(text, 'svc_approvals_waiting')).toEqual(['0']);
	expect(linesOf(text, 'svc_approvals_total')).toEqual([
		'allowed 1',
		'denied 0',
		'timeout 2',
		'cancelled 0',
		'shutdown 0',
		'void 0',
		'full 0',
	]);
});
