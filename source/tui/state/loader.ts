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
		/**
		 * Says what is looked at now; it is loaded when nothing else was wanted for `delayMs`, so that rushing through a list loads
		 * nothing. An answer for anything else is dropped. An empty key: nothing is looked at.
		 */
		want(key: string, delayMs: number): void;
	};

/** Loads values by key, one at a time, and holds the last. */
export function createLoader<Value>({
	clock,
	load,
}: {
	readonly clock: Clock;
	readonly load: (key: string) => Promise<Value | undefined>;
}): Loader<Value> {
	const store = createStore<Loaded<Value>>({status: 'missing', key: ''});
	/** The load that is planned; absent once it has begun. */
	let planned: {readonly delayMs: number; readonly cancel: () => void} | undefined;

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
		want(key, delayMs) {
			const isSame = store.get().key === key;
			if (isSame && (!planned || planned.delayMs <= delayMs)) {
				return;
			}

			planned?.cancel();
			planned = undefined;
			if (!isSame) {
				store.set(() => ({status: key === '' ? 'missing' : 'loading', key}));
			}

			if (key !== '') {
				const cancel = clock.after(delayMs, () => {
					planned = undefined;
					void fetch(key);
				});
				planned = {delayMs, cancel};
			}
		},
		[Symbol.dispose]() {
			planned?.cancel();
			store.set(() => ({status: 'missing', key: ''}));
		},
	};
}
