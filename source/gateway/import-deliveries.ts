import type {Clock} from '../core/clock.ts';
import type {StoredDelivery} from '../core/delivery.ts';
import type {Emit} from '../core/events.ts';
import type {Intake} from '../store/port.ts';
import {headersToStore} from '../webhook/headers.ts';
import {requirePossibleTime} from './possible-time.ts';
import {readWireDelivery, toWire} from './wire-delivery.ts';

/** Imported in one go: they share commits of the journal. */
const atOnce = 50;

/**
 * Takes deliveries of another journal into this one under new identifiers; nothing runs. They are checked and cleaned again: a file may hold anything. Their number.
 *
 * @throws SvcError `delivery_invalid` before anything is written, `journal_unavailable`
 */
export async function importDeliveries(
	deliveries: readonly StoredDelivery[],
	{
		clock,
		ids,
		intake,
		emit,
	}: {
		readonly clock: Clock;
		readonly ids: () => string;
		readonly intake: Pick<Intake, 'record'>;
		readonly emit: Emit;
	},
): Promise<number> {
	const checked = deliveries
		.map(delivery => readWireDelivery(toWire(delivery)))
		.map((delivery): StoredDelivery => ({
			...delivery,
			id: ids(),
			idSource: 'import',
			// What was secret where they come from was redacted there.
			headers: headersToStore(delivery.headers, text => text),
		}));
	for (const delivery of checked) {
		requirePossibleTime(delivery, clock.now());
	}

	for (let start = 0; start < checked.length; start += atOnce) {
		const some = checked.slice(start, start + atOnce);
		// oxlint-disable-next-line no-await-in-loop -- a bounded number at a time
		await Promise.all(some.map(async delivery => intake.record({delivery, claim: false})));
		for (const {headers: _headers, body: _body, ...delivery} of some) {
			emit({type: 'delivery-received', at: clock.now(), delivery});
		}
	}

	return checked.length;
}
