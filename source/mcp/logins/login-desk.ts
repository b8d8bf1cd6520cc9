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

/** What a login that is under way tells of itself; what it says is cleaned. */
export type LoginProgress = Partial<
	Omit<LoginAttempt, 'server' | 'profile' | 'startedAt' | 'endedAt' | 'reason' | 'notes' | 'status'>
> & {readonly status?: 'waiting' | 'finishing'};

/** What the desk gives to one login. */
export type LoginWatch = {
	/** Aborts when it is not wanted any more. */
	readonly signal: AbortSignal;
	readonly tell: (facts: LoginProgress) => void;
	/** Says something that the person should know. */
	readonly note: (text: string) => void;
	/** Takes a URL that a person has pasted: whether it is an answer to this login, and if not, why. */
	readonly onPaste: (take: (url: string) => {readonly problem?: string}) => void;
};

/** Goes through one login. Rejects when there is none in the end; the message is for the person, cleaned. */
export type PerformLogin = (
	place: LoginPlace,
	options: {readonly flow: LoginFlow | undefined},
	watch: LoginWatch,
) => Promise<void>;

/** So many tries of one server may be answered; older ones are given up. */
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
 * The desk where a person starts logins. Disposal ends those that wait, and waits for those that finish.
 *
 * Each start is a try of its own. A try that the person has not answered yet stays beside the next one, so that an answer to either counts; the first that
 * succeeds ends the others.
 */
export function createLoginDesk({
	clock,
	perform,
}: {
	readonly clock: Clock;
	readonly perform: PerformLogin;
}): LoginDesk {
	/** By place, in the order of the last start; the newest try last. */
	const places = new Map<string, Try[]>();
	const listeners = new Set<() => void>();
	/** Also of tries that nothing shows any more. */
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
			// The newest stays to be looked at.
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

/** What is shown of a server: the try that the person has answered, else the newest. */
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
