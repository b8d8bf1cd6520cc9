import type {ToolServerConfig} from '../../config/tool-server.ts';
import {within} from '../../core/clock.ts';
import {codeOf} from '../../core/errors.ts';
import {type LoginPlace, loginPlaceKey} from '../../core/logins.ts';
import {pinnedPorts} from '../oauth/client-document.ts';
import {isSameText} from '../oauth/client-identity.ts';
import type {Redirect, RegistrationFacts} from '../oauth/login-options.ts';
import type {OAuthSettings} from '../oauth/oauth-settings.ts';
import {type ConnectError, loginError} from '../wire/connect-error.ts';
import {timeLimit} from '../wire/time-limit.ts';
import type {CallbackAnswer, CallbackListener} from './callback-listener.ts';
import type {CallbackOutcome} from './callback-page.ts';
import {issuerHostOf, type LoginWorld} from './login-world.ts';
import {openInBrowser} from './open-browser.ts';
import {loopbackCallback, planRedirect} from './redirect-plan.ts';
import {tunnelTo} from './tunnel.ts';

/** How long a person may take in the browser. @see manual/logins.md */
const waitMs = 300_000;

/** The redirect URI, and who listens there. */
type Callback = {readonly redirect: Redirect; readonly listener: CallbackListener | undefined};

/** The browser's answer; without `reply` it was pasted, and no page waits. */
type BrowserAnswer = Pick<CallbackAnswer, 'params'> & Partial<Pick<CallbackAnswer, 'reply'>>;

type Login = {
	readonly server: ToolServerConfig;
	readonly place: LoginPlace;
	readonly settings: OAuthSettings;
	readonly world: LoginWorld;
};

/** A login through the browser: callback listener, login page, and answer. @throws ConnectError */
export async function browserLogin(login: Login): Promise<void> {
	const {server, world} = login;
	const {logins, open, secrets, watch} = world;
	let callback: Callback | undefined;
	let reply: BrowserAnswer['reply'];
	await using _ = {
		async [Symbol.asyncDispose]() {
			await callback?.listener?.[Symbol.asyncDispose]();
		},
	};
	try {
		await logins.login(server, {
			open,
			secrets,
			signal: watch.signal,
			async redirect(known) {
				callback = await bindCallback(known, login);
				return callback.redirect;
			},
			async openBrowser(url, issuer) {
				const opened = await show(url, reply, world);
				const answer = await answerTo(url, {opened, issuer, callback}, login);
				watch.tell({status: 'finishing'});
				({reply} = answer);
				return answer.params;
			},
		});
		reply?.('done');
	} catch (error) {
		reply?.(outcomeOf(error));
		throw error;
	}
}

/** If a page waits for an answer, it is redirected; otherwise a browser is opened. */
async function show(
	url: URL,
	reply: CallbackAnswer['reply'] | undefined,
	{environment}: LoginWorld,
): Promise<boolean> {
	if (reply) {
		reply(url);
		return true;
	}

	return openInBrowser(url, {environment});
}

async function answerTo(
	url: URL,
	{opened, issuer, callback}: {opened: boolean; issuer: string; callback: Callback | undefined},
	{server, world: {clock, environment, watch}}: Login,
): Promise<BrowserAnswer> {
	const {redirect, listener} = callback ?? {};
	const state = url.searchParams.get('state') ?? '';
	const over = new AbortController();
	const reason = () => tooLate(server, url);
	using limit = timeLimit(clock, waitMs, {signal: watch.signal, reason});
	const signal = AbortSignal.any([limit.signal, over.signal]);
	const pasted = Promise.withResolvers<BrowserAnswer>();
	watch.onPaste(text => {
		const read = readPasted(text, {redirect: redirect?.url ?? '', state});
		if ('problem' in read) {
			return read;
		}

		pasted.resolve({params: read.params});
		return {};
	});
	const tunnel = listener && tunnelTo(listener.port, environment);
	watch.tell({
		status: 'waiting',
		url: url.href,
		...issuerHostOf(issuer),
		opened,
		endsAt: clock.now() + waitMs,
		...(listener && {redirectPort: listener.port}),
		...(tunnel !== undefined && {tunnel}),
	});
	try {
		const path = new URL(redirect?.url ?? loopbackCallback(0)).pathname;
		signal.throwIfAborted();
		const answers = [pasted.promise, ...(listener ? [listener.expect({path, state}, signal)] : [])];
		return await within(Promise.race(answers), signal);
	} finally {
		over.abort();
	}
}

async function bindCallback(
	known: RegistrationFacts,
	{server, place, settings, world: {ports, watch}}: Login,
): Promise<Callback> {
	const plan = planRedirect(settings, known);
	const owner = loginPlaceKey(place);
	const refused = (kind: 'permanent' | 'passing', reason: string) =>
		loginError(server.name, reason, {kind});
	if (plan.kind === 'own') {
		if (!URL.canParse(plan.url)) {
			throw refused('permanent', '"redirect_uri" in its oauth settings is no URL');
		}

		const redirect = {url: plan.url, isDeclared: false};
		if (plan.port === undefined) {
			return {redirect, listener: undefined};
		}

		const {host, hostname} = new URL(plan.url);
		const listener = await ports.bind(owner, {
			ports: [plan.port],
			asLocalhost: hostname === 'localhost' || hostname === '[::1]',
			alias: host,
		});
		if (!listener) {
			throw refused(
				'permanent',
				`port ${plan.port}, which its oauth settings name for the browser to come back to, is taken by another program`,
			);
		}

		return {redirect, listener};
	}

	const pinned = plan.kind === 'pinned' ? await ports.bind(owner, {ports: pinnedPorts}) : undefined;
	if (plan.kind === 'pinned' && !pinned && known.document !== undefined) {
		watch.note(
			`Ports ${pinnedPorts[0]} to ${pinnedPorts.at(-1)} are all taken by other programs: this login registers instead of presenting the client metadata document`,
		);
	}

	const listener = pinned ?? (await ports.bind(owner, {ports: [0]}));
	if (!listener) {
		throw refused('passing', 'this machine has no free port for the browser to come back to');
	}

	return {
		redirect: {url: loopbackCallback(listener.port), isDeclared: pinned !== undefined},
		listener,
	};
}

const outcomeOf = (error: unknown): CallbackOutcome =>
	error instanceof Error && codeOf(error.cause) === 'access_denied' ? 'denied' : 'failed';

const tooLate = ({name}: ToolServerConfig, url: URL): ConnectError => {
	const client = url.searchParams.get('client_id') ?? '';
	const document = /^https:/i.test(client)
		? `; if its page refused the client metadata document "${client}", set "cimd: false" in the oauth settings of the server`
		: '';
	const minutes = waitMs / 60_000;
	return loginError(name, `nobody came back from the browser within ${minutes} minutes${document}`);
};

const maxLength = 65_536;

/**
 * Parses what a person pasted in place of the browser's redirect: the URL at which it ended, or the part from `?`. `problem`: why it is no answer to the login of
 * this `state`.
 */
function readPasted(
	text: string,
	{redirect, state}: {readonly redirect: string; readonly state: string},
): {readonly params: URLSearchParams} | {readonly problem: string} {
	const pasted = text.trim();
	const url = pasted.length <= maxLength ? URL.parse(pasted, redirect) : null;
	if (pasted === '' || !url || url.origin + url.pathname !== placeOf(redirect)) {
		return {problem: `Paste the whole URL that the browser ended on; it begins with "${redirect}"`};
	}

	const {searchParams: params} = url;
	if (!params.has('code') && !params.has('error')) {
		return {
			problem: 'The URL lacks the answer of the authorization server ("code=…"): copy all of it',
		};
	}

	return isSameText(state, params.get('state'))
		? {params}
		: {problem: 'The URL belongs to another login (state): use the page that was opened last'};
}

const placeOf = (redirect: string): string => {
	const {origin, pathname} = new URL(redirect);
	return origin + pathname;
};
