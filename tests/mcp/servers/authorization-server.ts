import {once} from 'node:events';
import {
	createServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	type RequestListener,
	type Server,
} from 'node:http';
import type {AddressInfo} from 'node:net';
import {text} from 'node:stream/consumers';
import {setImmediate} from 'node:timers/promises';
import {toNodeHandler} from '@modelcontextprotocol/node';
import {createMcpHandler, McpServer} from '@modelcontextprotocol/server';
import {type Context, Provider} from 'oidc-provider';

/** One request as it arrived. */
export type Arrived = {
	readonly at: 'authorization server' | 'tool server';
	readonly method: string;
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	/** Of token requests, and requests for a code. */
	readonly form?: URLSearchParams;
	/** Of registrations. */
	readonly json?: Readonly<Record<string, unknown>>;
};

export type AuthorizationServerOptions = {
	/** Client metadata documents that the server can fetch, by URL; without them it takes none. */
	readonly documents?: Readonly<Record<string, unknown>>;
	/** Answers in place of the server; for paths like `/token`. */
	readonly intercept?: (
		request: Arrived,
	) => {readonly status: number; readonly type?: string; readonly body: string} | undefined;
	/** Seconds that access tokens live. */
	readonly lifetime?: number;
	/** How the tool server refuses what comes with a good token. */
	readonly refusal?: {readonly status: number; readonly challenge: string};
};

/**
 * An authorization server, `oidc-provider`, and a tool server that wants its tokens; both on this machine. Everybody is logged in and agrees to everything.
 * Refresh tokens are used once.
 */
export async function startAuthorizationServer({
	documents,
	intercept = () => undefined,
	refusal,
	lifetime = 3600,
}: AuthorizationServerOptions = {}) {
	const arrived: Arrived[] = [];
	let forgottenRefreshes = 0;
	const refused = new Set<string>();
	const stack = new AsyncDisposableStack();
	const authorization = await listen(stack);
	const tools = await listen(stack);
	const issuer = originOf(authorization);
	const url = `${originOf(tools)}/mcp`;
	const provider = new Provider(
		issuer,
		configurationOf(url, {lifetime, ...(documents && {documents})}),
	);
	const answerOAuth = provider.callback();
	const answerMcp = toNodeHandler(createMcpHandler(protectedServer));

	handle(authorization, async (request, response) => {
		const noted = await note('authorization server', request);
		arrived.push(noted);
		const other = intercept(noted);
		if (other) {
			response.writeHead(other.status, {'content-type': other.type ?? 'application/json'});
			response.end(other.body);
		} else if (noted.path.startsWith('/interaction/')) {
			await agree(request, response);
		} else {
			if (noted.path === '/.well-known/oauth-authorization-server') {
				request.url = '/.well-known/openid-configuration';
			}

			await answerOAuth(request, response);
		}
	});

	handle(tools, async (request, response) => {
		const {path, headers, ...noted} = await note('tool server', request);
		arrived.push({...noted, path, headers});
		if (path.startsWith('/.well-known/oauth-protected-resource')) {
			response.writeHead(200, {'content-type': 'application/json'});
			response.end(
				JSON.stringify({
					resource: url,
					authorization_servers: [issuer],
					scopes_supported: ['mcp:tools'],
				}),
			);
			return;
		}

		const [, token = ''] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
		if (token === '' || refused.has(token) || !(await provider.AccessToken.find(token))) {
			const metadata = `${originOf(tools)}/.well-known/oauth-protected-resource/mcp`;
			response.writeHead(401, {
				'www-authenticate': `Bearer resource_metadata="${metadata}"${token && ', error="invalid_token"'}`,
			});
			response.end();
			return;
		}

		if (refusal) {
			response.writeHead(refusal.status, {'www-authenticate': `Bearer ${refusal.challenge}`});
			response.end();
			return;
		}

		await answerMcp(request as Parameters<typeof answerMcp>[0], response);
	});

	async function agree(...[request, response]: Parameters<RequestListener>): Promise<void> {
		const {prompt} = await provider.interactionDetails(request, response);
		await provider.interactionFinished(
			request,
			response,
			prompt.name === 'login' ? {login: {accountId: 'alice'}} : {consent: {}},
		);
	}

	return {
		url,
		issuer,
		arrived: arrived as readonly Arrived[],
		/** Forms that reached the token endpoint. */
		tokenRequests: () => arrived.filter(({path}) => path === '/token').map(({form}) => form),
		/** How many requests to refresh have reached the token endpoint, also those that were forgotten. */
		refreshCount: () => forgottenRefreshes + arrived.filter(isRefresh).length,
		/** For tests that last. */
		forgetRequests() {
			forgottenRefreshes += arrived.filter(isRefresh).length;
			arrived.length = 0;
		},
		/** What asked to be registered. */
		registrations: () => arrived.flatMap(({path, json}) => (path === '/reg' && json ? [json] : [])),
		/** Resolves once so many requests have reached the token endpoint. */
		async tokenRequested(count: number) {
			while (arrived.filter(({path}) => path === '/token').length < count) {
				await once(authorization, 'request');
				await setImmediate();
			}
		},
		/** From now on the tool server does not take this access token. */
		refuse: (token: string) => refused.add(token),
		async revokeRefreshToken(token: string) {
			await (await provider.RefreshToken.find(token))?.destroy();
		},
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

const isRefresh = ({path, form}: Arrived): boolean =>
	path === '/token' && form?.get('grant_type') === 'refresh_token';

function configurationOf(
	resource: string,
	{documents, lifetime}: Pick<AuthorizationServerOptions, 'documents' | 'lifetime'>,
) {
	const scopes = 'openid offline_access mcp:tools';
	return {
		scopes: scopes.split(' '),
		clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
		clientDefaults: {
			grant_types: ['authorization_code'],
			response_types: ['code'],
			token_endpoint_auth_method: 'none',
		},
		features: {
			devInteractions: {enabled: false},
			registration: {enabled: true},
			deviceFlow: {enabled: true},
			clientIdMetadataDocument: documents ? {enabled: true, ack: 'draft-02'} : {enabled: false},
			resourceIndicators: {
				enabled: true,
				defaultResource: () => resource,
				useGrantedResource: () => true,
				getResourceServerInfo: (_context: unknown, audience: string) => ({
					scope: 'mcp:tools',
					audience,
					accessTokenFormat: 'opaque',
					accessTokenTTL: lifetime,
				}),
			},
		},
		interactions: {url: (_context: unknown, {uid}: {uid: string}) => `/interaction/${uid}`},
		ttl: {
			AccessToken: lifetime,
			RefreshToken: 86_400,
			Grant: 86_400,
			Session: 86_400,
			Interaction: 600,
		},
		rotateRefreshToken: true,
		issueRefreshToken: () => true,
		findAccount: (_context: unknown, id: string) => ({accountId: id, claims: () => ({sub: id})}),
		async loadExistingGrant({oidc}: Context & {oidc: {provider: Provider}}) {
			const grant = new oidc.provider.Grant({
				clientId: oidc.client.clientId,
				accountId: oidc.session.accountId,
			});
			grant.addOIDCScope(scopes);
			grant.addResourceScope(resource, 'mcp:tools');
			await grant.save();
			return grant;
		},
		fetch: async (url: URL) => {
			const document = documents?.[String(url)];
			return document
				? Response.json(document, {headers: {'content-type': 'application/json'}})
				: new Response('', {status: 404});
		},
		cookies: {keys: ['test']},
	};
}

function protectedServer(): McpServer {
	const server = new McpServer({name: 'protected', version: '1.0.0'});
	server.registerTool('whoami', {description: 'Says who asks'}, () => ({
		content: [{type: 'text', text: 'alice'}],
	}));
	return server;
}

async function listen(stack: AsyncDisposableStack): Promise<Server> {
	const server = createServer().listen(0, '127.0.0.1');
	stack.defer(async () => {
		server.closeAllConnections();
		server.close();
		await once(server, 'close');
	});
	await once(server, 'listening');
	return server;
}

function handle(
	server: Server,
	answer: (...args: Parameters<RequestListener>) => Promise<void>,
): void {
	server.on('request', (request, response) => {
		answer(request, response).catch((error: unknown) => {
			response.destroy(error instanceof Error ? error : undefined);
		});
	});
}

/** The body of a token request is read here, and handed on as the provider takes it. */
async function note(at: Arrived['at'], request: IncomingMessage): Promise<Arrived> {
	const path = new URL(request.url ?? '/', 'http://host').pathname;
	const noted = {at, method: request.method ?? '', path, headers: request.headers};
	if (!['/token', '/reg', '/device/auth'].includes(path)) {
		return noted;
	}

	const body = await text(request);
	Object.assign(request, {body});
	return path === '/reg'
		? {...noted, json: JSON.parse(body)}
		: {...noted, form: new URLSearchParams(body)};
}

const originOf = (server: Server): string =>
	`http://127.0.0.1:${(server.address() as AddressInfo).port}`;
