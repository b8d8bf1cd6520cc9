import type {Clock} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import {
	isLoginOver,
	type LoginAttempt,
	type LoginDesk,
	type LoginFlow,
	type LoginPlace,
	loginPlaceKey,
	startingLogin,
} from '../../core/logins.ts';

/** What a login in progress reports; texts are escaped. */
export type LoginProgress = Partial<
	Omit<LoginAttempt, 'server' | 'profile' | 'startedAt' | 'endedAt' | 'reason' | 'notes' | 'status'>
> & {readonly status?: 'waiting' | 'finishing'};

/** What the desk provides to a login. */
export type LoginWatch = {
	/** Aborts when the login is no longer wanted. */
	readonly signal: AbortSignal;
	readonly tell: (facts: LoginProgress) => void;
	/** Adds a note for the person. */
	readonly note: (text: string) => void;
	/** Sets the handler for a pasted URL; it returns a `problem` if the URL does not answer this login. */
	readonly onPaste: (take: (url: string) => {readonly problem?: string}) => void;
};

/** Performs a login. Rejects on failure with an escaped message for the person. */
export type PerformLogin = (
	place: LoginPlace,
	options: {readonly flow: LoginFlow | undefined},
	watch: LoginWatch,
) => Promise<void>;

/** How many attempts per server may still be answered; older ones are cancelled. */
const maxTries = 3;

const maxPlaces = 100;
const maxNotes = 10;

type Try = {
	attempt: LoginAttempt;
	readonly stop: AbortController;
	readonly ended: Promise<void>;
	paste?: (url: string) => {readonly problem?: string};
};

/**
 * Manages logins that a person starts. Disposing cancels those that wait, and waits for those that are finishing.
 *
 * Each start is a separate attempt. An unanswered attempt stays next to the new one, so that either can be answered; the first success ends the others.
 */
export function createLoginDesk({
	clock,
	perform,
}: {
	readonly clock: Clock;
	readonly perform: PerformLogin;
}): LoginDesk {
	/** By place, in order of the last start; the newest attempt is last. */
	const places = new Map<string, Try[]>();
	const listeners = new Set<() => void>();
	/** Includes attempts that are no longer shown. */
	const running = new Set<Promise<void>>();
	let known: readonly LoginAttempt[] | undefined;

	const changed = () => {
		known = undefined;
		for (const listener of listeners) {
			listener();
		}
	};

	const change = (one: Try, facts: Partial<LoginAttempt>) => {
		if (!isLoginOver(one.attempt)) {
			one.attempt = {...one.attempt, ...facts};
			changed();
		}
	};

	const end = (one: Try, facts: Pick<LoginAttempt, 'status' | 'reason'>) => {
		change(one, {...facts, endedAt: clock.now()});
	};

	const giveUp = (one: Try, reason: string) => {
		if (one.attempt.status !== 'finishing') {
			end(one, {status: 'cancelled', reason});
			one.stop.abort(new Error(reason));
		}
	};

	const run = async (one: Try, flow: LoginFlow | undefined) => {
		const {server, profile} = one.attempt;
		const place = {server, profile};
		try {
			await perform(
				place,
				{flow},
				{
					signal: one.stop.signal,
					tell: facts => change(one, facts),
					note: text => change(one, {notes: [...one.attempt.notes, text].slice(-maxNotes)}),
					onPaste(take) {
						one.paste = take;
					},
				},
			);
			end(one, {status: 'succeeded'});
			for (const other of places.get(loginPlaceKey(place)) ?? []) {
				giveUp(other, 'Another try has succeeded');
			}

			forget(place, other => other === one || other.attempt.status === 'finishing');
		} catch (error) {
			end(one, {status: 'failed', reason: messageOf(error)});
			// The newest attempt stays visible.
			forget(
				place,
				other => !isLoginOver(other.attempt) || other === places.get(loginPlaceKey(place))?.at(-1),
			);
		}
	};

	const forget = (place: LoginPlace, isKept: (one: Try) => boolean) => {
		const kept = (places.get(loginPlaceKey(place)) ?? []).filter(isKept);
		places.set(loginPlaceKey(place), kept);
		changed();
	};

	return {
		attempts() {
			known ??= [...places.values()].flatMap(tries => shownOf(tries)?.attempt ?? []);
			return known;
		},
		subscribe(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		start({server, profile}, {flow} = {}) {
			const key = loginPlaceKey({server, profile});
			const before = (places.get(key) ?? []).filter(({attempt}) => !isLoginOver(attempt));
			if (before.some(({attempt}) => attempt.status === 'finishing')) {
				return;
			}

			for (const oldest of before.splice(0, before.length - (maxTries - 1))) {
				giveUp(oldest, 'It was started again');
			}

			const attempt = startingLogin({server, profile}, {flow, startedAt: clock.now()});
			const {promise: ended, resolve} = Promise.withResolvers<void>();
			const one: Try = {attempt, stop: new AbortController(), ended};
			places.delete(key);
			places.set(key, [...before, one]);
			dropOldest(places);
			changed();
			running.add(ended);
			void run(one, flow).finally(() => {
				running.delete(ended);
				resolve();
			});
		},
		paste(place, url) {
			const tries = (places.get(loginPlaceKey(place)) ?? []).filter(
				({attempt}) => !isLoginOver(attempt),
			);
			const answers = tries.toReversed().flatMap(({paste}) => paste?.(url) ?? []);
			const [first = {problem: 'No login waits for it'}] = answers;
			return answers.find(({problem}) => problem === undefined) ?? first;
		},
		cancel(place) {
			const tries = places.get(loginPlaceKey(place)) ?? [];
			if (tries.every(({attempt}) => attempt.status === 'failed')) {
				forget(place, () => false);
			}

			for (const one of tries) {
				giveUp(one, 'The login was cancelled');
			}
		},
		async [Symbol.asyncDispose]() {
			listeners.clear();
			for (const one of [...places.values()].flat()) {
				giveUp(one, 'The login was ended: svc is stopping');
			}

			await Promise.all(running);
		},
	};
}

/** The attempt to show for a server: the one that the person answered, else the newest. */
const shownOf = (tries: readonly Try[]): Try | undefined =>
	tries.find(({attempt: {status}}) => status === 'finishing' || status === 'succeeded') ??
	tries.at(-1);

function dropOldest(places: Map<string, Try[]>): void {
	for (const [key, tries] of places) {
		if (places.size <= maxPlaces) {
			return;
		}

		if (tries.every(({attempt}) => isLoginOver(attempt))) {
			places.delete(key);
		}
	}
}
