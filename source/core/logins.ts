/** How a person agrees to a login: in a browser that comes back to this machine, or on any device, with a code. */
export type LoginFlow = 'browser' | 'device';

/** Which tool server's login, and of whom: as `ServerView.name` and `ServerView.profile`. */
export type LoginPlace = {readonly server: string; readonly profile: string};

/**
 * - `starting`: the authorization server is looked for. `waiting`: for a person, until `endsAt`. `finishing`: the person has answered; that is redeemed now,
 *   and nothing ends it but its own end.
 * - `succeeded`: the new login is stored, and a gateway that runs takes it over by itself. `failed`, `cancelled`: what was stored before is still there.
 */
export type LoginStatus =
	| 'starting'
	| 'waiting'
	| 'finishing'
	| 'succeeded'
	| 'failed'
	| 'cancelled';

/** One login of a tool server, under way or over. What others said is cleaned by `escapeLine`, and redacted. Times are milliseconds since 1970. */
export type LoginAttempt = LoginPlace & {
	readonly flow: LoginFlow;
	readonly status: LoginStatus;
	readonly startedAt: number;
	/** When it gives up waiting. */
	readonly endsAt?: number;
	/** When it was over. */
	readonly endedAt?: number;
	/** Of the tool server, with its port when that is not the usual one: for what the person logs in. At most 300 characters, as every host here. */
	readonly serverHost: string;
	/** Browser: where the person has to go, an http(s) URL without controls, to be opened or copied as it is. */
	readonly url?: string;
	/** Browser: whether a program was started that shows `url`. Never over SSH. */
	readonly opened?: boolean;
	/** Browser: the loopback port that the browser comes back to; absent: nothing listens, and the URL that the browser ends on is to be pasted. */
	readonly redirectPort?: number;
	/** Browser, over SSH: the command that brings the port to the machine of the browser. */
	readonly tunnel?: string;
	/** Device: where the person types `userCode`; an http(s) URL. To be shown together with `verificationHost` and `serverHost`. */
	readonly verificationUri?: string;
	/** Device: the same with the code in it, for a QR code or a link; an http(s) URL of the same host. */
	readonly verificationUriComplete?: string;
	readonly verificationHost?: string;
	/** Of the authorization server, while a page is shown. To be said where the page is on another host: `strangePage`. */
	readonly issuerHost?: string;
	/** Device: letters, digits and hyphens, at most 32 characters. */
	readonly userCode?: string;
	/** Device: how the authorization server is asked whether the person has agreed; absent until it was. */
	readonly polling?: LoginPolling;
	/** Why it failed, or was cancelled: one sentence with what to do. */
	readonly reason?: string;
	/** What the person should know though it goes on; at most 10. */
	readonly notes: readonly string[];
};

/** @see RFC 8628 §3.5 */
export type LoginPolling = {
	/** How often it was asked. */
	readonly times: number;
	/** When it was asked last, milliseconds since 1970. */
	readonly askedAt: number;
	/** `slower`: it wants to be asked less often from now on; `unreachable`: it did not answer, or not for now. */
	readonly answer: 'pending' | 'slower' | 'unreachable';
	/** Until it is asked again, milliseconds. */
	readonly pauseMs: number;
};

/** The logins that a person has started in this process. A login is never started for somebody who is not there. @see manual/logins.md */
export type LoginDesk = AsyncDisposable & {
	/** The newest one of each server, oldest first; the same array until something changes. At most 100. */
	attempts(): readonly LoginAttempt[];
	/** Calls back after every change, at once. Must not throw. Returns the end of that. */
	subscribe(listener: () => void): () => void;
	/**
	 * Begins; several servers may log in at once. Whatever goes wrong is told by the attempt. `flow` absent: as the server's `oauth.flow` says.
	 * Started again, the newest attempt is the one that is shown, but a person who answers to the one before logs in all the same; one that is `finishing` goes on.
	 */
	start(place: LoginPlace, options?: {readonly flow?: LoginFlow}): void;
	/** Takes the URL that the browser ended on, for a browser on another machine. `problem`: why it cannot be used; the login waits on then. */
	paste(place: LoginPlace, url: string): {readonly problem?: string};
	/** Ends the login; one that has failed is shown no more. */
	cancel(place: LoginPlace): void;
};

/** One text for each place, that no other place has. */
export const loginPlaceKey = ({server, profile}: LoginPlace): string =>
	JSON.stringify([profile, server]);

/** A login that has just been asked for, at `startedAt` (milliseconds since 1970). */
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

/** The host of the page that a person is sent to, when it is not that of the authorization server: a page of `page`, which is not `issuer`. */
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

/** Whether nothing more happens to a login. */
export const isLoginOver = ({status}: Pick<LoginAttempt, 'status'>): boolean =>
	status === 'succeeded' || status === 'failed' || status === 'cancelled';

/** The logins of the person who sits before an interface, in that interface's process. */
export type PersonLogins = LoginDesk & {
	/** Removes all that is stored of a login. Resolves with whether there was one. @throws SvcError `config_invalid`, `lock_timeout`, `lock_failed` */
	logOut(place: LoginPlace): Promise<boolean>;
};
