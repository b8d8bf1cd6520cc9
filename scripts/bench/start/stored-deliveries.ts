import {randomUUID} from 'node:crypto';
import {join} from 'node:path';
import {systemClock as clock} from '../../../source/core/clock.ts';
import {createIdSource} from '../../../source/core/ids.ts';
import {openSqliteStore} from '../../../source/store/open-sqlite-store.ts';
import {pushExample} from '../example.ts';

const batch = 100;

/** Fills the journal of a data directory with deliveries of about 7 kB, as if they had been received. */
export async function storeDeliveries(home: string, count: number): Promise<void> {
	await using store = await openSqliteStore({clock}, {file: join(home, 'state.db')});
	const nextId = createIdSource(clock);
	const body = pushExample();
	const record = async () =>
		store.intake.record({
			claim: true,
			delivery: {
				id: nextId(),
				profile: 'default',
				route: 'hook',
				event: 'push',
				deliveryId: randomUUID(),
				idSource: 'x-github-delivery',
				status: 200,
				outcome: 'delivered',
				receivedAt: clock.now(),
				durationMs: 1,
				bodyBytes: body.length,
				flags: 0,
				trace: [{step: 'route', verdict: 'pass', detail: 'static'}],
				headers: {'x-github-event': 'push'},
				body,
			},
		});

	for (let stored = 0; stored < count; stored += batch) {
		await Promise.all(Array.from({length: Math.min(batch, count - stored)}, record));
	}
}
