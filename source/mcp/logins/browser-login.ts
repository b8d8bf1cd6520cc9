import type {ToolServerConfig} from '../../config/tool-server.ts';
import {codeOf} from '../../core/errors.ts';
import {type LoginPlace, loginPlaceKey} from '../../core/logins.ts';
import {pinnedPorts} from '../oauth/client-document.ts';
import type {KnownLogin, Redirect} from '../oauth/login-options.ts';
import type {OAuthSettings} from '../oauth/oauth-settings.ts';
import {ConnectError} from '../wire/connect-error.ts';
import type {CallbackAnswer, CallbackListener} from './callback-listener.ts';
import type {CallbackOutcome} from './callback-page.ts';
import {issuerHostOf, type LoginWorld} from './login-world.ts';
import {openInBrowser} from './open-browser.ts';
import {readPasted} from './pasted-url.ts';
import {loopbackCallback, planRedirect} from './redirect-plan.ts';
import {tunnelTo} from './tunnel.ts';

/** How long a person may take in the browser. @see manual/logins.md */
const waitMs = 300_000;

/** Where the browser comes back to, and who listens there. */
type Callback = {readonly redirect: Redirect; readonly listener: CallbackListener | undefined};

/** What came back; without a `reply` it was pasted, and no page waits. */
type BrowserAnswer = Pick<CallbackAnswer, 'params'> & Partial<Pick<CallbackAnswer, 'reply'>>;

/** One login through the browser: the callback, the page, and what comes back. @throws ConnectError */
export async function browserLogin(
	server: ToolServerConfig,
	{place, settings}: {readonly place: LoginPlace; readonly settings: OAuthSettings},
	world: LoginWorld,
): Promise<void> {
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
				callback = await bindCallback(known, {server, place, settings, world});
				return callback.redirect;
			},
			async openBrowser(url, issuer) {
				const opened = await show(url, reply, world);
				const answer = await answerTo(url, {opened, issuer, callback, server, world});
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

/** The page that waits for an answer goes on by itself; without one, another is opened. */
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
	{
		opened,
		issuer,
		callback,
		server,
		world: {clock, environment, watch},
	}: {
		readonly opened: boolean;
		readonly issuer: string;
		readonly callback: Callback | undefined;
		readonly server: ToolServerConfig;
		readonly world: LoginWorld;
	},
): Promise<BrowserAnswer> {
	const {redirect, listener} = callback ?? {};
	const state = url.searchParams.get('state') ?? '';
	const late = new AbortController();
	const over = new AbortController();
	const signal = AbortSignal.any([watch.signal, late.signal, over.signal]);
	const cancel = clock.after(waitMs, () => {
		late.abort(tooLate(server, url));
	});
	const pasted = Promise.withResolvers<BrowserAnswer>();
	watch.onPaste(text => {
		const read = readPasted(text, {redirect: redirect?.url ?? '', state});
		if ('problem' in read) {
			return read;
		}

		pasted.resolve({params: read.params});
		return {};
	});
	watch.tell({
		status: 'waiting',
		url: url.href,
		...issuerHostOf(issuer),
		opened,
		endsAt: clock.now() + waitMs,
		...(listener && {redirectPort: listener.port, ...tunnelOf(listener.port, environment)}),
	});
	try {
		const path = new URL(redirect?.url ?? loopbackCallback(0)).pathname;
		return await Promise.race([
			pasted.promise,
			...(listener ? [listener.expect({path, state}, signal)] : []),
			rejection(signal),
		]);
	} finally {
		cancel();
		over.abort();
	}
}

const tunnelOf = (port: number, environment: LoginWorld['environment']) => {
	const tunnel = tunnelTo(port, environment);
	return tunnel === undefined ? {} : {tunnel};
};

async function rejection(signal: AbortSignal): Promise<never> {
	return new Promise((_, reject) => {
		if (signal.aborted) {
			reject(signal.reason);
		}

		signal.addEventListener(
			'abort',
			() => {
				reject(signal.reason);
			},
			{once: true},
		);
	});
}

async function bindCallback(
	known: KnownLogin,
	{
		server,
		place,
		settings,
		world: {ports, watch},
	}: {
		readonly server: ToolServerConfig;
		readonly place: LoginPlace;
		readonly settings: OAuthSettings;
		readonly world: LoginWorld;
	},
): Promise<Callback> {
	const plan = planRedirect(settings, known);
	const owner = loginPlaceKey(place);
	if (plan.kind === 'own') {
		if (!URL.canParse(plan.url)) {
			throw new ConnectError({
				kind: 'permanent',
				message: `Cannot log in to tool server "${server.name}": "redirect_uri" in its oauth settings is no URL`,
			});
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
			throw new ConnectError({
				kind: 'permanent',
				message: `Cannot log in to tool server "${server.name}": port ${plan.port}, which its oauth settings name for the browser to come back to, is taken by another program`,
			});
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
		throw new ConnectError({
			kind: 'passing',
			message: `Cannot log in to tool server "${server.name}": this machine has no free port for the browser to come back to`,
		});
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
	return new ConnectError({
		kind: 'needs-login',
		message: `Cannot log in to tool server "${name}": nobody came back from the browser within ${waitMs / 60_000} minutes${document}`,
	});
};
