import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {RowRange, SeenVerdict} from './seen-rows.ts';
import type {Sheet} from './sheet.ts';

export type LockFacts = {
	readonly sheet: Pick<Sheet, 'wasPaged'>;
	/** The part that is on the screen, and its rows there. */
	readonly part: string;
	readonly window: RowRange | undefined;
	readonly isWhole: boolean;
	readonly verdict: SeenVerdict;
	/** Milliseconds that the guard waits; `undefined` while the sheet is not drawn. */
	readonly waitMs: number | undefined;
	readonly size: {readonly columns: number};
	/** It is not known yet which arguments stand in the event. */
	readonly isLooking?: boolean;
};

/** Why no key may allow now; `undefined` when one may. */
export function lockReason(facts: LockFacts): Safe | undefined {
	const {sheet, isWhole, window, verdict, waitMs} = facts;
	if (waitMs === undefined) {
		return literal('not drawn yet');
	}

	if (!window) {
		return literal('needs more rows');
	}

	if (!isWhole && !sheet.wasPaged) {
		return literal('e opens all of it first');
	}

	if (verdict.kind === 'unseen') {
		return unseenText(verdict, {...facts, window});
	}

	const rest = Math.max(waitMs, verdict.kind === 'early' ? verdict.waitMs : 0);
	if (rest > 0) {
		return escapeLine(`keys in ${(Math.ceil(rest / 100) / 10).toFixed(1)} s`);
	}

	return facts.isLooking ? literal('looking into the event') : undefined;
}

const narrow = 80;

/** Which rows were not on the screen, as they are counted there, and the key that brings them. */
function unseenText(
	{part, rows: [first, ...more]}: Extract<SeenVerdict, {kind: 'unseen'}>,
	{part: shownPart, window, size}: LockFacts & {readonly window: RowRange},
): Safe {
	if (!first || part !== shownPart) {
		return literal('not all arguments seen: Esc');
	}

	const key =
		first.last > window.last
			? literal('PgDn')
			: first.first < window.first
				? literal('PgUp')
				: undefined;
	if (!key) {
		return literal('not drawn yet');
	}

	const rows =
		first.first === first.last
			? safe`${first.first + 1}`
			: safe`${first.first + 1}–${first.last + 1}`;
	const others = more.length === 0 ? literal('') : safe` +${more.length}`;
	return size.columns < narrow
		? safe`${rows}${others} unseen: ${key}`
		: safe`${first.first === first.last && more.length === 0 ? literal('row') : literal('rows')} ${rows}${others} not seen yet: ${key}`;
}
