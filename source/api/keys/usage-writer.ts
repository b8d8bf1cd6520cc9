import type {KeyRecord} from '../../core/api-key.ts';
import {dayOf, every} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {createMutex, createRepeat} from '../../core/mutex.ts';
import type {World} from '../../core/world.ts';
import type {StoredKeys} from '../../store/key-port.ts';
import type {KeyUsages} from './key-usage.ts';

const writeMs = 1000;
const dayMs = 86_400_000;

/** Writes the usage of keys once a second; after a failure it is retried. */
export function startUsageWriter({
	clock,
	keys,
	usages,
	log,
	onUsed,
}: Pick<World, 'clock' | 'log'> & {
	readonly keys: Pick<StoredKeys, 'add' | 'list' | 'usesSince' | 'totals'>;
	readonly usages: KeyUsages;
	/** Called with keys that were used, with their records if the use was elsewhere; without keys when all are shown differently, since another day has begun. */
	readonly onUsed: (ids: readonly string[], stored?: readonly KeyRecord[]) => void;
}) {
	let isFailing = false;
	let day = dayOf(clock.now());
	const tell = (ids: Iterable<string>) => {
		const today = dayOf(clock.now());
		if (today !== day) {
			day = today;
			onUsed([]);
			return;
		}

		const used = [...ids];
		if (used.length > 0) {
			onUsed(used);
		}
	};

	const write = async () => {
		tell(usages.used());
		const batch = usages.unwritten();
		if (!batch) {
			return;
		}

		try {
			await keys.add(batch.uses, batch.usedAt, batch.id);
			usages.written();
			isFailing = false;
		} catch (error) {
			// Logged once: the store reports its own state.
			if (!isFailing) {
				isFailing = true;
				log.warn('Cannot write what keys have used; it is tried again', {error: messageOf(error)});
			}
		}
	};

	/** Serialises reading and writing: usage that is written, but not yet known to be, would count twice. */
	const oneByOne = createMutex();
	const stale = new Set<string>();
	const refresh = createRepeat(async () => {
		const ids = [...stale];
		stale.clear();
		// Other gateways write promptly, so none adds to a day before yesterday.
		const since = dayOf(clock.now() - dayMs);
		try {
			const [recent, totals, stored] = await Promise.all([
				keys.usesSince(since, ids),
				keys.totals(ids),
				keys.list(ids),
			]);
			usages.refresh(ids, {day: since, recent, totals});
			onUsed(ids, stored);
		} catch (error) {
			log.warn('Cannot read what keys have used elsewhere', {error: messageOf(error)});
		}
	}, oneByOne);

	const writeSoon = createRepeat(write, oneByOne);
	const stop = every(clock, writeMs, () => {
		void writeSoon();
	});
	return {
		/** Reads the usage of these keys, after the write in progress. */
		refresh(ids: readonly string[]): void {
			for (const id of ids) {
				stale.add(id);
			}

			void refresh();
		},
		async [Symbol.asyncDispose]() {
			stop();
			// First the batch that was tried before, then later usage.
			await oneByOne(write);
			await oneByOne(write);
		},
	};
}
