import type {Delivery, DeliveryOutcome} from './delivery.ts';
import type {GatewayEvent} from './events.ts';
import {type DeliveryRow, type GatewayState, limits} from './state.ts';

/** Share of the list that one route may fill once the list is full. */
const routeShare = 0.6;

const rejections: ReadonlySet<DeliveryOutcome> = new Set(['signature', 'route', 'rate']);

/**
 * The rows after `events`. Rejections of one kind and route that follow each other become one row from the third on, and a route that fills
 * its share loses its own oldest rows: a flood cannot push real events out.
 */
export function deliveriesAfter(
	rows: GatewayState['deliveries'],
	events: readonly GatewayEvent[],
): GatewayState['deliveries'] {
	const received = events.flatMap(event => {
		if (event.type === 'history-restored') {
			return event.deliveries;
		}

		return event.type === 'delivery-received' ? [event.delivery] : [];
	});
	if (received.length === 0) {
		return rows;
	}

	const next = [...rows];
	for (const delivery of received) {
		append(next, delivery);
	}

	return next.length > limits.deliveries ? trim(next) : next;
}

function append(rows: DeliveryRow[], delivery: Delivery): void {
	const last = rows.at(-1);
	const beforeLast = rows.at(-2);
	if (last && last.count > 1 && isSameRejection(last.delivery, delivery)) {
		rows[rows.length - 1] = {...last, delivery, count: last.count + 1};
		return;
	}

	if (
		last &&
		beforeLast &&
		isSameRejection(last.delivery, delivery) &&
		isSameRejection(beforeLast.delivery, delivery)
	) {
		rows.splice(-2, 2, {key: beforeLast.key, delivery, count: limits.groupAfter});
		return;
	}

	rows.push({key: delivery.id, delivery, count: 1});
}

const isSameRejection = (a: Delivery, b: Delivery): boolean =>
	rejections.has(b.outcome) && a.outcome === b.outcome && a.route === b.route;

/** Drops the excess: first the oldest rows of routes above their share, then the oldest of all. */
function trim(rows: readonly DeliveryRow[]): readonly DeliveryRow[] {
	const counts = new Map<string, number>();
	for (const {delivery} of rows) {
		counts.set(delivery.route, (counts.get(delivery.route) ?? 0) + 1);
	}

	const share = Math.floor(limits.deliveries * routeShare);
	let excess = rows.length - limits.deliveries;
	const kept = rows.filter(({delivery}) => {
		const count = counts.get(delivery.route) ?? 0;
		if (excess === 0 || count <= share) {
			return true;
		}

		counts.set(delivery.route, count - 1);
		excess--;
		return false;
	});
	return kept.slice(-limits.deliveries);
}
