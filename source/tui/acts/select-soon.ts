import {stopAll} from '../../core/clock.ts';
import type {Shell} from '../shell/shell.ts';
import type {AnyList} from '../state/list.ts';

/** How long a face may wait to hear of what it has just written. */
const mostMs = 5000;

/**
 * Puts the cursor of a list on what was just made, as soon as the state has it, unless the person has gone on by then. A filter that hides it goes. `find` says under which
 * key it stands, once it does.
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
	// Last: where the interface is gone by now, both end at once.
	stops.push(untilEnd(end));
}
