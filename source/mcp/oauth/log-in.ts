import {
	CLIENT_CAPABILITIES_META_KEY,
	CLIENT_INFO_META_KEY,
	type FetchLike,
	OAuthClientFlowError,
	OAuthError,
	PROTOCOL_VERSION_META_KEY,
	StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {messageOf} from '../../core/errors.ts';
import {version} from '../../core/program.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {type EndpointPlace, isPageForPeople} from '../wire/address-guard.ts';
import {ConnectError, loginError} from '../wire/connect-error.ts';
import type {OpenedTransport} from '../wire/open-transport.ts';
import {timeLimit} from '../wire/time-limit.ts';
import type {LoginOptions} from './login-options.ts';
import type {LoginProvider} from './login-provider.ts';
import {authorize, oauthFetch} from './oauth-fetch.ts';
import type {OAuthRequests} from './oauth-requests.ts';

/** How often a person is asked to agree in one login; a server that wants more does not know what it wants. */
const maxRounds = 3;

/** How long a server may take until it has said how to log in, without the requests to others. */
const probeTimeoutMs = 30_000;

/** Of the address of a page; signed requests take kilobytes. */
const maxPageLength = 16_384;

const clientInfo = {name: 'svc', version};

const loginProbes = [
	{
		method: 'initialize',
		params: {protocolVersion: '2025-11-25', capabilities: {}, clientInfo},
	},
	{method: 'tools/list'},
	{
		method: 'tools/list',
		params: {
			_meta: {
				[PROTOCOL_VERSION_META_KEY]: '2026-07-28',
				[CLIENT_INFO_META_KEY]: clientInfo,
				[CLIENT_CAPABILITIES_META_KEY]: {},
			},
		},
	},
];

type Login = {
	readonly provider: LoginProvider;
	readonly requests: OAuthRequests;
	/** Looks at the document that is going to be presented, if one is. */
	readonly checkDocument: (fetch: FetchLike) => Promise<void>;
};

/**
 * Has a person agree to what the server wants, redeems that, and looks whether the server takes it; wants it more, it is asked for again.
 *
 * @throws ConnectError; what was stored before is still there then, unless a new grant came
 */
export async function logIn(
	server: ToolServerConfig,
	options: LoginOptions,
	login: Login,
): Promise<void> {
	for (let round = 0; ; round++) {
		const openBrowser = round < maxRounds ? options.openBrowser : refuseRound;
		// oxlint-disable-next-line no-await-in-loop -- each round needs the last one's grant
		if (await isAccepted(server, {...options, openBrowser}, login)) {
			return;
		}
	}

	async function refuseRound(): Promise<never> {
		throw loginError(server.name, `it asks again after ${maxRounds} logins`);
	}
}

/** Whether the server takes the grant. The connection stays open meanwhile: what redeems the answer of the browser is fetched through it. */
async function isAccepted(
	server: ToolServerConfig,
	{open, openBrowser, secrets, signal}: LoginOptions,
	{provider, requests, checkDocument}: Login,
): Promise<boolean> {
	requests.metadata.statuses = [];
	requests.metadata.found = false;
	let plain: FetchLike | undefined;
	const login = {
		credentials: provider,
		fetchWith(fetch: FetchLike, home: EndpointPlace['home']) {
			plain = fetch;
			return oauthFetch(requests, fetch, {home, ends: signal});
		},
	};
	await using opened = await open(server, {signal, secrets, login});
	try {
		if (plain) {
			await checkDocument(plain);
		}

		await probeForLogin(opened, {provider, requests}, signal);
		if (!provider.hasUrl && !provider.isGranted) {
			// The server wants no login so far, or is not there; the person wants one all the same.
			await authorize(provider, requests);
		}
	} catch (error) {
		signal.throwIfAborted();
		const reason = metadataProblem(error) ?? opened.explain(error).message;
		throw error instanceof ConnectError ? error : loginError(server.name, reason, {cause: error});
	}

	const url = provider.takeUrl();
	if (url) {
		const problem = await problemWithPage(url, requests);
		if (problem !== undefined) {
			const page = escapeLine(url.href, 100);
			const reason = `its authorization server would send you to "${page}", which ${problem}`;
			throw loginError(server.name, reason);
		}

		const answer = await openBrowser(url, provider.issuer ?? url.href);
		await redeemAnswer(server, answer, {provider, requests});
		return false;
	}

	const granted = await provider.tokens();
	if (granted && requests.grant.wasRejected(granted.access_token)) {
		throw loginError(server.name, 'it refuses the token that was granted');
	}

	return true;
}

/** Why a person is not shown a page; its address is shown as a whole, and is one argument of a program. */
async function problemWithPage(url: URL, {home}: OAuthRequests): Promise<string | undefined> {
	if (url.href.length > maxPageLength) {
		return `is longer than ${maxPageLength} characters`;
	}

	return isPageForPeople(url, (await home?.()) ?? 'public')
		? undefined
		: 'is not https://, or is nearer to this machine than the tool server';
}

/** What is wrong with metadata that the SDK could not read; `undefined` for any other error. Names the members alone: what is in them is a stranger's. */
function metadataProblem(error: unknown): string | undefined {
	if (error instanceof SyntaxError) {
		return 'the metadata of its authorization server cannot be used: they are no JSON';
	}

	const {issues} = error instanceof Error && 'issues' in error ? error : {};
	const paths = (Array.isArray(issues) ? issues : []).flatMap(
		(issue: {readonly path?: unknown} | null) =>
			Array.isArray(issue?.path) ? [issue.path.join('.')] : [],
	);
	return paths.length > 0
		? `the metadata of its authorization server cannot be used: see ${escapeLine(paths.join(', '), 200)}`
		: undefined;
}

/**
 * Asks for something that may want a login, so that the server says how: as a client of the one protocol, then of the other. The first refusal makes the
 * SDK prepare the login. Any other answer, or none, does not matter here.
 *
 * @throws ConnectError when the login cannot be prepared
 */
async function probeForLogin(
	{transport}: OpenedTransport,
	{provider, requests: {clock}}: Pick<Login, 'provider' | 'requests'>,
	signal: AbortSignal,
): Promise<void> {
	using limit = timeLimit(clock, probeTimeoutMs, {signal});
	try {
		await transport.start();
		for (const [id, message] of loginProbes.entries()) {
			if (provider.hasUrl || limit.signal.aborted) {
				return;
			}

			// oxlint-disable-next-line no-await-in-loop -- two refusals at once would begin two logins
			await transport
				.send({jsonrpc: '2.0', id, ...message}, {requestSignal: limit.signal})
				.catch(onlyOurs);
		}
	} catch (error) {
		onlyOurs(error);
	}
}

/** Lets every answer pass but reasons why no login can be prepared. */
function onlyOurs(error: unknown): void {
	if (
		error instanceof ConnectError ||
		error instanceof OAuthError ||
		error instanceof OAuthClientFlowError
	) {
		throw error;
	}
}

/** Redeems what the browser brought. A refused document is no failure: the next round registers. @throws ConnectError */
async function redeemAnswer(
	server: ToolServerConfig,
	params: URLSearchParams,
	{provider, requests}: {readonly provider: LoginProvider; readonly requests: OAuthRequests},
): Promise<void> {
	provider.checkAnswer(params);
	const refusedBefore = requests.grant.files.documentRefused();
	requests.hide([params.get('code') ?? undefined]);
	// The SDK has this step on its transports only; nothing is connected here.
	const transport = new StreamableHTTPClientTransport(requests.endpoint, {
		authProvider: provider,
		...(requests.fetch && {fetch: requests.fetch}),
	});
	try {
		await transport.finishAuth(params);
	} catch (error) {
		const answer = params.has('error') && error instanceof OAuthError ? error : undefined;
		if (answer && clientRefusals.has(answer.code)) {
			const client = await provider.clientInformation();
			await requests.onInvalidClient(client?.client_id ?? '');
		}

		if (!refusedBefore && requests.grant.files.documentRefused()) {
			return;
		}

		const lead = answer ? `the authorization server answered ${answer.code}: ` : '';
		const reason = escapeLine(requests.redact(lead + messageOf(error)), 300);
		throw error instanceof ConnectError ? error : loginError(server.name, reason, {cause: error});
	}
}

/** What an authorization server may say of a client that it does not take. @see RFC 6749 §4.1.2.1, RFC 7591 §3.2.2 */
const clientRefusals: ReadonlySet<string> = new Set([
	'invalid_client',
	'unauthorized_client',
	'invalid_client_metadata',
]);
