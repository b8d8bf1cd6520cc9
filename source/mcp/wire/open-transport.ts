import type {Transport} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {TransportLogin} from './server-login.ts';
import type {OpenServerSandbox} from './transport-parts.ts';

/**
 * - `passing`: worth a retry. `permanent`: needs a person or a changed file.
 * - `needs-login`: the server demands a login, or refuses the one presented.
 * - `session-expired`: the server has forgotten the session; reconnecting helps.
 * - `stream-lost`: the answer of a call is lost; whether the call had its effect is unknown.
 */
export type ConnectFailure = {
	/** One sentence without a final period, escaped and redacted; quotes at most 200 characters of a server. */
	readonly message: string;
	readonly kind: 'passing' | 'permanent' | 'needs-login' | 'session-expired' | 'stream-lost';
};

export type OpenedTransport = AsyncDisposable & {
	/** Not started: `client.connect()` starts it. For a single connection. */
	readonly transport: Transport;
	/** The last line of its standard error, escaped, redacted, at most 300 characters. */
	lastStderr(): string | undefined;
	/** The line of its standard error with the error, treated like `lastStderr`, and where to find more. */
	complaint(): string | undefined;
	/** How its process exited; `undefined` while it runs, and for remote servers. */
	exit(): {readonly code: number | null; readonly signal: string | null} | undefined;
	/** Explains an error of `connect()`, of a call or of the transport. Check your own abort signal first. */
	explain(error: unknown): ConnectFailure;
};

export type OpenOptions = {
	/** Aborts everything in progress for this transport: its process, its requests. */
	readonly signal: AbortSignal;
	/** Values from variables, redacted in every message and log line. */
	readonly secrets: readonly string[];
	readonly login?: TransportLogin;
	/** The profile's sandbox; absent: servers that require a sandbox cannot be started. */
	readonly sandbox?: OpenServerSandbox | undefined;
	/** Called once when the connection ends unasked, possibly before the first answer. */
	readonly onLost?: () => void;
};

/**
 * Creates the transport for a server whose references are expanded. Sends nothing, and starts no process, before `client.connect()`.
 *
 * @throws ConnectError for a URL, a certificate or a CA bundle that cannot be used.
 * @see manual/tool-servers.md#settings
 */
export type OpenTransport = (
	server: ToolServerConfig,
	options: OpenOptions,
) => Promise<OpenedTransport>;
