import {stopAll} from '../../core/clock.ts';
import type {Shell} from '../shell/shell.ts';
import type {AnyList} from '../state/list.ts';

/** How long to wait for the state to contain what was just written. */
const mostMs = 5000;

/**
 * Selects what was just made as soon as the state contains it, unless the person has moved on by then. Clears a filter that hides it. `find` returns its key once
 * it is in the list.
 */
export function selectSoon(
	{feed, clock, untilEnd}: Shell,
	list: AnyList,
	find: () => string | undefined,
): void {
	const from = list.selectedKey();
	const tryNow = (): boolean => {
		const key = find();
		if (key === undefined) {
			return false;
		}

		if (!list.select(key)) {
			list.setFilter('');
			list.select(key);
		}

		return true;
	};

	if (tryNow()) {
		return;
	}

	const stops: Array<() => void> = [];
	const end = stopAll(stops);

	stops.push(
		feed.subscribe(() => {
			const hasMoved = list.selectedKey() !== from && list.get().items.length > 0;
			if (tryNow() || hasMoved) {
				end();
			}
		}),
		clock.after(mostMs, end),
	);
	// Last, because this ends everything when the interface is already gone.
	stops.push(untilEnd(end));
}
