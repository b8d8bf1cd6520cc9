import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {SvcError} from '../../source/core/errors.ts';
import {planFor} from '../../source/schedule/job.ts';
import type {Jobs} from '../../source/store/job-port.ts';
import {sampleEntry, sampleProfile, startMs} from './samples.ts';
import {schedulerWorld} from './scheduler-world.ts';

const minute = 60_000;
const hour = 60 * minute;

const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);

test('a job fires at its time: a fresh run of it, with its own plan', async () => {
	await using world = await schedulerWorld();
	const entry = sampleEntry({
		schedule: '5 12 * * *',
		skills: ['a'],
		toolsets: ['mcp'],
		model: 'small',
		deliver: 'email',
		deliver_extra: {chat_id: 'me@example.org'},
	});
	world.profile.writeJobs(entry);
	await using live = await world.start();
	expect(live.view()).toMatchObject({state: 'active', nextAt: at('12:05:00'), open: 0});

	await live.pass(5 * minute - 1000);
	expect(world.fired()).toEqual([]);
	await live.pass(1000);
	expect(world.fired()).toEqual(['12:05:00']);
	const [tick] = world.ticks;
	expect(live.announced).toEqual([tick?.runId]);
	const run = await world.store().runs.get(tick?.runId ?? 0);
	expect(run).toMatchObject({
		profile: 'default',
		route: '-',
		event: 'schedule',
		job: {id: entry.id, name: 'digest'},
		state: 'queued',
		target: 'email',
		plan: {
			prompt: 'Sum up the day',
			skills: ['a'],
			toolsets: ['mcp'],
			model: 'small',
			target: {kind: 'email', extra: {chat_id: 'me@example.org'}},
		},
	});
	expect(run).not.toHaveProperty('delivery');
	expect(live.view()).toMatchObject({
		nextAt: at('12:05:00') + 24 * hour,
		lastAt: at('12:05:00'),
		lastRunId: tick?.runId,
		open: 1,
	});

	await world.endRuns();
	await live.scheduler.reload();
	expect(live.view()).toMatchObject({open: 0});
	expect(live.changes.at(-1)).toEqual(live.scheduler.views());
});

test('a schedule with seconds fires on them', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(sampleEntry({schedule: '*/2 * * * * *'}));
	await using live = await world.start();
	for (let count = 0; count < 5; count++) {
		await live.pass(1000);
		await world.endRuns();
	}

	expect(world.fired()).toEqual(['12:00:02', '12:00:04']);
});

test('"nextAt survives a restart"', async () => {
	await using world = await schedulerWorld();
	const createdAt = new Date(startMs - 10 * minute).toISOString();
	world.profile.writeJobs(sampleEntry({schedule: 'every 3h', created_at: createdAt}));
	{
		await using first = await world.start();
		expect(first.view().nextAt).toBe(at('14:50:00'));
	}

	world.clock.advance(hour);
	await world.reopen();
	await using second = await world.start();
	expect(second.view().nextAt).toBe(at('14:50:00'));
	await second.pass(2 * hour, 10_000);
	expect(world.fired()).toEqual(['14:50:00']);
	expect(second.view().nextAt).toBe(at('17:50:00'));
});

test.for([
	['once', ['12:10:00']],
	['skip', []],
] as const)(
	'"ticks missed while down: once = one run now; skip = none; then next future time": %s',
	async ([misfire, expected]) => {
		await using world = await schedulerWorld();
		world.profile.writeJobs(sampleEntry({schedule: '*/10 * * * *', misfire}));
		{
			await using first = await world.start();
			expect(first.view().nextAt).toBe(at('12:10:00'));
		}

		world.clock.advance(65 * minute);
		await world.reopen();
		await using second = await world.start();
		expect(world.fired()).toEqual(expected);
		expect(second.view().nextAt).toBe(at('13:10:00'));
		await world.endRuns();
		await second.pass(5 * minute);
		expect(world.fired()).toEqual([...expected, '13:10:00']);
	},
);

test('a job that was added while nothing ran makes up for its time, as its misfire says', async () => {
	await using world = await schedulerWorld();
	const added = {
		schedule: '2026-11-20T11:30Z',
		created_at: '2026-11-20T11:00:00Z',
	};
	const [once, skip] = [sampleEntry(added), sampleEntry({...added, misfire: 'skip'})];
	world.profile.writeJobs(once, skip, sampleEntry({schedule: '2026-11-20T11:30Z'}));
	await using live = await world.start();
	expect(world.ticks.map(({job}) => job)).toEqual([once.id]);
	expect(live.scheduler.views().map(({state}) => state)).toEqual(['ended', 'ended', 'ended']);
	expect(world.lines.filter(line => line.includes('was over when it was first seen'))).toHaveLength(
		1,
	);

	await using again = await world.start();
	expect(world.ticks).toHaveLength(1);
	expect(again.view().state).toBe('ended');
});

test('"no overlap": a tick during a run is skipped and said once', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(sampleEntry({schedule: '* * * * *'}));
	await using live = await world.start();
	await live.pass(5 * minute);
	expect(world.fired()).toEqual(['12:01:00']);
	expect(world.lines.filter(line => line.includes('that time is skipped'))).toHaveLength(1);
	expect(live.view().nextAt).toBe(at('12:06:00'));

	await world.endRuns();
	await live.pass(minute);
	expect(world.fired()).toEqual(['12:01:00', '12:06:00']);
	await live.pass(minute);
	expect(world.lines.filter(line => line.includes('that time is skipped'))).toHaveLength(2);
});

test('a one-shot fires once and has ended', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(sampleEntry({schedule: '2026-11-20T12:00:30.500Z'}));
	await using live = await world.start();
	expect(live.view()).toMatchObject({state: 'active', nextAt: at('12:00:30') + 500});
	await live.pass(2 * minute);
	await world.endRuns();
	await live.pass(2 * minute);
	expect(world.ticks).toHaveLength(1);
	expect(live.view()).toMatchObject({state: 'ended', lastAt: at('12:00:31')});
	expect(live.view()).not.toHaveProperty('nextAt');

	await world.reopen();
	await using again = await world.start();
	expect(world.ticks).toHaveLength(1);
	expect(again.view().state).toBe('ended');
});

test('a clock that is set on by an hour fires once for what it passed over, within 30 seconds', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(
		sampleEntry({name: 'once', schedule: '*/10 * * * *'}),
		sampleEntry({name: 'skip', schedule: '*/10 * * * *', misfire: 'skip'}),
	);
	await using live = await world.start();
	world.clock.step(hour);
	await live.pass(30_000);
	expect(world.fired()).toEqual(['12:10:00']);
	await world.endRuns();
	await live.pass(10 * minute);
	expect(world.fired()).toEqual(['12:10:00', '13:10:00', '13:10:00']);
});

test('a clock that is set back by an hour fires nothing twice', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(sampleEntry({schedule: '*/10 * * * *'}));
	await using live = await world.start();
	const tenMinutes = async () => {
		await live.pass(10 * minute);
		await world.endRuns();
	};
	await tenMinutes();
	await tenMinutes();
	world.clock.step(-hour);
	for (let count = 0; count < 8; count++) {
		await tenMinutes();
	}

	expect(world.fired()).toEqual(['12:10:00', '12:20:00', '12:30:00', '12:40:00']);
});

test('a clock that was years ahead is believed again when it is set right, also over a restart', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(sampleEntry({schedule: '0 * * * *'}));
	world.clock.step(3 * 365 * 24 * hour);
	{
		await using first = await world.start();
		await first.pass(hour, 10_000);
		expect(world.ticks).toHaveLength(1);
		await world.endRuns();
	}

	world.clock.step(-3 * 365 * 24 * hour);
	await using second = await world.start();
	expect(second.view().nextAt).toBe(at('14:00:00'));
	await second.pass(hour, 10_000);
	expect(world.fired()).toEqual(['13:00:00', '14:00:00']);
});

test('a machine that slept looks within 30 seconds after it woke', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(sampleEntry({schedule: '0 18 * * *'}));
	await using live = await world.start();
	// Timers stand still in sleep.
	world.clock.step(6 * hour + 5 * minute);
	await live.pass(30_000);
	expect(world.fired()).toEqual(['18:00:00']);
});

test('two schedulers on one journal fire each time once', async () => {
	await using world = await schedulerWorld();
	const entries = Array.from({length: 5}, (_, index) =>
		sampleEntry({name: `job ${index}`, schedule: '*/15 * * * * *'}),
	);
	world.profile.writeJobs(...entries);
	await using one = await world.start();
	await using two = await world.start();
	for (let second = 0; second < 60; second++) {
		world.clock.advance(1000);
		await Promise.all([one.idle(), two.idle()]);
		await world.endRuns();
	}

	const names = world.ticks.map(({job, dueAt}) => `${job} ${dueAt}`);
	expect(names).toHaveLength(5 * 4);
	expect(new Set(names).size).toBe(names.length);
	await Promise.all([one.scheduler.reload(), two.scheduler.reload()]);
	expect(one.scheduler.views()).toEqual(two.scheduler.views());
});

test('"an edited schedule is planned anew", seen within 30 seconds without being told', async () => {
	await using world = await schedulerWorld();
	const entry = sampleEntry({schedule: '0 18 * * *'});
	world.profile.writeJobs(entry);
	await using live = await world.start();
	world.profile.writeJobs({...entry, schedule: '2 12 * * *', prompt: 'New words'});
	await live.pass(30_000);
	expect(live.view()).toMatchObject({schedule: '2 12 * * *', nextAt: at('12:02:00')});
	await live.pass(2 * minute);
	expect(world.fired()).toEqual(['12:02:00']);
	expect(await world.store().runs.get(world.ticks[0]?.runId ?? 0)).toMatchObject({
		plan: {prompt: 'New words'},
	});
});

test('a broken file leaves the last good jobs firing, also those that fire for the first time', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(sampleEntry({schedule: '* * * * *'}));
	await using live = await world.start();
	world.profile.writeText('{"jobs": [');
	await live.scheduler.reload();
	await live.pass(minute);
	expect(world.fired()).toEqual(['12:01:00']);
	expect(await world.store().jobs.list()).toHaveLength(1);
	expect(world.lines.filter(line => line.includes('last good jobs'))).toHaveLength(1);
});

test('a broken file at the start forgets nothing', async () => {
	await using world = await schedulerWorld();
	const entry = sampleEntry({schedule: '*/10 * * * *'});
	world.profile.writeJobs(entry);
	await (await world.start())[Symbol.asyncDispose]();

	world.profile.writeText('');
	await (await world.start())[Symbol.asyncDispose]();

	world.profile.writeText('{');
	await using third = await world.start();
	expect(third.scheduler.views()).toEqual([]);
	expect(await world.store().jobs.list()).toMatchObject([{id: entry.id, nextAt: at('12:10:00')}]);
});

test('a removed job is forgotten and does not fire; its runs stay', async () => {
	await using world = await schedulerWorld();
	const [gone, stays] = [
		sampleEntry({name: 'gone', schedule: '* * * * *'}),
		sampleEntry({name: 'stays', schedule: '5 12 * * *'}),
	];
	world.profile.writeJobs(gone, stays);
	await using live = await world.start();
	await live.pass(minute);
	expect(world.ticks).toHaveLength(1);
	world.profile.writeJobs(stays);
	await live.scheduler.reload();
	expect(live.scheduler.views().map(({name}) => name)).toEqual(['stays']);
	expect(await world.store().jobs.list()).toMatchObject([{id: stays.id}]);
	await live.pass(3 * minute);
	expect(world.ticks).toHaveLength(1);
	expect(await world.store().runs.list({limit: 10})).toHaveLength(1);
});

test('a job that comes back while the process lives does not fire a time again', async () => {
	await using world = await schedulerWorld();
	const entry = sampleEntry({
		schedule: '* * * * *',
		created_at: new Date(startMs).toISOString(),
	});
	world.profile.writeJobs(entry);
	await using live = await world.start();
	await live.pass(2 * minute + 10_000);
	await world.endRuns();
	world.profile.writeJobs(sampleEntry());
	await live.scheduler.reload();
	world.profile.writeJobs(entry);
	await live.scheduler.reload();
	expect(world.fired()).toEqual(['12:01:00']);
	expect(live.view().nextAt).toBe(at('12:03:00'));
});

test('a paused job does not fire, and makes up for nothing when it goes on', async () => {
	await using world = await schedulerWorld();
	const entry = sampleEntry({name: 'digest', schedule: '*/10 * * * *'});
	world.profile.writeJobs(entry);
	await using live = await world.start();
	await live.scheduler.setPaused('digest', {paused: true});
	expect(JSON.parse(readFileSync(world.profile.file, 'utf8'))).toEqual({
		jobs: [{...entry, paused: true}],
	});
	expect(live.view()).toMatchObject({state: 'paused'});
	expect(live.view()).not.toHaveProperty('nextAt');
	await live.pass(25 * minute, 10_000);
	expect(world.fired()).toEqual([]);

	await live.scheduler.setPaused(entry.id, {paused: false});
	expect(live.view()).toMatchObject({state: 'active', nextAt: at('12:30:00')});
	await live.pass(5 * minute, 10_000);
	expect(world.fired()).toEqual(['12:30:00']);
});

test('a person fires a job at once, also a paused one; it waits for its turn', async () => {
	await using world = await schedulerWorld();
	const entry = sampleEntry({name: 'mine', paused: true});
	world.profile.writeJobs(entry, sampleEntry({name: 'twin'}), sampleEntry({name: 'twin'}));
	await using live = await world.start();
	const {runId} = await live.scheduler.runNow('mine');
	await live.scheduler.runNow(entry.id);
	expect(world.fired()).toEqual(['now', 'now']);
	expect(live.announced[0]).toBe(runId);
	expect(await world.store().runs.get(runId)).toMatchObject({
		event: 'person',
		job: {id: entry.id, name: 'mine'},
	});
	expect(live.view()).toMatchObject({open: 2, lastAt: startMs, state: 'paused'});
	await expect(live.scheduler.runNow('nobody')).rejects.toMatchObject({code: 'job_not_found'});
	await expect(live.scheduler.runNow('twin')).rejects.toMatchObject({code: 'job_ambiguous'});
	await expect(live.scheduler.runNow('mine', {profile: 'work'})).rejects.toMatchObject({
		code: 'profile_not_served',
		message: 'Cannot find job "mine": the jobs of profile "work" are not fired here',
	});
	await expect(
		live.scheduler.setPaused('x', {paused: true, profile: 'work'}),
	).rejects.toMatchObject({code: 'profile_not_served'});
});

test('a full queue refuses a person, and a tick waits for room', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(
		sampleEntry({name: 'first', schedule: '1 12 * * *'}),
		sampleEntry({name: 'second', schedule: '2 12 * * *'}),
	);
	await using live = await world.start({maxQueued: 1});
	await live.pass(minute);
	await expect(live.scheduler.runNow('second')).rejects.toMatchObject({code: 'queue_full'});
	await live.pass(5 * minute);
	expect(world.fired()).toEqual(['12:01:00']);
	expect(world.lines.filter(line => line.includes('waits for room'))).toHaveLength(1);
	await world.endRuns();
	await live.pass(30_000);
	expect(world.fired()).toEqual(['12:01:00', '12:02:00']);
});

test('a route fires a job with its context after the prompt', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(sampleEntry({name: 'digest', prompt: 'Sum up'}));
	await using live = await world.start();
	const found = live.scheduler.find('digest');
	if (found.kind !== 'found') {
		throw new Error(found.kind);
	}

	const context = 'Context from webhook route "gh":\nopened #7';
	expect(planFor(found.job, context).prompt).toBe(
		'Sum up\n\nContext from webhook route "gh":\nopened #7',
	);
	// What the file says now counts, before anybody looked.
	world.profile.writeJobs(sampleEntry({name: 'digest', schedule: 'never'}));
	expect(live.scheduler.find('digest')).toMatchObject({kind: 'invalid'});
	expect(live.scheduler.find('digest', 'work')).toMatchObject({kind: 'not-served'});
});

test('jobs of several profiles fire side by side and are told apart', async () => {
	await using world = await schedulerWorld();
	using work = sampleProfile();
	const entry = sampleEntry({name: 'digest', schedule: '1 12 * * *'});
	world.profile.writeJobs(entry);
	work.writeJobs({...entry, prompt: 'At work'});
	await using live = await world.start({others: {work}});
	expect(live.scheduler.views().map(({profile}) => profile)).toEqual(['default', 'work']);
	await live.pass(minute);
	expect(world.ticks).toHaveLength(2);
	expect(await world.store().runs.get(world.ticks[1]?.runId ?? 0)).toMatchObject({
		profile: 'work',
		plan: {prompt: 'At work'},
	});
	await live.scheduler.setPaused('digest', {paused: true, profile: 'work'});
	expect(live.scheduler.views().map(({state}) => state)).toEqual(['active', 'paused']);
});

test('a journal that fails is said once and tried again; nothing is lost', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(
		sampleEntry({name: 'a', schedule: '1 12 * * *'}),
		sampleEntry({name: 'b', schedule: '1 12 * * *'}),
	);
	let fails = false;
	const wrap = (jobs: Jobs): Jobs => ({
		...jobs,
		async fire(entry) {
			if (fails) {
				throw new SvcError('journal_unavailable', 'Cannot write the journal');
			}

			return jobs.fire(entry);
		},
	});
	await using live = await world.start({wrap});
	fails = true;
	await live.pass(3 * minute);
	expect(world.fired()).toEqual([]);
	expect(world.lines.filter(line => line.startsWith('error'))).toHaveLength(1);
	await expect(live.scheduler.runNow('a')).rejects.toMatchObject({code: 'journal_unavailable'});
	fails = false;
	await live.pass(minute);
	expect(world.fired()).toEqual(['12:01:00', '12:01:00']);
	expect(world.lines.filter(line => line.includes('kept again'))).toHaveLength(1);
});

test('a journal that cannot be read at the start leaves the jobs in view', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(sampleEntry({schedule: '1 12 * * *'}));
	let fails = true;
	const wrap = (jobs: Jobs): Jobs => ({
		...jobs,
		async list() {
			if (fails) {
				throw new SvcError('journal_unavailable', 'Cannot read the journal');
			}

			return jobs.list();
		},
	});
	await using live = await world.start({wrap});
	expect(live.view()).toMatchObject({state: 'active', nextAt: at('12:01:00')});
	fails = false;
	await live.pass(minute);
	expect(world.fired()).toEqual(['12:01:00']);
});

test('nothing fires after the end', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(sampleEntry({schedule: '* * * * *'}));
	const live = await world.start();
	await live.scheduler[Symbol.asyncDispose]();
	await live.pass(5 * minute);
	await live.scheduler.reload();
	expect(world.fired()).toEqual([]);
});

test('a thousand jobs that are due at once all fire, once each', async () => {
	await using world = await schedulerWorld();
	const entries = Array.from({length: 1000}, (_, index) =>
		sampleEntry({name: `job ${index}`, schedule: '1 12 * * *'}),
	);
	world.profile.writeJobs(...entries);
	await using live = await world.start({maxQueued: 2000});
	expect(live.scheduler.views()).toHaveLength(1000);
	await live.pass(minute, 10_000);
	expect(new Set(world.ticks.map(({job}) => job)).size).toBe(1000);
	expect(world.ticks).toHaveLength(1000);
	expect(live.scheduler.views().every(({open}) => open === 1)).toBe(true);
});

test('a time that is years away fires, though no timer waits longer than 30 seconds', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(sampleEntry({schedule: '2031-01-01T00:00:05Z'}));
	await using live = await world.start();
	expect(live.view().nextAt).toBe(Date.parse('2031-01-01T00:00:05Z'));
	world.clock.step(Date.parse('2031-01-01T00:00:00Z') - world.clock.now());
	await live.pass(30_000);
	expect(world.fired()).toEqual(['00:00:05']);
	expect(Math.max(...world.clock.waits)).toBe(30_000);
});
