import type {Clock} from '../../source/core/clock.ts';
import type {LoginAttempt, LoginPlace, PersonLogins} from '../../source/core/logins.ts';
import {createFakeClock} from './fake-clock.ts';

export type FakeLogins = PersonLogins & {
	/** What was asked for, in order. */
	readonly calls: Array<readonly [name: string, place: LoginPlace, more?: unknown]>;
	/** What pasting answers next. */
	pasted: {readonly problem?: string};
	/** Whether `logOut` finds a login. */
	stored: boolean;
	/** Lets the newest login of a server become such; begins one where there is none. */
	tell(part: Partial<LoginAttempt> & Pick<LoginAttempt, 'server'>): void;
};

/** Logins that only remember what they were asked for, and become what a test says. */
export function createFakeLogins(clock: Clock = createFakeClock()): FakeLogins {
	const listeners = new Set<() => void>();
	let attempts: readonly LoginAttempt[] = [];
	const change = (place: LoginPlace, part: Partial<LoginAttempt>) => {
		const isSame = (other: LoginAttempt) =>
			other.server === place.server && other.profile === place.profile;
		const before = attempts.find(isSame) ?? {
			...place,
			flow: 'browser',
			status: 'starting',
			startedAt: clock.now(),
			serverHost: '',
			notes: [],
		};
		attempts = [...attempts.filter(other => !isSame(other)), {...before, ...part}];
		for (const listener of listeners) {
			listener();
		}
	};

	const logins: FakeLogins = {
		calls: [],
		pasted: {},
		stored: true,
		tell(part) {
			change({profile: 'default', ...part}, part);
		},
		attempts: () => attempts,
		subscribe(listener) {
			listeners.add(listener);
			return () => {
				listeners.delete(listener);
			};
		},
		start({server, profile}, options = {}) {
			logins.calls.push(['start', {server, profile}, options]);
			attempts = attempts.filter(other => other.server !== server || other.profile !== profile);
			change({server, profile}, {flow: options.flow ?? 'browser'});
		},
		paste({server, profile}, url) {
			logins.calls.push(['paste', {server, profile}, url]);
			return logins.pasted;
		},
		cancel({server, profile}) {
			logins.calls.push(['cancel', {server, profile}]);
			change(
				{server, profile},
				{status: 'cancelled', reason: 'it was cancelled', endedAt: clock.now()},
			);
		},
		async logOut({server, profile}) {
			logins.calls.push(['logOut', {server, profile}]);
			return logins.stored;
		},
		async [Symbol.asyncDispose]() {},
	};
	return logins;
}
