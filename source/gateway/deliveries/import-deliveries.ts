import type {StoredDelivery} from '../../core/delivery.ts';
import {codeOf, errorWithCode, messageOf} from '../../core/errors.ts';
import type {Intake} from '../../store/port.ts';
import {headersToStore} from '../../webhook/request-content.ts';
import {checkDelivery, requirePossibleTime} from '../contract/wire-delivery.ts';
import type {Rooms} from '../rooms.ts';

/** Deliveries imported concurrently, so that they share commits of the journal. */
const atOnce = 50;

/**
 * Imports deliveries of another journal under new identifiers; nothing runs. They are checked and cleaned, since a file may contain anything. Resolves with their number.
 *
 * @throws SvcError `delivery_invalid` before anything is written, `journal_unavailable` saying how many were taken in before
 */
export async function importDeliveries(
	deliveries: readonly StoredDelivery[],
	{
		clock,
		ids,
		store: {intake},
		emit,
	}: Pick<Rooms, 'clock' | 'emit' | 'ids'> & {
		readonly store: {readonly intake: Pick<Intake, 'record'>};
	},
): Promise<number> {
	const checked = deliveries.map(checkDelivery).map((delivery): StoredDelivery => ({
		...delivery,
		id: ids(),
		idSource: 'import',
		// Secrets were redacted by the journal they come from.
		headers: headersToStore(delivery.headers, text => text),
	}));
	for (const delivery of checked) {
		requirePossibleTime(delivery, clock.now());
	}

	let taken = 0;
	for (let start = 0; start < checked.length; start += atOnce) {
		const some = checked.slice(start, start + atOnce);
		// oxlint-disable-next-line no-await-in-loop -- a bounded number at a time
		const results = await Promise.allSettled(
			some.map(async delivery => {
				await intake.record({delivery, claim: false});
				return delivery;
			}),
		);
		for (const result of results) {
			if (result.status === 'fulfilled') {
				const {headers: _headers, body: _body, ...delivery} = result.value;
				taken++;
				emit({type: 'delivery-received', at: clock.now(), delivery});
			}
		}

		const failed = results.find(({status}) => status === 'rejected');
		if (failed?.status === 'rejected') {
			throw errorWithCode(
				codeOf(failed.reason),
				`${messageOf(failed.reason)}; ${taken} of ${checked.length} deliveries were taken in`,
				{cause: failed.reason},
			);
		}
	}

	return taken;
}
