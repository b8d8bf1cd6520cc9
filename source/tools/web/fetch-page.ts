import type {SecureContext} from 'node:tls';
import type {Agent, buildConnector} from 'undici';
import {
	bareHost,
	lookupBy,
	resolveBySystem,
	type ResolveName,
	scopeOf,
} from '../../core/address-scope.ts';
import {within} from '../../core/clock.ts';
import {codeOf} from '../../core/errors.ts';
import type {HostRule} from '../../core/hosts.ts';
import {isUnknownAuthority} from '../../core/network-variables.ts';
import {version} from '../../core/program.ts';
import {judgeUrl, notPublic, PageRefused, quoted} from './judge-url.ts';
import {readPageBody} from './read-body.ts';

/** Options for connecting to pages. */
export type WebConnections = {
	readonly resolve?: ResolveName;
	/** Creates the connector from options that include the guarded lookup. */
	readonly buildConnector?: typeof buildConnector;
	readonly secureContext?: (() => SecureContext | undefined) | undefined;
};

export type FetchedPage = {
	/** The requested URL, and the one of the last answer: the same object without a redirect. */
	readonly asked: URL;
	readonly url: URL;
	readonly status: number;
	/** In lower case, without parameters; empty if missing or malformed. */
	readonly type: string;
	/** By its type; without one, by its first bytes. */
	readonly isText: boolean;
	/** As declared in the header. */
	readonly charset?: string | undefined;
	/** At most 5 MB, decompressed. Empty if the page is not text. */
	readonly body: Buffer;
	/** Why the body is incomplete. */
	readonly cut?: string | undefined;
	/** As declared in the header. */
	readonly size?: number | undefined;
};

const maxRedirects = 5;
const connectTimeoutMs = 15_000;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches a page with `GET`, without proxy, cookies or referrer; follows at most 5 redirects, judging each.
 *
 * @throws PageRefused for a page that is refused or cannot be fetched; the reason of `signal`
 * @see manual/web.md
 */
export async function fetchPage(
	asked: string,
	{
		hosts,
		signal,
		mayFollow,
		connections: {resolve = resolveBySystem, secureContext, ...connections} = {},
	}: {
		readonly hosts: () => readonly HostRule[];
		readonly signal: AbortSignal;
		/** Throws to refuse a URL, for instance one with a secret in it. */
		readonly mayFollow: (url: URL) => void;
		readonly connections?: WebConnections | undefined;
	},
): Promise<FetchedPage> {
	const first = judgeUrl(asked, undefined, hosts());
	let url = first;
	// The default export, because the bundle gives CommonJS packages nothing else.
	const {default: undici} = await import('undici');
	const context = secureContext?.();
	const lookup = lookupBy(async host => {
		const addresses = await within(resolve(host), signal);
		if (addresses.some(each => scopeOf(each) !== 'public')) {
			throw new PageRefused(notPublic(host));
		}

		return addresses;
	});
	const agent = new undici.Agent({
		headersTimeout: 0,
		bodyTimeout: 0,
		connect: (connections.buildConnector ?? undici.buildConnector)({
			allowH2: false,
			timeout: connectTimeoutMs,
			lookup,
			...(context && {secureContext: context}),
		}),
	});
	try {
		for (let count = 0; ; count += 1) {
			// oxlint-disable-next-line no-await-in-loop -- an answer says what is asked next
			const answer = await ask(agent, url, signal);
			if (!(answer instanceof URL)) {
				return {...answer, asked: first};
			}

			if (count === maxRedirects) {
				throw new PageRefused(`${quoted(asked)} redirects more than ${maxRedirects} times`);
			}

			url = judgeUrl(answer.href, bareHost(url), hosts());
			mayFollow(url);
		}
	} finally {
		await agent.destroy();
	}
}

/** Sends one request; returns the answer, or the redirect's target. */
async function ask(
	agent: Agent,
	url: URL,
	signal: AbortSignal,
): Promise<Omit<FetchedPage, 'asked'> | URL> {
	let response: Awaited<ReturnType<Agent['request']>>;
	try {
		response = await agent.request({
			origin: url.origin,
			path: url.pathname + url.search,
			method: 'GET',
			headers: {
				'user-agent': `Svc-Agent/${version}`,
				accept:
					'text/html, application/xhtml+xml, text/markdown, text/plain, application/json;q=0.9, application/xml;q=0.9, text/*;q=0.8',
				'accept-encoding': 'gzip, br, zstd',
			},
			signal,
		});
	} catch (error) {
		signal.throwIfAborted();
		throw error instanceof PageRefused
			? error
			: new PageRefused(`${quoted(url.host)}: ${wordsOf(error)}`);
	}

	const {statusCode: status, headers, body} = response;
	const header = (name: string): string => String([headers[name] ?? ''].flat()[0]);
	// An unread body ends with its connection.
	body.on('error', () => {});
	const target = header('location');
	if (redirects.has(status) && target !== '') {
		body.destroy();
		const next = URL.parse(target, url.href);
		if (!next) {
			throw new PageRefused(`${quoted(url.host)} redirects to what is no URL`);
		}

		return next;
	}

	const [named = '', ...parameters] = header('content-type').toLowerCase().split(';');
	// The type is shown outside of the page's markers, so must not contain sentences.
	const type = /^[\w.+-]+\/[\w.+-]+$/.test(named.trim()) ? named.trim() : '';
	const size = Number.parseInt(header('content-length'), 10);
	const charset = parameters
		.map(each => /^\s*charset\s*=\s*["']?([\w:.+-]{1,40})/.exec(each)?.[1])
		.find(each => each !== undefined);
	const page = {url, status, type, charset};
	if (!isTextType(type)) {
		body.destroy();
		return {...page, isText: false, body: Buffer.alloc(0), ...(size >= 0 && {size})};
	}

	const whole = await readPageBody(body, header('content-encoding'), signal);
	return {...page, ...whole, isText: type !== '' || !looksBinary(whole.body)};
}

/** Whether a body of this type is read; without a type its bytes decide. */
const isTextType = (type: string): boolean =>
	type === '' ||
	type.startsWith('text/') ||
	/^(?:application|image|model)\/(?:[\w.-]+\+)?(?:json|xml|yaml)$/.test(type) ||
	/^application\/(?:javascript|ecmascript|x-ndjson|x-yaml|toml|x-sh|sql|markdown)$/.test(type);

/** Text contains no control characters except those for lines. */
const looksBinary = (body: Buffer): boolean =>
	// oxlint-disable-next-line no-control-regex -- that is what it looks for
	/[\0-\x08\x0e-\x1a]/.test(body.toString('latin1', 0, 1024));

/** Explains error codes; the system's own messages would reveal addresses. */
const failures: Readonly<Record<string, string>> = {
	ECONNREFUSED: 'nothing listens there (connection refused)',
	ENOTFOUND: 'the name is not known',
	EAI_AGAIN: 'the name cannot be looked up at present',
	EHOSTUNREACH: 'there is no way to the host',
	ENETUNREACH: 'there is no network',
	ETIMEDOUT: 'the host does not answer',
	UND_ERR_CONNECT_TIMEOUT: 'the host does not answer',
	ECONNRESET: 'the host closed the connection',
	UND_ERR_SOCKET: 'the host closed the connection',
	EPIPE: 'the host closed the connection',
	CERT_HAS_EXPIRED: 'its certificate has expired',
	ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

function wordsOf(error: unknown): string {
	// Several addresses were tried, and all failed.
	const [first = error] = error instanceof AggregateError ? error.errors : [];
	const code = codeOf(first);
	return isUnknownAuthority(first)
		? 'its certificate was not issued by a known authority'
		: (failures[code] ?? `the request failed (${code})`);
}
