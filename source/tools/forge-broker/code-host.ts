import type {IncomingHttpHeaders, ServerResponse} from 'node:http';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import type {SecureContext} from 'node:tls';
import type {Dispatcher} from 'undici';
import {proxyOf} from '../../config/proxy-of.ts';
import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {wordsOf} from '../../core/names.ts';
import {createRedact, createRedactedPieces} from '../../core/redact.ts';
import {addressesOf, type ForgeRepository} from './judge-request.ts';

const maxKnownNodes = 1000;

/** The headers of requests and answers that are forwarded. None of them reveals the token. */
const sentOn = wordsOf(`
	accept content-encoding content-type git-protocol if-modified-since if-none-match
	x-github-api-version
`);
const sentBack = wordsOf(`
	cache-control content-type etag last-modified link retry-after x-github-media-type
	x-github-request-id x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset
`);

export type CodeHostSend = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Connections to the code host like those of its client outside: through the proxy in `environment`, with the authorities of `secureContext`. Disposing closes
 * them; requests in progress fail.
 *
 * @see manual/sandbox-network.md#forge, manual/configuration.md#certificates
 */
export function createCodeHostConnections({
	environment,
	secureContext = () => undefined,
}: {
	/** The profile's environment. */
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Read for each request. */
	readonly secureContext?: (() => SecureContext | undefined) | undefined;
}): AsyncDisposable & {readonly send: CodeHostSend} {
	const made: Array<{
		readonly proxy: string | undefined;
		readonly context: SecureContext | undefined;
		readonly dispatcher: Dispatcher;
	}> = [];
	return {
		async send(url, init) {
			// The default export, because the bundle gives CommonJS packages nothing else.
			const {default: undici} = await import('undici');
			const proxy = proxyOf(new URL(url), environment);
			const context = secureContext();
			const tls = context && {secureContext: context};
			let known = made.find(one => one.proxy === proxy && one.context === context);
			if (!known) {
				const dispatcher =
					proxy === undefined
						? new undici.Agent({connect: {...tls}})
						: new undici.ProxyAgent({uri: proxy, requestTls: {...tls}, proxyTls: {...tls}});
				known = {proxy, context, dispatcher};
				made.push(known);
			}

			const {dispatcher} = known;
			return undici.fetch(url, {...(init as object), dispatcher});
		},
		async [Symbol.asyncDispose]() {
			await Promise.allSettled(made.map(async ({dispatcher}) => dispatcher.destroy()));
		},
	};
}

type Question = {
	readonly kind: 'rest' | 'graphql' | 'git';
	readonly method: string;
	/** The headers of the sandbox's request. */
	readonly headers: IncomingHttpHeaders;
	readonly body?: Buffer | string;
	readonly signal: AbortSignal;
};

export type CodeHost = ReturnType<typeof createCodeHost>;

/** The code host, accessed with the person's token. */
export function createCodeHost({
	repository,
	token,
	send,
}: {
	readonly repository: ForgeRepository;
	readonly token: string;
	readonly send: CodeHostSend;
}) {
	const {host, owner, name: repositoryName} = repository;
	const {known: redact = text => text} = createRedact(() => [token], {byShape: false});
	const known = new Set<string>();
	const {apiHost, prefix} = addressesOf(host);
	const ours = `<https://${apiHost}${prefix}/repos/${owner}/${repositoryName}/`;

	/** Pagination links name the repository by number; the next request must use its name. */
	const byName = (links: string) => links.replaceAll(/<[^<>]*?\/repositories\/\d+\//g, ours);

	const ask = async (url: string, {kind, method, headers, body, signal}: Question) => {
		const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
		return send(url, {
			method,
			headers: {
				...Object.fromEntries(
					sentOn.flatMap((name): Array<[string, string]> => {
						const value =
							kind === 'graphql' && name === 'content-encoding' ? undefined : headers[name];
						return typeof value === 'string' ? [[name, value]] : [];
					}),
				),
				// The body is rewritten, so the client's headers must not declare another interpretation.
				...(kind === 'graphql' && {'content-type': 'application/json'}),
				authorization: kind === 'git' ? `Basic ${basic}` : `token ${token}`,
				// Compressed answers could not be redacted.
				'accept-encoding': 'identity',
				'user-agent': kind === 'git' ? 'git/svc-agent' : 'svc-agent',
			},
			...(body !== undefined && {body: new Uint8Array(Buffer.from(body))}),
			redirect: 'manual',
			signal,
		});
	};

	return {
		ask,
		/** Why one of `nodes` does not belong to the repository; asks the code host at `url`, because identifiers do not tell. */
		async refusalOfNodes(
			nodes: readonly string[],
			{url, signal}: {readonly url: string; readonly signal: AbortSignal},
		): Promise<string | undefined> {
			const ids = nodes.filter(id => !known.has(id));
			if (ids.length === 0) {
				return undefined;
			}

			const variables = {owner, name: repositoryName, ids};
			const answer = await ask(url, {
				kind: 'graphql',
				method: 'POST',
				headers: {'content-type': 'application/json'},
				body: JSON.stringify({query: ownerQuery, variables}),
				signal,
			});
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was parsed
			const found = (await answer.json()) as JsonValue;
			const own = memberOf(found, 'data', 'repository', 'id');
			const owners = memberOf(found, 'data', 'nodes');
			const areOwn =
				typeof own === 'string' &&
				Array.isArray(owners) &&
				owners.length === ids.length &&
				owners.every(node => memberOf(node, 'repository', 'id') === own);
			if (!areOwn) {
				return `it asks for a node that is not of ${owner}/${repositoryName}`;
			}

			for (const id of known.size + ids.length > maxKnownNodes ? [] : ids) {
				known.add(id);
			}

			return undefined;
		},
		/** Sends an answer back completely, with the token redacted. */
		async carryBack(found: Response, response: ServerResponse, onBytes: () => void) {
			const headers = [...found.headers]
				.filter(([header]) => sentBack.includes(header))
				.map(([header, value]) => [header, redact(header === 'link' ? byName(value) : value)]);
			response.writeHead(found.status, Object.fromEntries(headers));
			if (!found.body) {
				response.end();
				return;
			}

			await pipeline(
				Readable.fromWeb(found.body),
				async function* redacted(chunks: AsyncIterable<Uint8Array>) {
					// As one character per byte: only the token is replaced, also in binary data.
					const pieces = createRedactedPieces(redact);
					for await (const chunk of chunks) {
						onBytes();
						yield Buffer.from(pieces.add(Buffer.from(chunk).toString('latin1')), 'latin1');
					}

					yield Buffer.from(pieces.end(), 'latin1');
				},
				response,
			);
		},
	};
}

const ownerQuery =
	'query($owner: String!, $name: String!, $ids: [ID!]!) { repository(owner: $owner, name: $name) { id } nodes(ids: $ids) { ... on PullRequest { repository { id } } ... on Issue { repository { id } } } }';

const memberOf = (
	value: JsonValue | undefined,
	...names: readonly string[]
): JsonValue | undefined =>
	names.reduce<JsonValue | undefined>(
		(inner, name) => (isJsonObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
		value,
	);
