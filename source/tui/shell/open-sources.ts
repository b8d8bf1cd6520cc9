import {stopAll} from '../../core/clock.ts';
import type {Feed} from '../state/feed.ts';
import type {AnyList} from '../state/list.ts';
import {createLoader, type Loader} from '../state/loader.ts';
import {createStore} from '../state/store.ts';
import type {Host} from './shell.ts';

type OpenSources = Pick<Host, 'list' | 'filters' | 'loader' | 'loads' | 'isLoading'> & Disposable;

type SourceOptions = {
	readonly filters: Readonly<Record<string, string>>;
	readonly onListChange: () => void;
	readonly feed: Pick<Feed, 'subscribe'>;
	readonly isPouring: () => boolean;
};

/**
 * Opens each list and loader on first use. `filters` are those saved last time; `onListChange` is called when any list changes. A loaded value is announced at
 * once, or while `isPouring` together with the next update: otherwise half of a fast list's frames would show a payload too briefly to read.
 */
export function openSources(
	host: () => Host,
	{filters, onListChange, feed, isPouring}: SourceOptions,
): OpenSources {
	const once = createOnce();
	const lists = new Map<string, AnyList>();
	const loaders = new Set<Pick<Loader<unknown>, 'get'>>();
	const stops: Array<() => void> = [];
	const loads = createStore(0);
	let isBehind = false;
	const tell = () => {
		isBehind = false;
		loads.set(count => count + 1);
	};
	stops.push(
		feed.subscribe(() => {
			if (isBehind) {
				tell();
			}
		}),
	);
	return {
		list: source =>
			once(source, () => {
				const list = source.open(host(), filters[source.id] ?? '');
				lists.set(source.id, list);
				stops.push(list.subscribe(onListChange), () => list.end());
				return list;
			}),
		filters: () => ({
			...filters,
			...Object.fromEntries([...lists].map(([id, list]) => [id, list.get().filterText])),
		}),
		loader: source =>
			once(source, () => {
				const {clock, port} = host();
				const loader = createLoader({
					clock,
					load: async key => source.load(port, key),
					isCurrent: source.isCurrent,
				});
				loaders.add(loader);
				loader.subscribe(() => {
					if (isPouring()) {
						isBehind = true;
					} else {
						tell();
					}
				});
				stops.push(() => loader[Symbol.dispose]());
				return loader;
			}),
		loads,
		isLoading: () => loaders.values().some(loader => loader.get().status === 'loading'),
		[Symbol.dispose]: stopAll(stops),
	};
}

/** Creates an object per source on first use. */
function createOnce() {
	const made = new Map<object, unknown>();
	return <Made>(source: object, make: () => Made): Made => {
		if (!made.has(source)) {
			made.set(source, make());
		}

		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing but what `make` of this source made is kept under it
		return made.get(source) as Made;
	};
}
