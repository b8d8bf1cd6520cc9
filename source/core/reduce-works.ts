import type {Delivery} from './delivery.ts';
import type {GatewayEvent} from './events.ts';
import {hasEnded} from './run.ts';
import type {DeliveryRow} from './state.ts';

type Work = NonNullable<Delivery['work']>;

/**
 * The rows after `events`, with what became of their deliveries: runs and groups are forgotten sooner than the events that they are of. Those under way are told of by their runs; a row keeps
 * how one ended, and that a later event of its group took its place.
 */
export function worksAfter(
	rows: readonly DeliveryRow[],
	events: readonly GatewayEvent[],
): readonly DeliveryRow[] {
	const ended = new Map<string, Work>();
	const latest = new Map<number, string>();
	for (const event of events) {
		if (event.type === 'run-changed') {
			const {delivery, state} = event.run;
			if (delivery !== undefined && hasEnded(state)) {
				ended.set(delivery, state);
			}
		} else if (event.type === 'group-changed') {
			latest.set(event.group.id, event.group.latest);
		}
	}

	if (ended.size === 0 && latest.size === 0) {
		return rows;
	}

	const workOf = ({id, group, work}: Delivery): Work | undefined => {
		const end = ended.get(id);
		const newest = group === undefined ? undefined : latest.get(group);
		return end ?? (newest !== undefined && newest !== id ? 'superseded' : work);
	};
	return rows.map(row => {
		const work = workOf(row.delivery);
		return work === undefined || work === row.delivery.work
			? row
			: {...row, delivery: {...row.delivery, work}};
	});
}
