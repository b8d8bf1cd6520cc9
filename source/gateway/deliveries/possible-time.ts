import type {StoredDelivery} from '../../core/delivery.ts';
import {SvcError} from '../../core/errors.ts';

/** Clocks differ; more than a day is a mistake, and later still there is no date. */
const aheadMs = 24 * 60 * 60 * 1000;

/**
 * Refuses an imported delivery that has not been received yet. `now` is in milliseconds since 1970.
 *
 * @throws SvcError `delivery_invalid`
 */
export function requirePossibleTime(
	{receivedAt}: Pick<StoredDelivery, 'receivedAt'>,
	now: number,
): void {
	if (receivedAt > now + aheadMs) {
		throw new SvcError(
			'delivery_invalid',
			'Cannot import a delivery: receivedAt is more than a day ahead of the clock of this machine',
		);
	}
}
