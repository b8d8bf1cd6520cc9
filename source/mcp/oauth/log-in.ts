import {StreamableHTTPClientTransport} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {messageOf} from '../../core/errors.ts';
import {cell} from '../../core/untrusted.ts';
import {version} from '../../core/version.ts';
import {ConnectError} from '../wire/connect-error.ts';
import type {OpenedTransport, OpenTransport} from '../wire/open-transport.ts';
import type {LoginProvider} from './login-provider.ts';
import type {OAuthRequests} from './oauth-requests.ts';

/** How often a person is asked to agree in one login; a server that wants more does not know what it wants. */
const mostRounds = 3;

export type LoginOptions = {
	readonly open: OpenTransport;
	/** Where the authorization server sends the browser back to. */
	readonly redirectUrl: string;
	/** Shows an http(s) URL to a person and resolves with the parameters of the URL that the browser came back with. */
	readonly openBrowser: (url: URL) => Promise<URLSearchParams>;
	/** Values that came from variables. */
	readonly secrets: readonly string[];
	readonly signal: AbortSignal;
};

type Login = {readonly provider: LoginProvider; readonly requests: OAuthRequests};

/**
 * Goes to the server as a client does, and through its authorization as often as it asks, until it takes the token or needs none.
 *
 * @throws ConnectError; what was stored before is still there then, unless a new grant came
 */
export async function logIn(
	server: ToolServerConfig,
	options: LoginOptions,
	login: Login,
): Promise<void> {
	for (let round = 0; ; round++) {
		const openBrowser = round < mostRounds ? options.openBrowser : refuseRound;
		// oxlint-disable-next-line no-await-in-loop -- each round needs the last one's grant
		if (await isAccepted(server, {...options, openBrowser}, login)) {
			return;
		}
	}

	async function refuseRound(): Promise<never> {
		throw refused(server, `it asks again after ${mostRounds} logins`);
	}
}

/**
 * Knocks, and has a person agree to what the server wants then. Whether it wanted nothing. The connection stays open meanwhile: what redeems the
 * answer of the browser is fetched through it.
 */
async function isAccepted(
	server: ToolServerConfig,
	{open, openBrowser, secrets, signal}: LoginOptions,
	{provider, requests}: Login,
): Promise<boolean> {
	requests.metadata.statuses = [];
	requests.metadata.found = false;
	await using opened = await open(server, {signal, secrets, authProvider: provider});
	const failure = await knock(opened);
	signal.throwIfAborted();
	const url = provider.takeUrl();
	if (url) {
		await redeem(server, await openBrowser(url), {provider, requests});
		return false;
	}

	if (failure && !provider.isGranted) {
		throw failure;
	}

	return true;
}

/** Sends the first message of a client. What a server answers that has no business with us, or speaks another version, does not matter here. */
async function knock(opened: OpenedTransport): Promise<ConnectError | undefined> {
	const {transport} = opened;
	try {
		await transport.start();
		await transport.send({
			jsonrpc: '2.0',
			id: 0,
			method: 'initialize',
			params: {
				protocolVersion: '2025-11-25',
				capabilities: {},
				clientInfo: {name: 'svc', version},
			},
		});
		return undefined;
	} catch (error) {
		return error instanceof ConnectError
			? error
			: new ConnectError(opened.explain(error), {cause: error});
	}
}

/** Redeems what the browser brought. A refused document is no failure: the next round registers. */
async function redeem(
	server: ToolServerConfig,
	params: URLSearchParams,
	{provider, requests}: Login,
): Promise<void> {
	provider.checkState(params);
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
		if (!refusedBefore && requests.grant.files.documentRefused()) {
			return;
		}

		throw error instanceof ConnectError ? error : refused(server, reasonOf(error, requests), error);
	}
}

function reasonOf(error: unknown, {redact}: OAuthRequests): string {
	return cell(redact(messageOf(error)), 300).text;
}

const refused = (server: ToolServerConfig, reason: string, cause?: unknown): ConnectError =>
	new ConnectError(
		{kind: 'needs-login', message: `Cannot log in to tool server "${server.name}": ${reason}`},
		{cause},
	);
