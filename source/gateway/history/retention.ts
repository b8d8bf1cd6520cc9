import {every} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {World} from '../../core/world.ts';
import type {Retention, Store} from '../../store/port.ts';
import {holdLease} from '../../store/shared-port.ts';

const intervalMs = 10 * 60_000;

/** Applies the retention every ten minutes until disposed of, unless another gateway on the store does. */
export function startRetention(
	{clock, store, log}: Pick<World, 'clock' | 'log'> & {readonly store: Store},
	{
		retention,
	}: {
		/** `undefined`: nothing is removed. */
		readonly retention: () => Retention | undefined;
	},
): Disposable {
	const stop = every(clock, intervalMs, async () => {
		const bounds = retention();
		if (!bounds) {
			return;
		}

		try {
			await using lease = await holdLease(store.leases('retention'), clock);
			if (!lease) {
				return;
			}

			const {bodies, rows} = await store.journal.purge(bounds, lease.lost);
			if (bodies + rows > 0) {
				log.info('Old deliveries were removed', {bodies, rows});
			}
		} catch (error) {
			log.warn('Cannot remove old deliveries, trying again later', {error: messageOf(error)});
		}
	});
	return {[Symbol.dispose]: stop};
}
