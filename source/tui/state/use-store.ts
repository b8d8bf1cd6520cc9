import {useSyncExternalStore} from 'react';
import type {ValueStore} from './store.ts';

/** A part of a store's value. `select` must return the same object while nothing changed. */
export function useStore<Value, Part>(
	store: Pick<ValueStore<Value>, 'get' | 'subscribe'>,
	select: (value: Value) => Part,
): Part {
	return useSyncExternalStore(store.subscribe, () => select(store.get()));
}
