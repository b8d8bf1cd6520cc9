import {writeSync} from 'node:fs';
import {systemClock} from '../../source/core/clock.ts';
import {createIdSource} from '../../source/core/ids.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import {sampleEntry} from './samples.ts';

// Accepts as fast as it can until it is killed; says each identifier on stdout once it is acknowledged.
const [, , file = ''] = process.argv;
const store = await openSqliteStore({clock: systemClock}, {file});
const nextId = createIdSource(systemClock, store.lastId);

const acceptForever = async () => {
	for (;;) {
		const id = nextId();
		const entry = sampleEntry(
			{id, deliveryId: id, receivedAt: systemClock.now(), body: new Uint8Array(7000)},
			{maxQueued: Number.MAX_SAFE_INTEGER},
		);
		// oxlint-disable-next-line no-await-in-loop -- one connection sends one event after the other
		await store.intake.accept(entry);
		writeSync(1, `${id}\n`);
	}
};

await Promise.all(Array.from({length: 16}, acceptForever));
