import type {Clock} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {createStore, type ValueStore} from './store.ts';

/** Something that is fetched when somebody looks at it. */
export type Loaded<Value> =
	| {readonly status: 'loading'; readonly key: string}
	| {readonly status: 'ready'; readonly key: string; readonly value: Value}
	| {readonly status: 'missing'; readonly key: string}
	| {readonly status: 'failed'; readonly key: string; readonly reason: string};

export type Loader<Value> = Pick<ValueStore<Loaded<Value>>, 'get' | 'subscribe'> &
	Disposable & {
		/**
		 * Says what is looked at now; it is loaded when nothing else was wanted for `delayMs`, so that rushing through a list loads
		 * nothing. What is missing is looked for once more a moment later. An answer for anything else is dropped. An empty key:
		 * nothing is looked at.
		 */
		want(key: string, delayMs: number): void;
	};

/** The journal may learn of something up to 250 ms after its event was told. */
const secondLookMs = 400;

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
	let cancelSecondLook: (() => void) | undefined;

	const settle = (result: Loaded<Value>) => {
		store.set(now => (now.key === result.key ? result : now));
	};

	const fetch = async (key: string, isSecondLook: boolean) => {
		try {
			const value = await load(key);
			if (value !== undefined) {
				settle({status: 'ready', key, value});
			} else if (isSecondLook) {
				settle({status: 'missing', key});
			} else if (store.get().key === key) {
				cancelSecondLook?.();
				cancelSecondLook = clock.after(secondLookMs, () => {
					void fetch(key, true);
				});
			}
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
				cancelSecondLook?.();
				store.set(() => ({status: key === '' ? 'missing' : 'loading', key}));
			}

			if (key !== '') {
				const cancel = clock.after(delayMs, () => {
					planned = undefined;
					void fetch(key, false);
				});
				planned = {delayMs, cancel};
			}
		},
		[Symbol.dispose]() {
			planned?.cancel();
			cancelSecondLook?.();
			store.set(() => ({status: 'missing', key: ''}));
		},
	};
}
