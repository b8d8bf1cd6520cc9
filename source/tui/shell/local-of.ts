import type {LocalState} from '../state/source.ts';
import type {ValueStore} from '../state/store.ts';
import type {Shell} from './shell.ts';

/** What a pane keeps in the view, as a store of its own. */
export const localOf = <Value>(
	view: Shell['view'],
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
