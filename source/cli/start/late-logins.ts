import type {Clock} from '../../core/clock.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import {
	type LoginAttempt,
	type LoginFlow,
	loginPlaceKey,
	type PersonLogins,
	startingLogin,
} from '../../core/logins.ts';
import type {Context} from '../console/context.ts';

/** A login requested while the desk is loading; failed if loading does. */
type Early = {readonly attempt: LoginAttempt; readonly flow: LoginFlow | undefined};

/**
 * Logins whose desk is loaded on first use, so that the screen's first frame does not wait for it. Disposing disposes of the desk. A failure to load becomes the
 * attempt's failure; the next start retries.
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

/** The logins of the person at this process's interface, to the tool servers of the context's home, whose gateway may run elsewhere. */
export function openPersonLogins(context: Context): PersonLogins {
	const {clock, environment} = context;
	return createLateLogins({
		clock,
		async load() {
			const {openLoginDesk} = await import('../../gateway/servers/open-login-desk.ts');
			const {forgetLogin} = await import('../../mcp/oauth/forget-login.ts');
			const {loginPlaceOf} = await import('../../mcp/oauth/login-shelf.ts');
			const {readConfig} = await import('../home/receiver-facts.ts');
			const {shareHome} = await import('../home/share-home.ts');
			const share = await shareHome(context.paths(), context);
			const paths = () => ({...context.paths(), ...(share && {shared: share.shared})});
			const config = () => readConfig({...context, paths});
			const desk = openLoginDesk({clock, environment, config});
			return {
				...desk,
				async logOut({server, profile}) {
					const place = loginPlaceOf(config().profiles.of(profile).paths);
					return forgetLogin(place, {server, clock});
				},
				async [Symbol.asyncDispose]() {
					await desk[Symbol.asyncDispose]();
					await share?.[Symbol.asyncDispose]();
				},
			};
		},
	});
}

const refuse = (action: string): never => {
	throw new SvcError('read_only', `Cannot ${action}: this face was opened with --read-only`);
};

/** The logins for a read-only face: none can be started, cancelled or removed. */
export const readOnlyLogins = (logins: PersonLogins): PersonLogins => ({
	...logins,
	start: () => refuse('start a login'),
	paste: () => refuse('take an address for a login'),
	cancel: () => refuse('end a login'),
	logOut: async () => refuse('log out'),
});
