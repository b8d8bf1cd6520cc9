import type {Clock} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {createStore, type Store} from './store.ts';

/** Something that is fetched when somebody looks at it. */
export type Loaded<Value> =
	| {readonly status: 'loading'; readonly key: string}
	| {readonly status: 'ready'; readonly key: string; readonly value: Value}
	| {readonly status: 'missing'; readonly key: string}
	| {readonly status: 'failed'; readonly key: string; readonly reason: string};

export type Loader<Value> = Pick<Store<Loaded<Value>>, 'get' | 'subscribe'> &
	Disposable & {
		/** Says what is looked at now. An answer for anything else is dropped. */
		want(key: string): void;
	};

/**
 * Loads one value by key, `delayMs` after it was first wanted, so that rushing through a list loads nothing. Holds one value.
 */
export function createLoader<Value>(
	{
		clock,
		load,
	}: {readonly clock: Clock; readonly load: (key: string) => Promise<Value | undefined>},
	delayMs: number,
): Loader<Value> {
	const store = createStore<Loaded<Value>>({status: 'missing', key: ''});
	let cancel: (() => void) | undefined;

	const settle = (result: Loaded<Value>) => {
		store.set(now => (now.key === result.key ? result : now));
	};

	const fetch = async (key: string) => {
		try {
			const value = await load(key);
			settle(value === undefined ? {status: 'missing', key} : {status: 'ready', key, value});
		} catch (error) {
			settle({status: 'failed', key, reason: messageOf(error)});
		}
	};

	return {
		get: store.get,
		subscribe: store.subscribe,
		want(key) {
			if (store.get().key === key) {
				return;
			}

			cancel?.();
			store.set(() => ({status: key === '' ? 'missing' : 'loading', key}));
			if (key !== '') {
				cancel = clock.after(delayMs, () => void fetch(key));
			}
		},
		[Symbol.dispose]() {
			cancel?.();
			store.set(() => ({status: 'missing', key: ''}));
		},
	};
}
