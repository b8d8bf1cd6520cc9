import {expect, test} from 'vitest';
import {startTestGateway} from '../../helpers/gateway.ts';
import {startScriptedModel} from '../../helpers/scripted-model.ts';
import {parsePrometheus} from '../../webhook/parse-prometheus.ts';

test('"GET /metrics" tells of runs, answers, groups, jobs, journal and event loop beside the requests', async () => {
	await using model = await startScriptedModel([
		{text: 'Done'},
		{text: '[SILENT]'},
		{text: 'Done'},
	]);
	await using gateway = await startTestGateway({
		config: {model: {provider: 'openai-compatible', name: 'm', base_url: model.baseUrl}},
		subscriptions: {hook: {prompt: 'x'}, group: {prompt: 'x', coalesce: {key: 'id'}}},
	});
	await gateway.home.write(
		'cron/jobs.json',
		JSON.stringify({
			jobs: [
				{id: 'job_aaaaaaaa', name: 'a', schedule: '2099-01-01T00:00:00Z', prompt: 'x'},
				{id: 'job_bbbbbbbb', name: 'b', schedule: 'never', prompt: 'x'},
			],
		}),
	);
	await gateway.port.reload();
	await gateway.send('hook', {});
	await gateway.ended(1);
	await gateway.port.runJob('a');
	await gateway.ended(2);
	await gateway.send('group', {id: 1});
	await gateway.send('group', {id: 2});
	await gateway.port.dispatchGroup(1);
	await gateway.ended(3);

	const response = await fetch(`${gateway.url()}/metrics`, {headers: {connection: 'close'}});
	const families = parsePrometheus(await response.text());
	const values = (name: string) =>
		(families.get(name)?.samples ?? []).map(({labels, value}) =>
			[...Object.values(labels), value].join(' '),
		);
	expect(values('svc_runs_ended_total')).toEqual(['done 2', 'silent 1']);
	expect([...values('svc_runs_done_total'), ...values('svc_runs_failed_total')]).toEqual([
		'3',
		'0',
	]);
	expect(values('svc_answers_total')).toEqual(['log delivered 2']);
	expect(values('svc_job_runs_ended_total')).toEqual(['silent 1']);
	expect(values('svc_groups_pending')).toEqual(['1']);
	expect(values('svc_groups_dispatched_total')).toEqual(['person 1']);
	expect(values('svc_jobs')).toEqual(['active 1', 'paused 0', 'ended 0', 'invalid 1']);
	expect(values('svc_runs_active')).toEqual(['0']);
	expect(values('svc_runs_queued')).toEqual(['0']);
	expect(values('svc_runs_waiting')).toEqual(['worker 0', 'rate_limit 0', 'login 0', 'retry 0']);
	expect(values('svc_runs_oldest_waiting_seconds')).toEqual(['0']);
	expect(values('svc_runs_places')).toEqual(['4']);
	expect(values('svc_runs_places_taken')).toEqual(['0']);
	expect(values('svc_journal_failing')).toEqual(['0']);
	for (const name of [
		'svc_journal_commit_p99_seconds',
		'svc_event_loop_delay_p99_seconds',
		'svc_resident_memory_bytes',
		'svc_webhook_requests_total',
	]) {
		expect(families.get(name)?.samples.length).toBeGreaterThan(0);
	}
});
