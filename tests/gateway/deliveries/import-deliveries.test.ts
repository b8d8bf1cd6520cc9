import {expect, test} from 'vitest';
import {SvcError} from '../../../source/core/errors.ts';
import type {GatewayEvent} from '../../../source/core/events.ts';
import {createIdSource} from '../../../source/core/ids.ts';
import {readWireDelivery, toWire} from '../../../source/gateway/contract/wire-delivery.ts';
import {importDeliveries} from '../../../source/gateway/deliveries/import-deliveries.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {sampleDelivery, startMs} from '../../store/samples.ts';

/** Imports on a journal that takes what `takes` says. */
function openImport(takes: (count: number) => boolean = () => true) {
	const clock = createFakeClock(startMs);
	const events: GatewayEvent[] = [];
	const recorded: string[] = [];
	let count = 0;
	return {
		events,
		recorded,
		take: async (deliveries: Parameters<typeof importDeliveries>[0]) =>
			importDeliveries(deliveries, {
				clock,
				ids: createIdSource(clock),
				store: {
					intake: {
						async record({delivery}) {
							count++;
							if (!takes(count)) {
								throw new SvcError('journal_unavailable', 'Cannot write: the disk is full');
							}

							recorded.push(delivery.id);
						},
					},
				},
				emit: event => {
					events.push(event);
				},
			}),
	};
}

const idsOf = (events: readonly GatewayEvent[]) =>
	events.flatMap(event => (event.type === 'delivery-received' ? [event.delivery.id] : []));

test('a journal that fails half-way: what it took is shown, and the message says how many that is', async () => {
	// The first 50 go together; of the second 50 every other one fails.
	const half = openImport(count => count <= 50 || count % 2 === 0);
	const many = Array.from({length: 120}, () => sampleDelivery());
	await expect(half.take(many)).rejects.toMatchObject({
		code: 'journal_unavailable',
		message: 'Cannot write: the disk is full; 75 of 120 deliveries were taken in',
	});
	expect(half.recorded).toHaveLength(75);
	expect(idsOf(half.events)).toEqual(half.recorded);

	const none = openImport(() => false);
	await expect(none.take(many.slice(0, 1))).rejects.toMatchObject({
		message: 'Cannot write: the disk is full; 0 of 1 deliveries were taken in',
	});
});

test('what was checked when it was read is not checked again; anything else is', async () => {
	const {take, recorded} = openImport();
	const read = readWireDelivery(JSON.parse(JSON.stringify(toWire(sampleDelivery()))));
	let looks = 0;
	const body = new Proxy(new Uint8Array(8), {
		get(bytes, key) {
			looks++;
			return Reflect.get(bytes, key) as unknown;
		},
	});
	expect(await take([read, {...sampleDelivery(), body}])).toBe(2);
	expect(recorded).toHaveLength(2);
	expect(looks).toBeLessThan(4);
	await expect(take([{...read, status: 7}])).rejects.toMatchObject({code: 'delivery_invalid'});
	await expect(take([{...read, body: 'text' as never}])).rejects.toMatchObject({
		code: 'delivery_invalid',
		message: expect.stringContaining('body'),
	});
});
