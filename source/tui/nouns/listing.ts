import {createMemory} from '../../core/derive.ts';
import type {AsOf, ListedNoun, Noun} from '../../nouns/noun.ts';
import {literal} from '../../terminal/text/safe.ts';
import {paceOf, type DetailSource} from '../lines/detail.ts';
import {blankLine, line, type Line, told} from '../lines/line.ts';
import type {Pane, PaneListing, PaneSection} from '../panes/pane.ts';
import type {Host} from '../shell/shell.ts';
import type {List} from '../state/list.ts';
import type {Loaded} from '../state/loader.ts';
import type {ListSource, LoadSource} from '../state/source.ts';
import {nounDetail} from './facts.ts';

/** What is loaded for the selected item. */
type Beside<Item, More, Value> = {
	readonly source: LoadSource<Value>;
	/** The item's identifier, a blank, and what else the result depends on; a changed key loads again. Empty: nothing to load. */
	readonly keyOf: (item: Item, known: More | undefined) => string;
	/** What the loaded value adds to the facts. */
	readonly told?: (value: Value) => Partial<More>;
	/** Rows below the facts. */
	readonly rows?: (value: Value, width: number) => readonly Line[];
};

type Options<Item, More, Value> = {
	readonly list: ListSource<List<Item>>;
	/** What the noun's rows depend on besides the time; the same object while nothing changed. Absent: only the time. */
	readonly known?: (host: Host) => More;
	/** How often the time shown in rows changes, in milliseconds; absent: every second. */
	readonly stepMs?: number;
	readonly beside?: Beside<Item, More, Value>;
} & Partial<Pick<PaneListing, 'hasCursor' | 'isLive' | 'marks'>>;

type NounFacts<Item, More> = {readonly noun: Noun<Item, More>; readonly detail?: never};

/** A noun as a pane's list; `detail`: shown beside the list, if more than the noun's facts. */
export type NounListing<Item = unknown, More = object, Value = unknown> = Options<
	Item,
	More,
	Value
> &
	(
		| NounFacts<Item, More>
		| {readonly noun: ListedNoun<Item, More>; readonly detail: PaneListing['detail']}
	);

/** Lists a noun in a pane, with the detail of the selected item. */
export function listingOf<Item, More, Value = never>(
	options: NounListing<Item, More, Value>,
): PaneListing & Required<Pick<PaneListing, 'noun'>> {
	const {noun, list, marks, isLive = false, hasCursor = false} = options;
	return {
		list,
		vocabulary: noun.vocabulary,
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- bodies ask for rows of items of this list alone
		noun: options as unknown as NounListing,
		isLive,
		...(marks && {marks}),
		detail: options.detail ?? (host => createDetail(host, options)),
		hasCursor,
	};
}

type OnePane = Omit<Pane, 'sections'> & Required<Pick<PaneSection, 'commands' | 'listing'>>;

/** A pane with one list, named like the pane. */
export const onePane = ({commands, listing, ...pane}: OnePane): Pane => ({
	...pane,
	sections: [{id: pane.id, title: pane.title, commands, listing}],
});

function createDetail<Item, More, Value>(
	host: Host,
	{noun, list, known, beside}: Options<Item, More, Value> & NounFacts<Item, More>,
): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const rememberRows = createMemory<readonly Line[]>();
	const items = host.list(list);
	const loads = beside && host.loader(beside.source);
	/** The last loaded value for the same item is shown until the next arrives. */
	const loadedOf = (item: Item): Loaded<Value> | undefined => {
		const [now, last] = [loads?.get(), loads?.last()];
		return now?.status === 'loading' && last?.key.startsWith(`${noun.id(item)} `) ? last : now;
	};

	return {
		lines(width) {
			const item = items.selected();
			if (item === undefined) {
				return [];
			}

			const [loaded, given, {now}] = [loadedOf(item), known?.(host), host.feed.get()];
			const value = loaded?.status === 'ready' ? loaded.value : undefined;
			const rows =
				value === undefined || !beside?.rows
					? []
					: rememberRows([value, width], () => beside.rows?.(value, width) ?? []);
			return remember([item, loaded, given, Math.floor(now / 1000), width], () => [
				...nounDetail(noun, item, {
					// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all but the time may be absent
					known: {...given, ...(value !== undefined && beside?.told?.(value)), now} as AsOf & More,
					width,
				}),
				...rows,
				...(loaded && loaded.key !== '' ? loadingLines(loaded, width) : []),
			]);
		},
		want(isShown) {
			const item = isShown ? items.selected() : undefined;
			loads?.want(
				item === undefined || !beside ? '' : beside.keyOf(item, known?.(host)),
				paceOf(items),
			);
		},
	};
}

function loadingLines(loaded: Loaded<unknown>, width: number): readonly Line[] {
	switch (loaded.status) {
		case 'ready':
			return [];
		case 'missing':
			return [blankLine, line(literal('  no longer stored'), 'quiet')];
		case 'loading':
			return [blankLine, line(literal('  loading'), 'quiet')];
		case 'failed':
			return [blankLine, ...told(`✗ ${loaded.reason}`, width + 2, 'bad')];
	}
}
