import {PassThrough, Writable} from 'node:stream';
import {expect, test} from 'vitest';
import {eventLine, timeOfDay} from '../../../source/cli/lines/event-line.ts';
import {createLineWriter} from '../../../source/cli/lines/lines.ts';
import type {Approval} from '../../../source/core/approval.ts';
import type {GatewayEvent} from '../../../source/core/events.ts';
import {jsonLine} from '../../../source/core/json.ts';
import {attackCorpus} from '../../helpers/attack-corpus.ts';
import {foreignSequences} from '../../helpers/foreign-sequences.ts';
import {makeShownTool} from '../../helpers/make-server.ts';
import {
	makeDelivery,
	makeGroup,
	makeJob,
	makeRun,
	received,
	runChanged,
} from '../../helpers/make.ts';

const at = new Date(2026, 10, 20, 15, 4, 2).getTime();

const delivery = makeDelivery({receivedAt: at, durationMs: 37.6, id: 'd7f3a1'});

const collect = () => {
	const stream = new PassThrough();
	return {stream, text: () => String(stream.read() ?? '')};
};

const refused: GatewayEvent = {
	type: 'webhook-refused',
	at,
	code: 'no_secret',
	reason: 'route "a" has no secret',
};

test('a received delivery is one line', () => {
	expect(eventLine(received(delivery))).toEqual({
		text: '15:04:02 gh-review pull_request 202 accepted 38ms d7f3a1',
		notice: false,
		important: false,
	});
});

test('a run is a line when it has ended', () => {
	const run = makeRun({id: 184, delivery: 'd7f3a1', createdAt: at, startedAt: at});
	expect(eventLine(runChanged(run))).toBeUndefined();
	expect(
		eventLine(runChanged({...run, state: 'failed', finishedAt: at + 41_000, error: 'timed out'}))
			?.text,
	).toBe('15:04:02 gh-review run 184 failed 41.0s d7f3a1 timed out');
});

test('a run that a schedule fired names its job; a group is a line when it is dispatched', () => {
	const {delivery: _none, ...run} = makeRun({
		id: 9,
		route: '-',
		event: 'schedule',
		job: {id: 'job_abcd1234', name: 'nightly'},
		state: 'done',
		createdAt: at,
	});
	expect(eventLine(runChanged(run))?.text).toBe('15:04:02 schedule job nightly run 9 done');

	const group = makeGroup({id: 3, route: 'gh', key: 'acme/api#7', count: 5});
	expect(eventLine({type: 'group-changed', at, group})).toBeUndefined();
	const dispatched = {...group, state: 'dispatched', reason: 'quiet', runId: 12} as const;
	expect(eventLine({type: 'group-changed', at, group: dispatched})).toEqual({
		text: '15:04:02 gh group 3 dispatched quiet 5 events run 12 acme/api#7',
		notice: false,
		important: false,
	});
});

test('jobs are a line when their number or state changed, with what cannot be used', () => {
	const out = collect();
	using writer = createLineWriter({stream: out.stream, format: 'compact'});
	const job = makeJob({name: 'nightly', state: 'active'});
	const broken = makeJob({name: 'odd', state: 'invalid', problem: 'no such zone'});
	writer.write([
		{type: 'jobs-changed', at, jobs: [job, broken]},
		{type: 'jobs-changed', at: at + 1000, jobs: [{...job, nextAt: at}, broken]},
		{type: 'jobs-changed', at: at + 2000, jobs: [{...job, state: 'paused'}]},
		{type: 'jobs-changed', at: at + 3000, jobs: []},
	]);
	expect(out.text()).toBe(
		[
			'15:04:02 jobs: 1 active, 1 invalid; "odd" cannot be used: no such zone',
			'15:04:04 jobs: 1 paused',
			'15:04:05 jobs: none',
			'',
		].join('\n'),
	);
});

test('a call that waits for a person is said also when everything else is kept quiet, with what to type', () => {
	const approval: Approval = {
		id: 7,
		kind: 'tool',
		run: 3,
		profile: 'default',
		requestedAt: at,
		deadline: at + 1000,
		latestDeadline: at + 1000,
		tool: makeShownTool(),
		args: {},
		argsBytes: 2,
		scopes: ['once'],
		mustTypeName: false,
	};

	expect(eventLine({type: 'approval-requested', at, approval})).toEqual({
		text: '15:04:02 approval 7 waits: mcp__crm__search run 3 (svc approvals allow 7)',
		notice: true,
		important: true,
	});
	expect(
		eventLine({
			type: 'approval-settled',
			at,
			approval: {...approval, decision: {outcome: 'timeout', at, by: 'deadline'}},
		})?.text,
	).toBe('15:04:02 approval 7 timeout by deadline');
});

test('what is no result goes to the other stream, health and progress nowhere', () => {
	const out = collect();
	const notices = collect();
	using writer = createLineWriter({
		stream: out.stream,
		notices: notices.stream,
		format: 'compact',
	});
	writer.write([
		{type: 'webhook-listening', at, url: 'http://127.0.0.1:8644'},
		received(delivery),
		{type: 'health-sampled', at, health: {loopDelayP99Ms: 1, rssBytes: 1, requestsPerSecond: 0}},
		{
			type: 'log-written',
			record: {at, level: 'info', source: 'webhook', message: 'fine', fields: {}},
			at,
		},
		refused,
	]);
	expect(out.text()).toBe('15:04:02 gh-review pull_request 202 accepted 38ms d7f3a1\n');
	expect(notices.text()).toBe(
		'15:04:02 listening on http://127.0.0.1:8644\n15:04:02 webhook receiver refused: route "a" has no secret\n',
	);
});

test('quiet says only what needs a person', () => {
	const out = collect();
	using writer = createLineWriter({stream: out.stream, format: 'quiet'});
	writer.write([
		received(delivery),
		{type: 'gateway-stopping', at},
		refused,
		{
			type: 'log-written',
			at,
			record: {at, level: 'error', source: 'agent', message: 'broken', fields: {}},
		},
	]);
	expect(out.text()).toBe(
		'15:04:02 webhook receiver refused: route "a" has no secret\n15:04:02 error agent: broken\n',
	);
});

test('json writes every event but words that are being written as one object on one line', () => {
	const out = collect();
	using writer = createLineWriter({stream: out.stream, format: 'json'});
	const events = [received(delivery), refused];
	writer.write([...events, {type: 'run-said', at, runId: 1, from: 0, text: 'Let me'}]);
	const lines = out.text().trimEnd().split('\n');
	expect(lines.map(line => JSON.parse(line))).toEqual(events);
});

test('nothing that a stranger sends gets a sequence, a second line or a hidden character onto a terminal', () => {
	for (const attack of attackCorpus) {
		const events: readonly GatewayEvent[] = [
			received(makeDelivery({event: attack, route: attack})),
			runChanged(makeRun({state: 'failed', error: attack})),
			{
				type: 'log-written',
				at,
				record: {at, level: 'error', source: 'x', message: attack, fields: {}},
			},
		];
		for (const event of events) {
			const line = eventLine(event)?.text ?? 'none';
			const json = jsonLine(event);
			expect(foreignSequences(line + json)).toEqual([]);
			expect(line + json).not.toMatch(/[\n\r]/);
			expect(JSON.parse(json)).toEqual(event);
		}
	}
});

test('an empty fact is a dash, so that the columns stay', () => {
	expect(eventLine(received(makeDelivery({receivedAt: at, event: '', id: 'x'})))?.text).toBe(
		'15:04:02 gh-review - 202 accepted 3ms x',
	);
});

test('a reader that has gone closes the writer, and nothing is thrown', async () => {
	const stream = new Writable({
		write(_chunk, _encoding, done) {
			done(Object.assign(new Error('write EPIPE'), {code: 'EPIPE'}));
		},
	});
	using writer = createLineWriter({stream, format: 'compact'});
	writer.write([received(delivery)]);
	await expect(writer.closed).resolves.toEqual({code: 'EPIPE'});
	writer.write([received(delivery)]);
});

test('lines for a reader that does not keep up are dropped and counted', () => {
	const chunks: string[] = [];
	let release = () => {};
	const stream = new Writable({
		highWaterMark: 1,
		decodeStrings: false,
		write(chunk, _encoding, done) {
			chunks.push(String(chunk));
			release = done;
		},
		writev(batch, done) {
			chunks.push(...batch.map(({chunk}) => String(chunk)));
			done();
		},
	});
	using writer = createLineWriter({stream, format: 'json'});
	const long = makeDelivery({route: 'x'.repeat(10_000)});
	writer.write(Array.from({length: 200}, () => received(long)));
	expect(stream.writableLength).toBeLessThan(1_100_000);
	release();
	writer.write([received(delivery)]);
	release();
	expect(chunks.join('')).toMatch(/\{"type":"lines-dropped","count":\d+\}\n/);
});

test('the time is that of this machine', () => {
	expect(timeOfDay(at)).toBe('15:04:02');
	expect(timeOfDay(new Date(2026, 0, 1, 0, 0, 0).getTime())).toBe('00:00:00');
});
