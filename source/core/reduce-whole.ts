import type {GatewayEvent} from './events.ts';
import {idOfNumber, numberOfId} from './ids.ts';
import {limits, type GatewayState} from './state.ts';

type Whole = NonNullable<GatewayState['wholeFrom']>;

/**
 * From where on the lists hold everything, after `events`. What a full list drops need not be its oldest row (a busy route gives way to quiet ones), so the lists
 * have gaps behind the newest that was dropped. Pure; the same object while nothing changed.
 */
export function wholeAfter(
	{
		before,
		deliveries,
		runs,
	}: {readonly before: GatewayState} & Pick<GatewayState, 'deliveries' | 'runs'>,
	events: readonly GatewayEvent[],
): Whole | undefined {
	const restored = events.findLast(event => event.type === 'history-restored');
	const whole: Whole | undefined = restored
		? {
				...(restored.deliveries[0] && {delivery: restored.deliveries[0].id}),
				run: restored.runsFrom ?? 0,
			}
		: before.wholeFrom;
	const delivery =
		!restored && deliveries !== before.deliveries && deliveries.length >= limits.deliveries
			? droppedDelivery(before.deliveries, deliveries)
			: undefined;
	const run =
		runs !== before.runs && runs.length >= limits.runs ? droppedRun(before.runs, runs) : undefined;
	return delivery === undefined && run === undefined
		? whole
		: {
				...whole,
				...(delivery !== undefined && {delivery}),
				...(run !== undefined && {run: run + 1}),
			};
}

/** The identifier after the newest row that went; rows that grew have their key still, and two that became one are no loss. */
function droppedDelivery(
	before: GatewayState['deliveries'],
	after: GatewayState['deliveries'],
): string | undefined {
	let at = 0;
	let dropped: string | undefined;
	for (const row of before) {
		if (after[at]?.key === row.key) {
			at += 1;
		} else if (!isJoined(after, row.delivery.receivedAt)) {
			dropped = row.delivery.id;
		}
	}

	return dropped === undefined ? undefined : idOfNumber(numberOfId(dropped) + 1);
}

/** How many rows from the end rows can become one. */
const nearRows = 20;

const isJoined = (rows: GatewayState['deliveries'], receivedAt: number): boolean =>
	rows
		.slice(-nearRows)
		.some(
			({count, firstAt = Infinity, delivery}) =>
				count > 1 && firstAt <= receivedAt && delivery.receivedAt >= receivedAt,
		);

function droppedRun(before: GatewayState['runs'], after: GatewayState['runs']): number | undefined {
	const kept = new Set(after.map(({id}) => id));
	return before.findLast(({id}) => !kept.has(id))?.id;
}
