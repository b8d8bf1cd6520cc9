import type {Route} from '../../config/route.ts';
import {idempotencyMs, type Delivery} from '../../core/delivery.ts';
import {dueOf, type Group, type GroupWindow, stepGroup} from '../../core/group.ts';
import type {RouteJudgement, SimulatedOutcome} from './judge.ts';

export type Totals = Readonly<Record<SimulatedOutcome | 'groups' | 'runs', number>>;

/** What the settings of a route make of stored events. */
export type Outcomes = {
	/** One judgement per event, in the order of the events. */
	readonly judgements: readonly RouteJudgement[];
	readonly totals: Totals;
};

/** In display order. */
export const totalNames = [
	'accepted',
	'coalesced',
	'delivered',
	'duplicate',
	'ignored:event',
	'ignored:filter',
	'body',
	'groups',
	'runs',
] as const satisfies ReadonlyArray<keyof Totals>;

/** The facts that matter for an event after it has been judged. */
export type EventFacts = Pick<Delivery, 'deliveryId' | 'outcome' | 'receivedAt'>;

/** The outcomes of stored events, oldest first, at their original times; `judged`: what the settings of their route make of each alone. Pure. */
export function outcomesOf(
	events: readonly EventFacts[],
	judged: readonly RouteJudgement[],
	{coalesce}: Pick<Route, 'coalesce'>,
): Outcomes {
	const judgements: RouteJudgement[] = [];
	/** The event that last held an identifier, under these settings (`holders`) and in fact (`held`). */
	const holders = new Map<string, EventFacts>();
	const held = new Map<string, EventFacts>();
	for (const [index, event] of events.entries()) {
		const {deliveryId: id} = event;
		const judgement = judged[index] ?? repeated;
		const isRepeat =
			passes(judgement.fate) &&
			isRepeated(event, {
				holder: withinHour(event, holders.get(id)),
				before: withinHour(event, held.get(id)),
			});
		judgements.push(isRepeat ? repeated : judgement);
		if (passes(judgement.fate) && !isRepeat) {
			holders.set(id, event);
		}

		if (passes(event.outcome)) {
			held.set(id, event);
		}
	}

	const groups = coalesce ? countGroups(events, judgements, coalesce) : 0;
	const count = (wanted: SimulatedOutcome) => judgements.filter(({fate}) => fate === wanted).length;
	return {
		judgements,
		totals: {
			accepted: count('accepted'),
			coalesced: count('coalesced'),
			delivered: count('delivered'),
			duplicate: count('duplicate'),
			'ignored:event': count('ignored:event'),
			'ignored:filter': count('ignored:filter'),
			body: count('body'),
			groups,
			runs: count('accepted') + groups,
		},
	};
}

const repeated: RouteJudgement = {fate: 'duplicate', why: 'the same event came before'};

/** Whether an event with this outcome claims its identifier. */
const passes = (fate: SimulatedOutcome | Delivery['outcome']): boolean =>
	fate === 'accepted' || fate === 'coalesced' || fate === 'delivered';

const withinHour = (
	{receivedAt}: EventFacts,
	earlier: EventFacts | undefined,
): EventFacts | undefined =>
	earlier && receivedAt - earlier.receivedAt < idempotencyMs ? earlier : undefined;

/**
 * Whether a passing event repeats one that holds its identifier. The fate of the holder's run under these settings is unknown: if both were accepted in fact, the first run
 * had failed. A duplicate of an event that is not stored stays a duplicate.
 */
const isRepeated = (
	{outcome}: EventFacts,
	{
		holder,
		before,
	}: {readonly holder: EventFacts | undefined; readonly before: EventFacts | undefined},
): boolean =>
	holder ? !(passes(outcome) && passes(holder.outcome)) : outcome === 'duplicate' && !before;

/** The number of groups that the events would have formed. */
function countGroups(
	events: readonly EventFacts[],
	judgements: readonly RouteJudgement[],
	window: GroupWindow,
): number {
	const pending = new Map<string, Pick<Group, 'firstAt' | 'quietAt' | 'capAt' | 'count'>>();
	let groups = 0;
	for (const [index, {receivedAt}] of events.entries()) {
		const {fate, key} = judgements[index] ?? repeated;
		if (fate !== 'coalesced' || key === undefined) {
			continue;
		}

		const waiting = pending.get(key);
		// A group that was due before this event has been dispatched.
		const open = waiting && receivedAt < dueOf(waiting).at ? waiting : undefined;
		const step = stepGroup(open, window, receivedAt);
		pending.set(key, step.next);
		groups += step.kind === 'open' ? 1 : 0;
	}

	return groups;
}
