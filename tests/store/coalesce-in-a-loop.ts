import {writeSync} from 'node:fs';
import {systemClock} from '../../source/core/clock.ts';
import {createIdSource} from '../../source/core/ids.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import {groupedEntry, logPlan, sampleJob} from './samples.ts';

// Events that wait together, groups that become runs, a job that fires and runs that end, as fast as it goes until it is killed. Says on stdout what was acknowledged:
// `event ID`, `tick TIME`.
const [, , file = ''] = process.argv;
const store = await openSqliteStore({clock: systemClock}, {file});
const nextId = createIdSource(systemClock, store.lastId);
const maxQueued = Number.MAX_SAFE_INTEGER;
let count = 0;

const acceptForever = async () => {
	for (;;) {
		const id = nextId();
		count += 1;
		const group = {windowMs: 5, maxWaitMs: 20, key: `k${count % 7}`};
		const entry = groupedEntry(
			'',
			{id, deliveryId: id, receivedAt: systemClock.now(), body: new Uint8Array(3000)},
			{group, maxQueued},
		);
		// oxlint-disable-next-line no-await-in-loop -- one connection sends one event after the other
		await store.intake.accept(entry);
		writeSync(1, `event ${id}\n`);
	}
};

const dispatchForever = async () => {
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await store.groups.dispatchDue();
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await new Promise(resolve => setImmediate(resolve));
	}
};

const workForever = async () => {
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		for (const lease of await store.runs.lease(4, 60_000)) {
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			await store.runs.settle(lease, {state: 'done'});
		}
	}
};

const fireForever = async () => {
	const known = (await store.jobs.list()).find(({id}) => id === sampleJob.id)?.nextAt;
	if (known === undefined) {
		await store.jobs.plan(sampleJob, {nextAt: 1, basis: 'one after the other'});
	}

	for (let dueAt = known ?? 1; ;) {
		const plan = {...logPlan, prompt: `tick ${dueAt}`};
		const tick = {dueAt, nextAt: dueAt + 1};
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const fired = await store.jobs.fire({job: sampleJob, plan, maxQueued, tick});
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const again = await store.jobs.fire({job: sampleJob, plan, maxQueued, tick});
		if (fired.kind === 'stale' || again.kind !== 'stale') {
			throw new Error(`the tick ${dueAt} was ${fired.kind}, then ${again.kind}`);
		}

		if (fired.kind === 'fired') {
			writeSync(1, `tick ${dueAt}\n`);
		}

		dueAt += 1;
	}
};

await Promise.all([
	...Array.from({length: 8}, acceptForever),
	dispatchForever(),
	workForever(),
	fireForever(),
]);
