/** How a person approves a login: in a browser that is redirected to this machine, or with a code on any device. */
export type LoginFlow = 'browser' | 'device';

/** The tool server of a login: `ServerView.name` and `ServerView.profile`. */
export type LoginPlace = {readonly server: string; readonly profile: string};

/**
 * - `starting`: the authorization server is being discovered. `waiting`: for a person, until `endsAt`. `finishing`: the answer of the person is being redeemed,
 *   and cannot be cancelled.
 * - `succeeded`: the new login is stored, and a running gateway takes it over. `failed`, `cancelled`: the former login is kept.
 */
export type LoginStatus =
	| 'starting'
	| 'waiting'
	| 'finishing'
	| 'succeeded'
	| 'failed'
	| 'cancelled';

/** One login to a tool server, running or ended. Untrusted texts are cleaned by `escapeLine` and redacted. Times are milliseconds since 1970. */
export type LoginAttempt = LoginPlace & {
	readonly flow: LoginFlow;
	readonly status: LoginStatus;
	readonly startedAt: number;
	/** When the login stops waiting. */
	readonly endsAt?: number;
	/** When the login ended. */
	readonly endedAt?: number;
	/** Host of the tool server, with an unusual port. At most 300 characters, as every host here. */
	readonly serverHost: string;
	/** Browser: the page to open, an http(s) URL without control characters, safe to open or copy. */
	readonly url?: string;
	/** Browser: whether a program was started that shows `url`. Never over SSH. */
	readonly opened?: boolean;
	/** Browser: the loopback port of the redirect; absent: nothing listens, and the person pastes the final URL of the browser. */
	readonly redirectPort?: number;
	/** Browser, over SSH: the command that forwards the port from the machine of the browser. */
	readonly tunnel?: string;
	/** Device: the page for `userCode`, an http(s) URL. Show it together with `verificationHost` and `serverHost`. */
	readonly verificationUri?: string;
	/** Device: the same page with the code in its URL, for a QR code or a link; on the same host. */
	readonly verificationUriComplete?: string;
	readonly verificationHost?: string;
	/** Host of the authorization server, while a page is shown. Use `strangePage` to see whether the page is on another host. */
	readonly issuerHost?: string;
	/** Device: letters, digits and hyphens, at most 32 characters. */
	readonly userCode?: string;
	/** Device: state of the polling; absent before the first poll. */
	readonly polling?: LoginPolling;
	/** Why the login failed or was cancelled, with the remedy; one sentence. */
	readonly reason?: string;
	/** Warnings that do not stop the login; at most 10. */
	readonly notes: readonly string[];
};

/** @see RFC 8628 §3.5 */
export type LoginPolling = {
	/** Number of polls. */
	readonly times: number;
	/** Time of the last poll, milliseconds since 1970. */
	readonly askedAt: number;
	/** `slower`: the server asks for a longer interval; `unreachable`: it gave no usable answer. */
	readonly answer: 'pending' | 'slower' | 'unreachable';
	/** Pause before the next poll, milliseconds. */
	readonly pauseMs: number;
};

/** The logins that a person started in this process. A login is started only by a person who is present. @see manual/logins.md */
export type LoginDesk = AsyncDisposable & {
	/** The newest attempt for each server, oldest first; the same array until something changes. At most 100. */
	attempts(): readonly LoginAttempt[];
	/** Calls `listener` after every change, at once; it must not throw. Returns a function that unsubscribes. */
	subscribe(listener: () => void): () => void;
	/**
	 * Starts a login; logins to several servers may run at once. Failures are reported in the attempt. `flow` absent: as `oauth.flow` of the server.
	 * A second start shows the new attempt; completing the former one still logs in, and a `finishing` one goes on.
	 */
	start(place: LoginPlace, options?: {readonly flow?: LoginFlow}): void;
	/** Passes the final URL of a browser on another machine. `problem`: why the URL cannot be used; the login then keeps waiting. */
	paste(place: LoginPlace, url: string): {readonly problem?: string};
	/** Cancels the login; removes a failed one. */
	cancel(place: LoginPlace): void;
};

/** A unique key for each place. */
export const loginPlaceKey = ({server, profile}: LoginPlace): string =>
	JSON.stringify([profile, server]);

/** A login that starts at `startedAt` (milliseconds since 1970). */
export const startingLogin = (
	{server, profile}: LoginPlace,
	{flow, startedAt}: {readonly flow: LoginFlow | undefined; readonly startedAt: number},
): LoginAttempt => ({
	server,
	profile,
	flow: flow ?? 'browser',
	status: 'starting',
	startedAt,
	serverHost: '',
	notes: [],
});

/** The host of the login page (`page`) and of the authorization server (`issuer`) where they differ. */
export function strangePage({
	url,
	verificationHost,
	issuerHost,
}: Pick<LoginAttempt, 'url' | 'verificationHost' | 'issuerHost'>):
	| {readonly page: string; readonly issuer: string}
	| undefined {
	const page = verificationHost ?? URL.parse(url ?? '')?.host;
	return page === undefined || issuerHost === undefined || page === issuerHost
		? undefined
		: {page, issuer: issuerHost};
}

/** Whether a login has ended. */
export const isLoginOver = ({status}: Pick<LoginAttempt, 'status'>): boolean =>
	status === 'succeeded' || status === 'failed' || status === 'cancelled';

/** The logins of the person at an interface, in the process of that interface. */
export type PersonLogins = LoginDesk & {
	/** Removes a stored login. Resolves with whether there was one. @throws SvcError `config_invalid`, `lock_timeout`, `lock_failed` */
	logOut(place: LoginPlace): Promise<boolean>;
};
