import type {Host, Shell} from '../shell/shell.ts';
import type {AnyList} from '../state/list.ts';

/** How long a row has to stand under the cursor before a key is taken to mean it, milliseconds: a finger that is on its way cannot be called back. */
export const settledMs = 500;

/** The row under the cursor of each list, and since when, by the monotonic clock. */
const known = new WeakMap<AnyList, {readonly key: string | undefined; readonly since: number}>();

/** Remembers since when the row under the cursor of `list` is there; to be told of every change of what is shown. */
export function noteSelection({clock}: Host, list: AnyList): void {
	const key = list.selectedKey();
	const before = known.get(list);
	if (!before || before.key !== key) {
		known.set(list, {key, since: clock.monotonic()});
	}
}

/** Whether the row under the cursor was chosen: the list stands still, and the row has been there for `steadyMs`. */
export function isSettled({clock}: Shell, list: AnyList): boolean {
	const row = known.get(list);
	return (
		!list.get().isFollowing &&
		row !== undefined &&
		row.key === list.selectedKey() &&
		clock.monotonic() - row.since >= settledMs
	);
}
