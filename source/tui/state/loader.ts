import {type Clock, createTimer} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {createStore, type ValueStore} from './store.ts';

type Ready<Value> = {readonly status: 'ready'; readonly key: string; readonly value: Value};

/** A value that is loaded when shown. */
export type Loaded<Value> =
	| {readonly status: 'loading'; readonly key: string}
	| Ready<Value>
	| {readonly status: 'missing'; readonly key: string}
	| {readonly status: 'failed'; readonly key: string; readonly reason: string};

/**
 * When a wanted value is loaded. `rest`: once nothing else was wanted for `ms`, so that rushing through a list loads nothing (debounce). `steady`: at once, but at
 * most once per `ms` (throttle), so that a list which moves by itself is shown too.
 */
export type LoadPace = {readonly kind: 'rest' | 'steady'; readonly ms: number};

export type Loader<Value> = {
	/** The state of the wanted value. */
	readonly get: () => Loaded<Value>;
	/** The last value found, whatever is wanted now: shown until the wanted one arrives. */
	readonly last: () => Ready<Value> | undefined;
	readonly subscribe: ValueStore<unknown>['subscribe'];
} & Disposable & {
		/**
		 * Sets the wanted key. A missing value is looked up once more a moment later; answers for other keys are dropped. Empty key: nothing is wanted. Absent
		 * `pace`: loaded at once.
		 */
		want(key: string, pace?: LoadPace): void;
	};

const atOnce: LoadPace = {kind: 'rest', ms: 0};

/** The journal may store something up to 250 ms after its event was sent. */
const secondLookMs = 400;

type State<Value> = {readonly now: Loaded<Value>; readonly last?: Ready<Value>};

const nothing = {now: {status: 'missing', key: ''}} as const;

type LoaderOptions<Value> = {
	readonly clock: Clock;
	readonly load: (key: string) => Promise<Value | undefined>;
	/** Whether a value matches `key`. An outdated one is shown, and looked up once more. */
	readonly isCurrent?: ((key: string, value: Value) => boolean) | undefined;
};

/** Loads values by key, one at a time, and keeps the last. */
export function createLoader<Value>({
	clock,
	load,
	isCurrent = () => true,
}: LoaderOptions<Value>): Loader<Value> {
	const store = createStore<State<Value>>(nothing);
	const keyNow = () => store.get().now.key;
	/** The timer of the planned load. */
	const plan = createTimer(clock);
	/** Monotonic. */
	let plannedAt = -Infinity;
	let lastBegan = -Infinity;
	const secondLook = createTimer(clock);

	const settle = (result: Loaded<Value>) =>
		store.set(state => (state.now.key === result.key ? {...state, now: result} : state));

	const find = (last: Ready<Value>) =>
		store.set(state => ({now: state.now.key === last.key ? last : state.now, last}));

	const fetch = async (key: string, isSecondLook: boolean) => {
		try {
			const value = await load(key);
			if (keyNow() === '') {
				return;
			}

			if (value !== undefined) {
				find({status: 'ready', key, value});
			} else if (isSecondLook) {
				settle({status: 'missing', key});
			}

			const isLate = value === undefined || !isCurrent(key, value);
			if (isLate && !isSecondLook && keyNow() === key) {
				secondLook.set(secondLookMs, () => {
					void fetch(key, true);
				});
			}
		} catch (error) {
			settle({status: 'failed', key, reason: messageOf(error)});
		}
	};

	return {
		get: () => store.get().now,
		last: () => store.get().last,
		subscribe: store.subscribe,
		want(key, {kind, ms} = atOnce) {
			const isSame = keyNow() === key;
			const now = clock.monotonic();
			const at = kind === 'rest' ? now + ms : Math.max(now, lastBegan + ms);
			if (isSame && (plan.isFree() || plannedAt <= at)) {
				return;
			}

			if (!isSame) {
				secondLook.cancel();
				store.set(({last}) =>
					key === '' ? nothing : {now: {status: 'loading', key}, ...(last && {last})},
				);
			}

			if (key === '') {
				plan.cancel();
			} else {
				plannedAt = at;
				plan.set(Math.max(0, at - now), () => {
					lastBegan = clock.monotonic();
					void fetch(keyNow(), false);
				});
			}
		},
		[Symbol.dispose]() {
			plan.cancel();
			secondLook.cancel();
			store.set(() => nothing);
		},
	};
}
