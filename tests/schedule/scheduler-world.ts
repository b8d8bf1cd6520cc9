import {join} from 'node:path';
import {createBusy} from '../../source/core/clock.ts';
import type {JobView} from '../../source/core/job.ts';
import type {Logger} from '../../source/core/log.ts';
import {createScheduler} from '../../source/schedule/scheduler.ts';
import type {Jobs} from '../../source/store/job-port.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import type {Store} from '../../source/store/port.ts';
import {createFakeClock, type FakeClock} from '../helpers/fake-clock.ts';
import {layStore} from '../helpers/lay-store.ts';
import {recordingLogger, sampleProfile, startMs, type SampleProfile} from './samples.ts';

export type SteppingClock = FakeClock & {
	/** What timers were asked to wait, milliseconds. */
	readonly waits: readonly number[];
	/** Timers that have neither fired nor been cancelled. */
	pending(): number;
	/** Sets the wall clock on, or back. */
	step(byMs: number): void;
};

export function createSteppingClock(): SteppingClock {
	const clock = createFakeClock(startMs);
	const waits: number[] = [];
	let offset = 0;
	let pending = 0;
	return {
		...clock,
		waits,
		now: () => clock.now() + offset,
		after(delayMs, callback) {
			waits.push(delayMs);
			pending++;
			let isOver = false;
			const end = () => {
				pending -= isOver ? 0 : 1;
				isOver = true;
			};
			const cancel = clock.after(delayMs, () => {
				end();
				callback();
			});
			return () => {
				end();
				cancel();
			};
		},
		pending: () => pending,
		step(byMs) {
			offset += byMs;
		},
	};
}

/** A time of the schedule that fired. */
export type Tick = {
	readonly job: string;
	readonly dueAt: number | undefined;
	readonly runId: number;
};

/** A home in which a scheduler can be started again and again, on the real journal. */
export async function schedulerWorld() {
	const profile = sampleProfile();
	const clock = createSteppingClock();
	const {log, lines} = recordingLogger();
	const ticks: Tick[] = [];
	const file = join(profile.path, 'state.db');
	await layStore(file);
	const openStore = async () => openSqliteStore({clock}, {file});
	let store = await openStore();

	return {
		profile,
		clock,
		lines,
		/** What fired, in order, over all schedulers. */
		ticks,
		store: () => store,
		/** The times that fired, as `12:00:00`. */
		fired: () =>
			ticks.map(({dueAt}) =>
				dueAt === undefined ? 'now' : new Date(dueAt).toISOString().slice(11, 19),
			),
		/** Closes the journal and opens it again, as a restart does. */
		async reopen() {
			await store[Symbol.asyncDispose]();
			store = await openStore();
		},
		start: async (options: StartOptions = {}) =>
			start({profile, clock, log, ticks, store: () => store}, options),
		/** Ends every run that has not ended. */
		async endRuns() {
			for (const {id} of await store.runs.list({states: ['queued'], limit: 1000})) {
				await store.runs.cancel(id);
			}
		},
		async [Symbol.asyncDispose]() {
			await store[Symbol.asyncDispose]();
			profile[Symbol.dispose]();
		},
	};
}

type StartOptions = {
	readonly maxQueued?: number;
	/** Other profiles beside `default`. */
	readonly others?: Readonly<Record<string, SampleProfile>>;
	/** A journal with another behaviour. */
	readonly wrap?: (jobs: Jobs) => Jobs;
};

type Parts = {
	readonly profile: SampleProfile;
	readonly clock: SteppingClock;
	readonly log: Logger;
	readonly ticks: Tick[];
	readonly store: () => Store;
};

async function start(
	{profile, clock, log, ticks, store}: Parts,
	{maxQueued = 1000, others = {}, wrap = jobs => jobs}: StartOptions,
) {
	const busy = createBusy();
	const changes: Array<readonly JobView[]> = [];
	const announced: number[] = [];
	const {jobs} = store();
	const scheduler = createScheduler({
		clock,
		jobs: wrap({
			...jobs,
			async fire(entry) {
				const fired = await jobs.fire(entry);
				if (fired.kind === 'fired') {
					ticks.push({job: entry.job.id, dueAt: entry.tick?.dueAt, runId: fired.runId});
				}

				return fired;
			},
		}),
		profiles: () => [
			{profile: 'default', paths: profile.paths},
			...Object.entries(others).map(([name, {paths}]) => ({profile: name, paths})),
		],
		whyNotServed: name => `the jobs of profile "${name}" are not fired here`,
		log,
		maxQueued: () => maxQueued,
		onFired(runId) {
			announced.push(runId);
		},
		onChanged(views) {
			changes.push(views);
		},
		busy,
	});
	await scheduler.reload();
	await busy.idle();

	return {
		scheduler,
		changes,
		announced,
		idle: () => busy.idle(),
		/** Lets time pass in steps; after each, all looks are done. */
		async pass(ms: number, stepMs = 1000) {
			for (let passed = 0; passed < ms; passed += stepMs) {
				clock.advance(stepMs);
				await busy.idle();
			}
		},
		/** The only job. */
		view(): JobView {
			const [view] = scheduler.views();
			if (!view) {
				throw new Error('there is no job');
			}

			return view;
		},
		[Symbol.asyncDispose]: () => scheduler[Symbol.asyncDispose](),
	};
}
