import {mkdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {sampleEntry, startMs} from './samples.ts';
import {schedulerWorld} from './scheduler-world.ts';

const minute = 60_000;
const hour = 60 * minute;

const createdAt = new Date(startMs).toISOString();

/** Two homes with a journal each: that of a profile, and that of a gateway which serves the profile among its own. */
async function twoHomes() {
	const stack = new AsyncDisposableStack();
	const own = stack.use(await schedulerWorld());
	const base = stack.use(await schedulerWorld());
	const firedFile = join(own.profile.paths.cron, 'fired.json');
	/** Lets a scheduler of one of them run for some time; the clock of the other goes along. */
	const during = async (
		{world, other, start}: ReturnType<typeof sideOf>,
		{ms = 0, stepMs = 10_000}: {readonly ms?: number; readonly stepMs?: number} = {},
	) => {
		await using live = await start();
		await world.endRuns();
		for (let passed = 0; passed < ms; passed += stepMs) {
			other.clock.advance(stepMs);
			await live.pass(stepMs, stepMs);
			await world.endRuns();
		}
	};

	const sideOf = (world: typeof own) => ({
		world,
		other: world === own ? base : own,
		start: async () => (world === own ? own.start() : base.start({others: {work: own.profile}})),
	});
	return {
		own,
		base,
		firedFile,
		byOwn: async (time = {}) => during(sideOf(own), time),
		byBase: async (time = {}) => during(sideOf(base), time),
		/** Nobody runs. */
		nobody: (ms: number) => {
			own.clock.advance(ms);
			base.clock.advance(ms);
		},
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

test('"each time fires once" when a profile changes hands, and back', async () => {
	await using homes = await twoHomes();
	const {own, base, byOwn, byBase} = homes;
	own.profile.writeJobs(
		sampleEntry({schedule: '2026-11-20T12:01:00Z', created_at: createdAt}),
		sampleEntry({schedule: 'every 1h', created_at: createdAt}),
	);
	await byOwn({ms: hour + minute});
	expect(own.fired()).toEqual(['12:01:00', '13:00:00']);

	await byBase({ms: hour});
	expect(base.fired()).toEqual(['14:00:00']);

	await byOwn({ms: hour});
	expect(own.fired()).toEqual(['12:01:00', '13:00:00', '15:00:00']);
});

test('what nobody fired while a profile changed hands is made up for once', async () => {
	await using homes = await twoHomes();
	const {own, base, byOwn, byBase, nobody} = homes;
	own.profile.writeJobs(sampleEntry({schedule: 'every 1h', created_at: createdAt}));
	await byOwn({ms: hour});
	nobody(2 * hour);
	await byBase();
	expect(base.fired()).toEqual(['14:00:00']);
	await byOwn();
	expect(own.fired()).toEqual(['13:00:00']);
});

test('a one-shot that fired for another gateway has ended without a warning', async () => {
	await using homes = await twoHomes();
	const {own, base, byOwn} = homes;
	own.profile.writeJobs(sampleEntry({schedule: '2026-11-20T12:01:00Z', created_at: createdAt}));
	await byOwn({ms: 2 * minute});
	await using live = await base.start({others: {work: own.profile}});
	expect(live.view()).toMatchObject({profile: 'work', state: 'ended'});
	expect(base.lines.filter(line => line.startsWith('warn'))).toEqual([]);
});

test('the times that fired are for the owner alone, and only of jobs that there are', async () => {
	await using homes = await twoHomes();
	const {own, firedFile, byOwn} = homes;
	const stays = sampleEntry({schedule: '* * * * *'});
	own.profile.writeJobs(sampleEntry({schedule: '* * * * *'}), stays);
	await byOwn({ms: minute});
	expect(statSync(firedFile).mode & 0o777).toBe(0o600);
	expect(Object.keys(JSON.parse(readFileSync(firedFile, 'utf8')).fired)).toHaveLength(2);

	own.profile.writeJobs(stays);
	await byOwn({ms: minute});
	expect(JSON.parse(readFileSync(firedFile, 'utf8'))).toEqual({
		fired: {[stays.id]: '2026-11-20T12:02:00.000Z'},
	});
});

test('a time that fired by a clock that was years ahead is not believed', async () => {
	await using homes = await twoHomes();
	const {own, base, byOwn, byBase} = homes;
	own.profile.writeJobs(sampleEntry({schedule: '0 * * * *'}));
	own.clock.step(3 * 365 * 24 * hour);
	await byOwn({ms: hour});
	own.clock.step(-3 * 365 * 24 * hour);
	await byBase({ms: hour});
	expect(base.fired()).toEqual(['14:00:00']);
	await byOwn({ms: hour});
	expect(own.fired()).toEqual(['13:00:00', '15:00:00']);
});

test.for(['', '{', '[]', '{"fired": {"job_00000000": 5, "x": "2026"}}', '{"fired": 1}'])(
	'a file of fired times that says nothing useful stops no job: %j',
	async text => {
		await using homes = await twoHomes();
		const {own, firedFile, byOwn} = homes;
		own.profile.writeJobs(sampleEntry({schedule: '* * * * *'}));
		writeFileSync(firedFile, text);
		await byOwn({ms: minute});
		expect(own.fired()).toEqual(['12:01:00']);
		expect(Object.values(JSON.parse(readFileSync(firedFile, 'utf8')).fired)).toEqual([
			'2026-11-20T12:01:00.000Z',
		]);
	},
);

test('times that cannot be written are said once and stop no job', async () => {
	await using homes = await twoHomes();
	const {own, firedFile, byOwn} = homes;
	own.profile.writeJobs(sampleEntry({schedule: '* * * * *'}));
	mkdirSync(join(firedFile, 'in the way'), {recursive: true});
	await byOwn({ms: 3 * minute});
	expect(own.ticks).toHaveLength(3);
	expect(own.lines.filter(line => line.includes('Cannot write'))).toHaveLength(1);

	rmSync(firedFile, {recursive: true});
	await byOwn({ms: minute});
	expect(Object.keys(JSON.parse(readFileSync(firedFile, 'utf8')).fired)).toHaveLength(1);
});
