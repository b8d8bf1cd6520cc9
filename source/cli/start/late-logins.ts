import type {Clock} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {
	type LoginAttempt,
	type LoginFlow,
	loginPlaceKey,
	type PersonLogins,
	startingLogin,
} from '../../core/logins.ts';

/** A login that was asked for while the desk is loaded; one that is over when that failed. */
type Early = {readonly attempt: LoginAttempt; readonly flow: LoginFlow | undefined};

/**
 * Logins whose desk is loaded with the first of them: a screen that nobody logs in from does without, and its first frame does not wait. Disposal disposes of the desk.
 * What loading fails with is told by the attempt; the next start tries again.
 */
export function createLateLogins({
	clock,
	load,
}: {
	readonly clock: Clock;
	readonly load: () => Promise<PersonLogins>;
}): PersonLogins {
	const early = new Map<string, Early>();
	const listeners = new Set<() => void>();
	let desk: PersonLogins | undefined;
	let loading: Promise<PersonLogins> | undefined;
	let closed = false;
	let known: readonly LoginAttempt[] | undefined;

	const changed = () => {
		known = undefined;
		for (const listener of listeners) {
			listener();
		}
	};

	const loaded = async (): Promise<PersonLogins> => {
		loading ??= load();
		try {
			return await loading;
		} catch (error) {
			loading = undefined;
			throw error;
		}
	};

	const open = async () => {
		try {
			const found = await loaded();
			if (closed || desk) {
				return;
			}

			desk = found;
			const wanted = [...early.values()];
			early.clear();
			for (const {attempt, flow} of wanted) {
				desk.start(attempt, {...(flow && {flow})});
			}

			desk.subscribe(changed);
		} catch (error) {
			for (const [key, {attempt, flow}] of early) {
				const failed = {status: 'failed', reason: messageOf(error), endedAt: clock.now()} as const;
				early.set(key, {flow, attempt: {...attempt, ...failed}});
			}
		}

		changed();
	};

	return {
		attempts() {
			known ??= desk?.attempts() ?? [...early.values()].map(({attempt}) => attempt);
			return known;
		},
		subscribe(listener) {
			listeners.add(listener);
			return () => {
				listeners.delete(listener);
			};
		},
		start(place, {flow} = {}) {
			if (desk) {
				desk.start(place, {...(flow && {flow})});
				return;
			}

			const attempt = startingLogin(place, {flow, startedAt: clock.now()});
			early.set(loginPlaceKey(place), {attempt, flow});
			changed();
			void open();
		},
		paste: (place, url) =>
			desk?.paste(place, url) ?? {problem: 'No page was opened yet that it could come from'},
		cancel(place) {
			if (desk) {
				desk.cancel(place);
			} else if (early.delete(loginPlaceKey(place))) {
				changed();
			}
		},
		async logOut(place) {
			return (await loaded()).logOut(place);
		},
		async [Symbol.asyncDispose]() {
			closed = true;
			listeners.clear();
			const found = await loading?.catch(() => undefined);
			await found?.[Symbol.asyncDispose]();
		},
	};
}
