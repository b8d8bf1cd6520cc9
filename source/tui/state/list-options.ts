import type {Vocabulary} from '../../core/filter/filter.ts';
import type {GatewayState} from '../../core/state.ts';
import type {RankOf} from '../list/kept-place.ts';
import type {ListPosition} from '../list/window.ts';
import type {ListHistory} from './list-history.ts';
import type {ListOlder} from './list-tail.ts';

/** What a list is made of. */
export type ListOptions<Item> = {
	/** Unique, and stays with its item. */
	readonly keyOf: (item: Item) => string;
	readonly vocabulary: Vocabulary<Item>;
	/** The items in the gateway's state, oldest first; the same array while nothing changed. */
	readonly read: (state: GatewayState) => readonly Item[];
	/** Rows that the list has on the screen now. */
	readonly height: () => number;
	/** Where the item with a key stands among all, by a number that grows along the list; absent: by the order in which the state has them. */
	readonly rankOf?: RankOf;
	/** The newest stands above: the same list, read from below. */
	readonly newestFirst?: boolean;
	/** Where older items are. */
	readonly history?: ListHistory<Item> & {
		/** Whether anybody sees the list: nothing is asked for one that is hidden. */
		readonly isShown: () => boolean;
	};
	/** Where they are when the newest stand above, below what waits. */
	readonly older?: ListOlder<Item>;
	readonly filter?: string;
	readonly position?: ListPosition;
};
