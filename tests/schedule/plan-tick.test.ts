import {expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {expectedNext, planTick} from '../../source/schedule/plan-tick.ts';
import type {JobRecord} from '../../source/store/job-port.ts';
import {sampleJob} from './samples.ts';

const at = (text: string) => Date.parse(`2026-11-${text}Z`);

/** Hourly; looked at since 11:30. */
const decide = (
	now: string,
	{
		record,
		entry = {},
		isNew = false,
		steppedBack = false,
		since = '20T11:30',
		firedUntil,
	}: {
		record?: Partial<JobRecord>;
		entry?: JsonObject;
		isNew?: boolean;
		steppedBack?: boolean;
		since?: string;
		firedUntil?: string;
	} = {},
) => {
	const job = sampleJob({schedule: '0 * * * *', ...entry});
	return planTick(
		job,
		record && {profile: 'default', id: job.id, basis: job.basis, open: 0, ...record},
		{
			now: at(now),
			watchedSince: at(since),
			isNew,
			steppedBack,
			firedUntil: firedUntil === undefined ? undefined : at(firedUntil),
		},
	);
};

test('a job that the journal does not know is planned from now', () => {
	expect(decide('20T12:10')).toMatchObject({kind: 'plan', nextAt: at('20T13:00')});
	expect(decide('20T12:10', {isNew: true})).toMatchObject({nextAt: at('20T13:00')});
});

test('a job that was added while nobody looked is planned from then, up to a day back', () => {
	const added = (createdAt: string) =>
		decide('20T12:10', {isNew: true, entry: {created_at: createdAt}});
	expect(added('2026-11-20T10:30:00Z')).toMatchObject({nextAt: at('20T11:00')});
	expect(added('2026-11-19T11:30:00Z')).toMatchObject({nextAt: at('20T13:00')});
	// A clock that was wrong then.
	expect(added('2030-01-01T00:00:00Z')).toMatchObject({nextAt: at('20T13:00')});
});

test('a job that this process has seen before is planned from now: its time may have fired', () => {
	expect(decide('20T12:10', {entry: {created_at: '2026-11-20T10:30:00Z'}})).toMatchObject({
		nextAt: at('20T13:00'),
	});
});

test('"an edited schedule is planned anew"', () => {
	expect(
		decide('20T12:10', {record: {basis: '5 * * * * UTC', nextAt: at('20T12:05')}, isNew: true}),
	).toMatchObject({kind: 'plan', nextAt: at('20T13:00'), basis: '0 * * * * UTC'});
});

test('a time that is to come is waited for', () => {
	expect(decide('20T12:59', {record: {nextAt: at('20T13:00')}})).toEqual({
		kind: 'wait',
		until: at('20T13:00'),
	});
});

test('a time that has come fires, with the one that follows', () => {
	for (const now of ['20T13:00', '20T13:00:59']) {
		expect(decide(now, {record: {nextAt: at('20T13:00')}})).toEqual({
			kind: 'fire',
			dueAt: at('20T13:00'),
			nextAt: at('20T14:00'),
			missed: false,
		});
	}
});

test('"ticks missed while down: once = one run now"', () => {
	expect(decide('20T12:10', {record: {nextAt: at('20T09:00')}})).toEqual({
		kind: 'fire',
		dueAt: at('20T09:00'),
		nextAt: at('20T13:00'),
		missed: true,
	});
});

test('"skip = none; then next future time"', () => {
	const entry = {misfire: 'skip'};
	expect(decide('20T12:10', {entry, record: {nextAt: at('20T09:00')}})).toEqual({
		kind: 'skip',
		dueAt: at('20T09:00'),
		nextAt: at('20T13:00'),
	});
	// Nobody looked when it was due, be it only for a moment.
	expect(
		decide('20T12:00:02', {entry, record: {nextAt: at('20T12:00')}, since: '20T12:00:01'}),
	).toMatchObject({kind: 'skip'});
	expect(decide('20T12:00:02', {entry, record: {nextAt: at('20T12:00')}})).toMatchObject({
		kind: 'fire',
	});
});

test('what is more than a minute late was missed, though somebody looked: the machine slept', () => {
	const record = {nextAt: at('20T13:00')};
	expect(decide('20T13:02', {record})).toMatchObject({kind: 'fire', missed: true});
	expect(decide('20T13:02', {record, entry: {misfire: 'skip'}})).toMatchObject({kind: 'skip'});
});

test('one time that is over rests, also when it was over before it was first seen', () => {
	const entry = {schedule: '2026-11-20T12:00Z'};
	expect(decide('20T12:00', {entry, record: {nextAt: at('20T12:00')}})).toEqual({
		kind: 'fire',
		dueAt: at('20T12:00'),
		nextAt: undefined,
		missed: false,
	});
	expect(decide('20T12:01', {entry, record: {}})).toEqual({kind: 'rest'});
	expect(decide('20T12:01', {entry})).toMatchObject({kind: 'plan', nextAt: undefined});
	expect(
		decide('20T12:01', {entry: {...entry, misfire: 'skip'}, record: {nextAt: at('20T11:00')}}),
	).toMatchObject({kind: 'skip', nextAt: undefined});
});

test('a paused job rests, and goes on from now', () => {
	const record = {nextAt: at('20T12:00')};
	const paused = decide('20T12:10', {entry: {paused: true}, record});
	expect(paused).toEqual({kind: 'plan', nextAt: undefined, basis: 'paused'});
	expect(decide('20T12:10', {entry: {paused: true}, record: {basis: 'paused'}})).toEqual({
		kind: 'rest',
	});
	expect(decide('20T15:10', {record: {basis: 'paused'}})).toMatchObject({
		kind: 'plan',
		nextAt: at('20T16:00'),
	});
});

test('a clock that went back fires nothing again, up to three hours', () => {
	const record = {lastAt: at('20T13:00'), nextAt: at('20T14:00')};
	expect(decide('20T12:10', {record, steppedBack: true})).toEqual({
		kind: 'wait',
		until: at('20T14:00'),
	});
});

test.for([
	// By less than an interval: what fired does not fire again.
	['20T12:40', {kind: 'wait', until: at('20T14:00')}],
	// By more: it must not stand still for longer than itself.
	['20T11:40', {kind: 'plan', nextAt: at('20T12:00')}],
] as const)('an interval after the clock went back from 13:10 to %s', ([now, decision]) => {
	const record = {lastAt: at('20T13:00'), nextAt: at('20T14:00')};
	const entry = {schedule: 'every 1h', created_at: '2026-11-20T09:00:00Z'};
	expect(decide(now, {record, entry, steppedBack: true})).toMatchObject(decision);
});

test('a clock that went back further was wrong before: the job is planned anew', () => {
	const record = {
		lastAt: Date.parse('2030-01-01T00:00:00Z'),
		nextAt: Date.parse('2030-01-01T01:00:00Z'),
	};
	expect(decide('20T12:10', {record, steppedBack: true})).toMatchObject({
		kind: 'plan',
		nextAt: at('20T13:00'),
	});
});

test('a clock that went back before anything fired plans anew', () => {
	expect(decide('20T12:10', {record: {nextAt: at('20T18:00')}, steppedBack: true})).toMatchObject({
		kind: 'plan',
		nextAt: at('20T13:00'),
	});
});

test('what is expected next needs no journal', () => {
	const job = sampleJob({schedule: '0 * * * *'});
	const record = {profile: 'default', id: job.id, basis: job.basis, open: 0};
	expect(expectedNext(job, undefined, at('20T12:10'))).toBe(at('20T13:00'));
	expect(expectedNext(job, {...record, nextAt: at('20T12:00')}, at('20T12:10'))).toBe(
		at('20T12:00'),
	);
	expect(expectedNext(job, {...record, basis: 'other'}, at('20T12:10'))).toBe(at('20T13:00'));
	expect(expectedNext(sampleJob({paused: true}), undefined, at('20T12:10'))).toBeUndefined();
});

test('what another gateway fired is over, and what follows it is not', () => {
	const entry = {created_at: '2026-11-01T00:00:00Z'};
	// Never planned here: times since then were missed, however old the job is.
	expect(decide('20T12:10', {isNew: true, entry, firedUntil: '19T09:00:01'})).toMatchObject({
		kind: 'plan',
		nextAt: at('19T10:00'),
	});
	expect(decide('20T12:10', {isNew: true, entry, firedUntil: '20T12:00'})).toMatchObject({
		nextAt: at('20T13:00'),
	});
	// Planned here long ago.
	const record = {nextAt: at('20T09:00')};
	expect(decide('20T12:10', {record, firedUntil: '20T11:00:02'})).toMatchObject({
		kind: 'plan',
		nextAt: at('20T12:00'),
	});
	expect(decide('20T12:10', {record, firedUntil: '20T08:00'})).toMatchObject({
		kind: 'fire',
		dueAt: at('20T09:00'),
	});
});

test('a time that fired after now is believed up to three hours ahead, of one time always', () => {
	const record = {nextAt: at('20T12:00')};
	expect(decide('20T12:10', {record, firedUntil: '20T14:00'})).toMatchObject({
		kind: 'plan',
		nextAt: at('20T15:00'),
	});
	expect(decide('20T12:10', {record, firedUntil: '20T15:11'})).toMatchObject({kind: 'fire'});
	const entry = {schedule: '2026-11-20T12:00:00Z'};
	expect(decide('20T12:10', {record, entry, firedUntil: '29T12:00'})).toMatchObject({
		kind: 'plan',
		nextAt: undefined,
	});
});
