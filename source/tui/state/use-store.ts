import {useSyncExternalStore} from 'react';
import type {Store} from './store.ts';

/** A part of a store's value. `select` must return the same object while nothing changed. */
export function useStore<Value, Part>(
	store: Pick<Store<Value>, 'get' | 'subscribe'>,
	select: (value: Value) => Part,
): Part {
	return useSyncExternalStore(store.subscribe, () => select(store.get()));
}
