import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {Scheduler} from '../../source/schedule/scheduler.ts';
import {createWatchedProfiles} from '../../source/schedule/watched-profiles.ts';
import {recordingLogger, sampleEntry, sampleProfile} from './samples.ts';
import {createSteppingClock, schedulerWorld} from './scheduler-world.ts';

const minute = 60_000;

const manyJobs = (count: number) =>
	Array.from({length: count}, (_, index) =>
		sampleEntry({name: `job ${index}`, schedule: '1 12 * * *'}),
	);

test('a look at many jobs lets other things happen between them', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(...manyJobs(500));
	await using live = await world.start();
	let isDone = false;
	const looking = live.scheduler.reload().then(() => {
		isDone = true;
	});
	for (let count = 0; count < 9; count++) {
		await turn();
		expect(isDone).toBe(false);
	}

	await looking;
});

test('a scheduler that ends in the middle of many jobs fires no further ones', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(...manyJobs(200));
	let ending: PromiseLike<void> | undefined;
	let scheduler: Scheduler | undefined;
	await using live = await world.start({
		wrap: jobs => ({
			...jobs,
			async fire(entry) {
				ending ??= scheduler?.[Symbol.asyncDispose]();
				return jobs.fire(entry);
			},
		}),
	});
	({scheduler} = live);
	await live.pass(minute, 30_000);
	await ending;
	expect(world.ticks).toHaveLength(50);
});

test('no timer is left when it has ended', async () => {
	await using world = await schedulerWorld();
	const entry = sampleEntry({schedule: '* * * * *'});
	world.profile.writeJobs(entry);
	const others = world.clock.pending();
	const live = await world.start();
	live.scheduler.runChanged({profile: 'default', id: entry.id});
	expect(world.clock.pending()).toBe(others + 2);
	await live.scheduler[Symbol.asyncDispose]();
	live.scheduler.runChanged({profile: 'default', id: entry.id});
	expect(world.clock.pending()).toBe(others);
});

test('a queue that is full, or a journal that fails, is not asked again and again at once', async () => {
	await using world = await schedulerWorld();
	world.profile.writeJobs(...manyJobs(2));
	let isFailing = false;
	await using live = await world.start({
		maxQueued: 1,
		wrap: jobs => ({
			...jobs,
			async get(key) {
				if (isFailing) {
					throw new Error('the disk is gone');
				}

				return jobs.get(key);
			},
		}),
	});
	await live.pass(minute, 30_000);
	expect(world.ticks).toHaveLength(1);
	expect(world.clock.waits.at(-1)).toBe(30_000);

	await world.endRuns();
	await live.pass(30_000);
	expect(world.ticks).toHaveLength(2);
	isFailing = true;
	world.clock.step(24 * 60 * minute);
	live.scheduler.runChanged({profile: 'default', id: world.ticks[0]?.job ?? ''});
	await live.pass(250, 250);
	expect(world.clock.waits.at(-1)).toBeGreaterThan(20_000);
	expect(Math.min(...world.clock.waits)).toBeGreaterThan(0);
});

test('a profile is watched since it was first there, or since the clock went back before that', () => {
	using own = sampleProfile();
	using work = sampleProfile();
	let profiles = [{profile: 'default', paths: own.paths}];
	const watched = createWatchedProfiles({
		clock: createSteppingClock(),
		profiles: () => profiles,
		log: recordingLogger().log,
	});
	const sinceAt = (now: number) => watched.refresh(now).map(({since}) => since);
	expect(sinceAt(1000)).toEqual([1000]);
	const reader = watched.get('default')?.reader;
	profiles = [...profiles, {profile: 'work', paths: work.paths}];
	expect(sinceAt(2000)).toEqual([1000, 2000]);
	expect(sinceAt(1500)).toEqual([1000, 1500]);
	expect(sinceAt(3000)).toEqual([1000, 1500]);
	expect(sinceAt(10)).toEqual([10, 10]);
	expect(watched.get('default')?.reader).toBe(reader);

	profiles = profiles.slice(0, 1);
	expect(sinceAt(4000)).toEqual([10]);
	expect(watched.get('work')).toBeUndefined();
});
