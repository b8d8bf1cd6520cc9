import {randomUUID} from 'node:crypto';
import {systemClock as clock} from '../../../source/core/clock.ts';
import {createIdSource} from '../../../source/core/ids.ts';
import {openSqliteStore} from '../../../source/store/open-sqlite-store.ts';
import type {Store} from '../../../source/store/port.ts';
import {openPostgresStore} from '../../../source/store/postgres/open-postgres-store.ts';
import {pushExample} from '../example.ts';
import {percentileOf} from '../statistics.ts';

/** Where a process has its store: a file, or the URL of a database. */
export type StorePlace =
	| {readonly kind: 'sqlite'; readonly file: string}
	| {readonly kind: 'postgres'; readonly url: string; readonly node: string};

export type AcceptLoad = {
	readonly routes: number;
	/** Events that wait for their answer at once. */
	readonly callers: number;
	readonly seconds: number;
};

export type AcceptResult = {
	readonly accepts: number;
	readonly seconds: number;
	readonly p50Ms: number;
	readonly p99Ms: number;
	/** Of this process, without the database's. */
	readonly cpuMicrosPerAccept: number;
};

// A store in a process of its own, as a gateway has one: accepts events as fast as they are answered, when it is told to.

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parent writes it
const place = JSON.parse(process.argv[2] ?? '{}') as StorePlace;
const store: Store =
	place.kind === 'sqlite'
		? await openSqliteStore({clock}, {file: place.file})
		: await openPostgresStore({clock}, {url: place.url, node: place.node, place: place.node});
const body = pushExample();
const nextId = createIdSource(clock, store.lastId, store.share);

const accept = async (route: string) =>
	store.intake.accept({
		delivery: {
			id: nextId(),
			profile: 'default',
			route,
			event: 'push',
			deliveryId: randomUUID(),
			idSource: 'x-github-delivery',
			status: 202,
			outcome: 'accepted',
			receivedAt: clock.now(),
			durationMs: 1,
			bodyBytes: body.length,
			flags: 0,
			trace: [{step: 'route', verdict: 'pass', detail: 'static'}],
			headers: {'x-github-event': 'push'},
			body,
		},
		plan: {
			prompt: 'Look at this push',
			target: {kind: 'log', extra: {}},
			skills: [],
			toolsets: ['svc-webhook'],
		},
		maxQueued: 1_000_000,
		idempotencyMs: 3_600_000,
	});

async function measure({routes, callers, seconds}: AcceptLoad): Promise<AcceptResult> {
	const durations: number[] = [];
	const start = performance.now();
	const cpu = process.cpuUsage();
	const end = start + seconds * 1000;
	const caller = async (number: number) => {
		for (let turn = number; performance.now() < end; turn += 1) {
			const began = performance.now();
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			const accepted = await accept(`route-${turn % routes}`);
			if (accepted.kind !== 'accepted') {
				throw new Error(`an event was not accepted but ${accepted.kind}`);
			}

			durations.push(performance.now() - began);
		}
	};
	await Promise.all(Array.from({length: callers}, async (_, index) => caller(index)));
	const {user, system} = process.cpuUsage(cpu);
	return {
		accepts: durations.length,
		seconds: (performance.now() - start) / 1000,
		p50Ms: percentileOf(durations, 0.5),
		p99Ms: percentileOf(durations, 0.99),
		cpuMicrosPerAccept: (user + system) / durations.length,
	};
}

process.on('message', (load: AcceptLoad) => {
	void measure(load).then(result => process.send?.(result));
});
process.on('disconnect', () => {
	void store[Symbol.asyncDispose]().then(() => process.exit(0));
});
process.send?.('open');
