import type {Delivery, DeliveryOutcome} from './delivery.ts';
import type {EventOf} from './events.ts';
import {hasEnded} from './run.ts';
import {type DeliveryRow, type GatewayState, limits} from './state.ts';
import {deliveriesOf} from './traffic.ts';

/** Largest share of the full list for the deliveries of one route. */
const routeShare = 0.6;

/** Largest share of the full list for rejections, which anyone can cause for free. */
const rejectionShare = 0.1;

/** Number of newest rows among which similar rejections are searched, so that a growing row is always near the newest. */
export const nearRows = 20;

const nearMs = 60_000;

/** Most route names that a row lists. */
const maxRoutes = 5;

/** Outcomes that anyone can cause in any number. */
const rejections: ReadonlySet<DeliveryOutcome> = new Set([
	'signature',
	'route',
	'slip',
	'rate',
	'method',
	'size',
]);

/**
 * The rows after `events`. Three or more rejections with the same outcome and route, close together, share a row; all unknown routes count as
 * one. When the list is full, rejections above their share are dropped first, then the oldest rows of a route above
 * its share, then the oldest of all: a flood cannot push real events out.
 */
export function deliveriesAfter(
	rows: GatewayState['deliveries'],
	events: ReadonlyArray<EventOf<'history-restored' | 'delivery-received'>>,
): GatewayState['deliveries'] {
	// Restored deliveries go first: the receiver may have accepted new ones before.
	const {restored, received} = deliveriesOf(events);
	if (restored.length + received.length === 0) {
		return rows;
	}

	const next = [...deliveryRows(restored), ...rows];
	for (const delivery of received) {
		append(next, delivery);
	}

	return next.length > limits.deliveries ? trim(next) : next;
}

/** Turns deliveries, oldest first, into rows; similar rejections close together share a row. */
export function deliveryRows(deliveries: readonly Delivery[]): readonly DeliveryRow[] {
	const rows: DeliveryRow[] = [];
	for (const delivery of deliveries) {
		append(rows, delivery);
	}

	return rows;
}

function append(rows: DeliveryRow[], delivery: Delivery): void {
	const like = rejections.has(delivery.outcome) ? likeNear(rows, delivery) : [];
	const grown = like.find(index => (rows[index]?.count ?? 1) > 1);
	const row = grown === undefined ? undefined : rows[grown];
	if (grown !== undefined && row) {
		rows[grown] = joined(row, delivery);
		return;
	}

	// Three of a kind, `limits.groupAfter`: these two rows and the new delivery.
	const [newer = -1, older = -1] = like;
	const first = rows[older];
	const second = rows[newer];
	if (first && second) {
		rows[older] = joined(joined(first, second.delivery), delivery);
		rows.splice(newer, 1);
		return;
	}

	rows.push({key: delivery.id, delivery, count: 1});
}

/**
 * Indexes of recent rows for the same rejection, newest first. A row with other rows after it counts only for a minute:
 * a current rejection must not be added to a row far up the list.
 */
function likeNear(rows: readonly DeliveryRow[], delivery: Delivery): readonly number[] {
	const found: number[] = [];
	const first = Math.max(0, rows.length - nearRows);
	for (let index = rows.length - 1; index >= first; index--) {
		const other = rows[index]?.delivery;
		if (other && isSameRejection(other, delivery)) {
			const isLast = found.length === rows.length - 1 - index;
			if (isLast || delivery.receivedAt - other.receivedAt <= nearMs) {
				found.push(index);
			}
		}
	}

	return found;
}

const isSameRejection = (a: Delivery, b: Delivery): boolean =>
	a.outcome === b.outcome &&
	(a.outcome === 'route' || (a.route === b.route && a.profile === b.profile));

/** Adds a delivery to `row`. */
function joined(row: DeliveryRow, delivery: Delivery): DeliveryRow {
	const {key, count, firstAt = row.delivery.receivedAt, routes = [row.delivery.route]} = row;
	const others = routes.filter(name => name !== delivery.route);
	return {
		key,
		delivery,
		count: count + 1,
		firstAt,
		routes: [...others, delivery.route].slice(-maxRoutes),
		...refusalReasonsAfter(count === 1 ? refusalReasonsAfter({}, row.delivery) : row, delivery),
	};
}

function trim(rows: readonly DeliveryRow[]): readonly DeliveryRow[] {
	const kept = withoutExcess(rows, {
		share: rejectionShare,
		kindOf: ({outcome}) => (rejections.has(outcome) ? 'rejection' : undefined),
	});
	return withoutExcess(kept, {
		share: routeShare,
		kindOf: ({outcome, route}) => (rejections.has(outcome) ? undefined : route),
	}).slice(-limits.deliveries);
}

/** Drops the oldest rows of each kind that has more than its share of the list, until the list fits. */
function withoutExcess(
	rows: readonly DeliveryRow[],
	{
		share,
		kindOf,
	}: {readonly share: number; readonly kindOf: (delivery: Delivery) => string | undefined},
): readonly DeliveryRow[] {
	let excess = rows.length - limits.deliveries;
	if (excess <= 0) {
		return rows;
	}

	const most = Math.floor(limits.deliveries * share);
	const counts = new Map<string, number>();
	for (const {delivery} of rows) {
		const kind = kindOf(delivery);
		if (kind !== undefined) {
			counts.set(kind, (counts.get(kind) ?? 0) + 1);
		}
	}

	if (Math.max(0, ...counts.values()) <= most) {
		return rows;
	}

	return rows.filter(({delivery}) => {
		const kind = excess === 0 ? undefined : kindOf(delivery);
		const count = kind === undefined ? 0 : (counts.get(kind) ?? 0);
		if (kind === undefined || count <= most) {
			return true;
		}

		counts.set(kind, count - 1);
		excess--;
		return false;
	});
}

type Reasons = Pick<DeliveryRow, 'reasons' | 'otherReasons'>;

/**
 * Adds the reason of one more delivery to those of a row: the detail of the step that stopped it. Keeps the latest `limits.reasons`, the newest last; older
 * ones are counted in `otherReasons`. A delivery that no step stopped changes nothing.
 */
export function refusalReasonsAfter(
	{reasons = [], otherReasons = 0}: Reasons,
	{trace}: Pick<Delivery, 'trace'>,
): Reasons {
	const detail = trace.find(({verdict}) => verdict === 'stop')?.detail ?? '';
	const kind = kindOf(detail);
	const known = reasons.find(reason => kindOf(reason.detail) === kind);
	const all =
		detail === ''
			? reasons
			: [...reasons.filter(reason => reason !== known), {detail, count: (known?.count ?? 0) + 1}];
	const dropped = all.slice(0, -limits.reasons);
	const others = dropped.reduce((sum, {count}) => sum + count, otherReasons);
	return {
		...(all.length > 0 && {reasons: all.slice(-limits.reasons)}),
		...(others > 0 && {otherReasons: others}),
	};
}

/** Matches numbers, but not digits within names: `skew -713 s` equals `skew -714 s`, `X-Hub-Signature-256` differs from `X-Hub-Signature-1`. */
const numbers = /(?<![\p{L}\d_]|[\p{L}\d_]-)\d+(?![\p{L}\d_])/gu;

/** Replaces the numbers in a detail by 0. Signs are kept, so that a clock that is fast differs from one that is slow. */
const kindOf = (detail: string): string => detail.replaceAll(numbers, '0');

type Work = NonNullable<Delivery['work']>;

/**
 * Writes results of runs and groups into the rows of their deliveries, since the state drops runs and groups sooner than deliveries. A row keeps the final state of its run,
 * or `superseded` once its group has a later event; the state of open runs is in `runs`.
 */
export function worksAfter(
	rows: readonly DeliveryRow[],
	events: ReadonlyArray<EventOf<'run-changed' | 'group-changed'>>,
): readonly DeliveryRow[] {
	const ended = new Map<string, Work>();
	const latest = new Map<number, string>();
	for (const event of events) {
		if (event.type === 'run-changed') {
			const {delivery, state} = event.run;
			if (delivery !== undefined && hasEnded(state)) {
				ended.set(delivery, state);
			}
		} else {
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
