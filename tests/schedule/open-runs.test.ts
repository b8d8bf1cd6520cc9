import {expect, test} from 'vitest';
import {sampleEntry, startMs} from './samples.ts';
import {schedulerWorld} from './scheduler-world.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Tells the scheduler of each job's run that has ended, as the gateway does. */
const endRuns = async (
	world: Awaited<ReturnType<typeof schedulerWorld>>,
	live: Awaited<ReturnType<(typeof world)['start']>>,
) => {
	const open = await world.store().runs.list({states: ['queued'], limit: 100});
	await world.endRuns();
	for (const {profile, job} of open) {
		live.scheduler.runChanged({profile, id: job?.id ?? ''});
	}

	await live.pass(250, 250);
};

test.for(['once', 'skip'])(
	'a one-shot that finds a run of it open fires when that has ended: misfire %s',
	async misfire => {
		await using world = await schedulerWorld();
		world.profile.writeJobs(sampleEntry({name: 'shot', schedule: '2026-11-20T12:01:00Z', misfire}));
		await using live = await world.start();
		await live.scheduler.runNow('shot');
		await live.pass(5 * minute);
		expect(world.fired()).toEqual(['now']);
		expect(live.view()).toMatchObject({state: 'active', open: 1});
		expect(
			world.lines.filter(line => line.includes('waits for the end of its run 1')),
		).toHaveLength(1);

		await endRuns(world, live);
		expect(world.fired()).toEqual(['now', '12:01:00']);
		expect(live.view()).toMatchObject({state: 'ended', open: 1});
		await endRuns(world, live);
		await live.pass(5 * minute);
		expect(world.ticks).toHaveLength(2);
	},
);

test('what is to be made up for after a standstill waits for the run that is open', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(sampleEntry({name: 'hourly', schedule: '0 * * * *'}));
	{
		await using first = await world.start();
		await first.scheduler.runNow('hourly');
	}

	world.clock.advance(90 * minute);
	await world.reopen();
	await using second = await world.start();
	expect(world.fired()).toEqual(['now']);
	expect(second.view().nextAt).toBe(startMs + hour);
	await endRuns(world, second);
	expect(world.fired()).toEqual(['now', '13:00:00']);
	await endRuns(world, second);
	await second.pass(30 * minute);
	expect(world.fired()).toEqual(['now', '13:00:00', '14:00:00']);
});

test('a run that begins or ends is looked at within a quarter of a second, and its job alone', async () => {
	await using world = await schedulerWorld();
	const entries = Array.from({length: 20}, (_, index) => sampleEntry({name: `job ${index}`}));
	world.profile.writeJobs(...entries);
	const calls: string[] = [];
	await using live = await world.start({
		wrap: jobs => ({
			...jobs,
			async list() {
				calls.push('list');
				return jobs.list();
			},
			async get(key) {
				calls.push(key.id);
				return jobs.get(key);
			},
		}),
	});
	const before = live.scheduler.views();
	const {id} = entries[3] ?? sampleEntry();
	const {store} = world;
	await store().jobs.fire({
		job: {profile: 'default', id, name: 'job 3'},
		plan: {prompt: 'x', skills: [], target: {kind: 'log', extra: {}}},
		maxQueued: 9,
	});
	calls.length = 0;
	live.changes.length = 0;
	for (let count = 0; count < 1000; count++) {
		live.scheduler.runChanged({profile: 'default', id});
	}

	await live.pass(249, 249);
	expect(calls).toEqual([]);
	await live.pass(1, 1);
	expect(calls).toEqual([id]);
	expect(live.changes).toHaveLength(1);
	const after = live.scheduler.views();
	expect(after[3]).toMatchObject({open: 1, lastRunId: 1});
	expect(after.filter((view, index) => view !== before[index])).toEqual([after[3]]);

	live.scheduler.runChanged({profile: 'default', id: 'job_unknown0'});
	await live.pass(250, 250);
	expect(live.changes).toHaveLength(1);
});

test('what changes all the time does not put off the look at everything', async () => {
	await using world = await schedulerWorld();
	const entry = sampleEntry({name: 'old'});
	world.profile.writeJobs(entry);
	await using live = await world.start();
	for (let passed = 0; passed < 29_000; passed += 500) {
		live.scheduler.runChanged({profile: 'default', id: entry.id});
		await live.pass(500, 250);
	}

	world.profile.writeJobs({...entry, name: 'new'});
	await live.pass(1000, 250);
	expect(live.view().name).toBe('new');
});

test('the file counts at the moment at which a job fires, though nobody told that it has changed', async () => {
	await using world = await schedulerWorld();
	const entry = sampleEntry({schedule: '*/10 * * * * *'});
	world.profile.writeJobs(entry);
	await using live = await world.start();
	await live.pass(9000);
	world.profile.writeJobs({...entry, paused: true});
	await live.pass(1000);
	expect(world.fired()).toEqual([]);
	expect(live.view().state).toBe('paused');
});
