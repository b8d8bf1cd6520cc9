import {
	type DiscoverResult,
	PROTOCOL_VERSION_META_KEY,
	type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {isJsonObject, parsedJson} from '../../core/json.ts';
import {ConnectError, permanent} from '../wire/connect-error.ts';
import type {OpenedTransport} from '../wire/open-transport.ts';
import {
	type ConnectDependencies,
	type OpenConnectionOptions,
	attemptConnection,
} from './attempt-connection.ts';
import type {OpenConnection} from './open-connection.ts';
import {waitAtMost, withDeadline} from './with-deadline.ts';

/** How long to wait for a failed attempt to clean up: a stubborn process takes 2.5 s. */
const cleanupMs = 3000;

/** The protocol version without a handshake. */
const modernVersion = '2026-07-28';

export type ConnectOptions = OpenConnectionOptions & {
	/** Ends the connection at any time. */
	readonly signal: AbortSignal;
	/** A modern server's self-description from the last connection: tried first, without discovery. */
	readonly discover?: DiscoverResult | undefined;
};

/**
 * Connects to a server whose references are expanded, and lists its tools, all within its `connect_timeout`. `protocol` `legacy`: handshake. `stateless`:
 * `server/discover` first. `auto`: handshake, and if rejected as by a server that only knows 2026-07-28, a new connection without. Cleans up on failure: rejects
 * once the attempt has ended, up to 3 s later.
 *
 * @throws ConnectError; the reason of `signal`
 * @see manual/tool-servers.md#settings
 */
export async function connectServer(
	server: ToolServerConfig,
	{signal, ...options}: ConnectOptions,
	dependencies: ConnectDependencies,
): Promise<OpenConnection> {
	const {clock, transports} = dependencies;
	const {connectTimeoutMs: timeoutMs} = server;
	let transport: OpenedTransport | undefined;
	const message = () => {
		const complaint = transport?.complaint();
		const said = complaint === undefined ? '' : `; it said: ${complaint}`;
		return `It did not connect within ${timeoutMs / 1000} s (connect_timeout)${said}`;
	};
	const onTransport = (opened: OpenedTransport) => {
		transport = opened;
	};
	const ended = new AbortController();
	const end = () => ended.abort(signal.reason);

	const openWithin = async (limited: AbortSignal) => {
		const open = async (mode: VersionNegotiationMode, discover?: DiscoverResult) =>
			attemptConnection(
				{server, mode, discover, limited, ended, timeoutMs, onTransport},
				options,
				dependencies,
			);
		await transports.preflight(server, {signal: limited, secrets: options.secrets});
		try {
			const {discover} = options;
			return await openByProtocol(server.protocol, open, {signal: limited, discover});
		} catch (error) {
			limited.throwIfAborted();
			const refusal = error instanceof ConnectError ? error.cause : undefined;
			const isSse = await transports.isSse(server, {signal: limited, refusal});
			throw isSse ? sseEndpoint(server) : error;
		}
	};

	let opening: Promise<unknown> = Promise.resolve();
	signal.addEventListener('abort', end, {once: true});
	try {
		return await withDeadline({clock, timeoutMs, signal, message}, async limited => {
			const opened = openWithin(limited);
			opening = opened.catch(() => {});
			return opened;
		});
	} catch (error) {
		signal.removeEventListener('abort', end);
		ended.abort(error);
		const {signal: never} = new AbortController();
		await waitAtMost({clock, timeoutMs: cleanupMs, signal: never}, opening);
		throw error;
	}
}

const sseEndpoint = ({name}: ToolServerConfig): ConnectError =>
	new ConnectError(
		permanent(
			`MCP server '${name}': this looks like an SSE endpoint: --transport sse ("transport: sse" in config.yaml)`,
		),
	);

type Open = (mode: VersionNegotiationMode, discover?: DiscoverResult) => Promise<OpenConnection>;

async function openByProtocol(
	protocol: ToolServerConfig['protocol'],
	open: Open,
	{signal, discover}: {readonly signal: AbortSignal; readonly discover: DiscoverResult | undefined},
): Promise<OpenConnection> {
	if (discover && protocol !== 'legacy') {
		try {
			return await open({pin: modernVersion}, discover);
		} catch (error) {
			signal.throwIfAborted();
			// The server may have been replaced by an older one since, so other protocols are tried, unless it needs a login.
			if (error instanceof ConnectError && error.failure.kind === 'needs-login') {
				throw error;
			}
		}
	}

	switch (protocol) {
		case 'legacy':
			return open('legacy');

		case 'stateless':
			return open('auto');

		case 'auto':
			try {
				return await open('legacy');
			} catch (error) {
				signal.throwIfAborted();
				if (error instanceof ConnectError && isRejectedAsModernOnly(error.cause)) {
					return open({pin: modernVersion});
				}

				throw error;
			}
	}
}

/** Error codes that only a server of 2026-07-28 or one without `initialize` sends: header mismatch, version not supported, method not found. */
const refusals: ReadonlySet<unknown> = new Set([-32_020, -32_022, -32_601]);

/** These statuses concern the caller or the moment, not the protocol. */
const otherReasons: ReadonlySet<number> = new Set([401, 403, 407, 408, 429]);

/**
 * Whether a failed legacy handshake shows that the server speaks only 2026-07-28: a JSON-RPC error about a header, the version or the method, also as body of an
 * HTTP 4xx; or a result of that version, which the SDK refuses. Time-outs, 5xx, network failures and login walls say nothing about the protocol.
 *
 * @see manual/tool-servers.md#settings
 */
export function isRejectedAsModernOnly(error: unknown): boolean {
	if (!(error instanceof Error)) {
		return false;
	}

	const {message, code, status, data} = error as Error & Refusal & {readonly status?: unknown};
	if (typeof status === 'number') {
		return (
			status >= 400 &&
			status < 500 &&
			!otherReasons.has(status) &&
			wantsModern(errorOfBody(isJsonObject(data) ? data['text'] : undefined))
		);
	}

	// The error for a result with a refused version has no code; network errors have textual ones.
	return (code === undefined || typeof code === 'number') && wantsModern({code, message, data});
}

type Refusal = {readonly code?: unknown; readonly message?: unknown; readonly data?: unknown};

/** Whether an error names the version, or the member that must hold it, whatever its code. */
function wantsModern({code, message, data}: Refusal): boolean {
	const supported = isJsonObject(data) ? data['supported'] : undefined;
	return (
		refusals.has(code) ||
		(Array.isArray(supported) && supported.includes(modernVersion)) ||
		(typeof message === 'string' &&
			((/protocol version/i.test(message) && message.includes(modernVersion)) ||
				message.includes(PROTOCOL_VERSION_META_KEY)))
	);
}

function errorOfBody(text: unknown): Refusal {
	const body: unknown = typeof text === 'string' ? parsedJson(text) : undefined;
	const message: unknown = Array.isArray(body) ? body[0] : body;
	return isJsonObject(message) && isJsonObject(message['error']) ? message['error'] : {};
}
