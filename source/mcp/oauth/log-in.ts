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

/** How often one login may ask a person for consent; a server that wants more is inconsistent. */
const maxRounds = 3;

/** How long a server may take to say how to log in, not counting requests to others. */
const probeTimeoutMs = 30_000;

/** The longest page address; signed requests take kilobytes. */
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
	/** Checks the client metadata document, if one will be presented. */
	readonly checkDocument: (fetch: FetchLike) => Promise<void>;
};

/**
 * Asks a person for consent to what the server wants, redeems the code, and tests whether the server accepts the grant; if it then wants more, asks again.
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

/** Whether the server accepts the grant. The connection stays open meanwhile, because the code is redeemed by its fetch. */
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
			// The server requires no login so far, or is unreachable; the person wants one anyway.
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

/** Why the page must not be shown to a person. Its address is shown in full, and becomes one argument of a program. */
async function problemWithPage(url: URL, {home}: OAuthRequests): Promise<string | undefined> {
	if (url.href.length > maxPageLength) {
		return `is longer than ${maxPageLength} characters`;
	}

	return isPageForPeople(url, (await home?.()) ?? 'public')
		? undefined
		: 'is not https://, or is nearer to this machine than the tool server';
}

/** What is wrong with metadata that the SDK could not parse; `undefined` for other errors. Names only the members, because their values are a stranger's. */
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
 * Sends a request that may require a login, so that the server says how: first as a client of one protocol, then of the other. The first 401 makes the SDK prepare
 * the login; other answers do not matter.
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

/** Rethrows only reasons why no login can be prepared. */
function onlyOurs(error: unknown): void {
	if (
		error instanceof ConnectError ||
		error instanceof OAuthError ||
		error instanceof OAuthClientFlowError
	) {
		throw error;
	}
}

/** Redeems the code that the browser returned. A refused client document is not a failure: the next round registers. @throws ConnectError */
async function redeemAnswer(
	server: ToolServerConfig,
	params: URLSearchParams,
	{provider, requests}: {readonly provider: LoginProvider; readonly requests: OAuthRequests},
): Promise<void> {
	provider.checkAnswer(params);
	const refusedBefore = requests.grant.files.documentRefused();
	requests.hide([params.get('code') ?? undefined]);
	// The SDK offers this step only on its transports; nothing is connected here.
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

/** Errors by which an authorization server rejects a client. @see RFC 6749 §4.1.2.1, RFC 7591 §3.2.2 */
const clientRefusals: ReadonlySet<string> = new Set([
	'invalid_client',
	'unauthorized_client',
	'invalid_client_metadata',
]);
