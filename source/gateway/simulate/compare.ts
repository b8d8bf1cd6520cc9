import type {Delivery} from '../../core/delivery.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {SimulatedOutcome, RouteJudgement} from './judge.ts';
import type {Outcomes} from './outcomes.ts';

/** An event whose outcome differs from today's. */
export type ChangedEvent = {
	readonly id: string;
	readonly event: string;
	/** Milliseconds since 1970. */
	readonly receivedAt: number;
	readonly today: SimulatedOutcome;
	readonly edited: SimulatedOutcome;
	readonly why: string;
};

export type Comparison = {
	readonly changes: readonly ChangedEvent[];
	/** Number of events that pass with both settings, but with different prompts. */
	readonly promptsChanged: number;
	/** The differences of the first such prompt. */
	readonly promptDiff?: {readonly id: string; readonly lines: readonly string[]};
};

/** Compares the outcomes of each event. Pure. */
export function compare(
	events: ReadonlyArray<Pick<Delivery, 'id' | 'event' | 'receivedAt'>>,
	today: Outcomes,
	edited: Outcomes,
): Comparison {
	const pairs = events.flatMap((event, index) => {
		const before = today.judgements[index];
		const after = edited.judgements[index];
		return before && after ? [{event, before, after}] : [];
	});
	const reworded = pairs.flatMap(({event, before, after}) =>
		before.prompt !== undefined && after.prompt !== undefined && before.prompt !== after.prompt
			? [{id: event.id, before: before.prompt, after: after.prompt}]
			: [],
	);
	const [first] = reworded;
	return {
		changes: pairs
			.filter(({before, after}) => before.fate !== after.fate)
			.map(({event: {id, event, receivedAt}, before, after}) => ({
				id,
				event,
				receivedAt,
				today: before.fate,
				edited: after.fate,
				why: whyOf(before, after),
			})),
		promptsChanged: reworded.length,
		...(first && {promptDiff: {id: first.id, lines: diffLines(first.before, first.after)}}),
	};
}

const whyOf = (before: RouteJudgement, after: RouteJudgement): string =>
	after.why === '' && before.why !== '' ? `no more: ${before.why}` : after.why;

const maxLines = 20;

const maxLineLength = 200;

/** The differing lines of two texts: `- ` before, `+ ` after, without equal lines at the start and the end. At most 20 lines of each, cleaned. */
function diffLines(before: string, after: string): readonly string[] {
	const old = before.split('\n');
	const next = after.split('\n');
	const start = sameAt(old, next);
	const end = Math.min(
		sameAt(old.toReversed(), next.toReversed()),
		Math.min(old.length, next.length) - start,
	);
	return [
		...marked('- ', old.slice(start, old.length - end)),
		...marked('+ ', next.slice(start, next.length - end)),
	];
}

/** Number of equal lines at the start of both texts. */
function sameAt(one: readonly string[], other: readonly string[]): number {
	const different = one.findIndex((line, index) => line !== other[index]);
	return different === -1 ? one.length : different;
}

function marked(mark: string, lines: readonly string[]): readonly string[] {
	const shown = lines.slice(0, maxLines).map(line => mark + escapeLine(line, maxLineLength));
	return lines.length > maxLines
		? [...shown, `${mark}… ${lines.length - maxLines} more lines`]
		: shown;
}
