import type {GatewayState} from '../../core/state.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import type {ListedNoun, Noun} from '../../nouns/noun.ts';
import {atFirst} from '../list/window.ts';
import type {Host} from '../shell/shell.ts';
import {createList, type AnyList, type List, type ListOptions} from './list.ts';
import type {ValueStore} from './store.ts';
import type {ViewState} from './view.ts';

/** Defines a list of the interface, whatever its items come from. Each shell opens it once, on first use. */
export type ListSource<Opened extends AnyList = AnyList> = {
	/** The list's filter is saved under this id. */
	readonly id: string;
	open(host: Host, filter: string): Opened;
};

/** Defines values that are loaded by key when shown. Each shell has one loader for it. */
export type LoadSource<Value> = {
	load(port: GatewayPort, key: string): Promise<Value | undefined>;
	/** Whether a value matches `key`, and is not outdated; absent: always. */
	readonly isCurrent?: (key: string, value: Value) => boolean;
};

/** A part of the view state that belongs to one pane. */
export type LocalState<Value> = {readonly initial: Value};

/** Rows for a list with `above` rows of the body over it. */
export const rowsBelow =
	({layout}: Host, above: number) =>
	(): number =>
		Math.max(0, layout().bodyHeight - above);

/** Rows for a noun's list below its header; notes take at most half of them. */
export const rowsWithNotes = <Item>(
	host: Host,
	{note}: Pick<Noun<Item>, 'note'>,
	items: () => readonly Item[],
): (() => number) => {
	const rows = rowsBelow(host, 1);
	return () => {
		const {now} = host.feed.get();
		const noted = note ? items().filter(item => note(item, {now}) !== undefined).length : 0;
		return Math.max(0, rows() - Math.min(noted, Math.floor(rows() / 2)));
	};
};

type NounListOptions<Item> = {
	readonly read: (state: GatewayState) => readonly Item[];
	readonly more?: (host: Host) => Partial<ListOptions<Item>>;
};

/** A list of all items of a noun in the state, the first at the top unless `more` says otherwise; its filter is saved under `id`. */
export const nounList = <Item>(
	id: string,
	noun: Pick<ListedNoun<Item>, 'id' | 'note' | 'vocabulary'>,
	{read, more}: NounListOptions<Item>,
): ListSource<List<Item>> => ({
	id,
	open: (host, filter) =>
		createList(host.feed, {
			keyOf: noun.id,
			vocabulary: noun.vocabulary,
			read,
			height: rowsWithNotes(host, noun, () => read(host.feed.get().state)),
			position: atFirst,
			filter,
			...more?.(host),
		}),
});

/** A pane's part of the view state as a store. */
export const localOf = <Value>(
	view: ValueStore<ViewState>,
	state: LocalState<Value>,
): Pick<ValueStore<Value>, 'get' | 'set'> => {
	const get = () => {
		const {locals} = view.get();
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `set` puts something under a state: a value of its type
		return locals.has(state) ? (locals.get(state) as Value) : state.initial;
	};

	return {
		get,
		set(update) {
			const next = update(get());
			view.set(now =>
				Object.is(next, get()) ? now : {...now, locals: new Map(now.locals).set(state, next)},
			);
		},
	};
};
