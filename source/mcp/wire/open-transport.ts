import type {Transport} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {TransportLogin} from './server-login.ts';
import type {OpenServerSandbox} from './transport-parts.ts';

/**
 * - `passing`: worth another try. `permanent`: a person or a changed file has to act first.
 * - `needs-login`: the server wants a login, or refuses the one it got.
 * - `session-expired`: the server has forgotten the session; a new connection helps.
 * - `stream-lost`: the answer of a call under way will not come; whether the call had its effect is unknown.
 */
export type ConnectFailure = {
	/** One sentence without a final period, cleaned and redacted; holds at most 200 characters of what a server said. */
	readonly message: string;
	readonly kind: 'passing' | 'permanent' | 'needs-login' | 'session-expired' | 'stream-lost';
};

export type OpenedTransport = AsyncDisposable & {
	/** Not started: `client.connect()` starts it. Serves one connection. */
	readonly transport: Transport;
	/** The last line of its standard error, cleaned, redacted, at most 300 characters. */
	lastStderr(): string | undefined;
	/** The line of its standard error that says what is wrong, as `lastStderr`, and where the rest is. */
	complaint(): string | undefined;
	/** How its process ended; `undefined` while it runs, and for remote servers. */
	exit(): {readonly code: number | null; readonly signal: string | null} | undefined;
	/** What an error of `connect()`, of a call or of the transport means here. Look at your own abort signal first. */
	explain(error: unknown): ConnectFailure;
};

export type OpenOptions = {
	/** Ends what is under way for this transport: its process, its requests. */
	readonly signal: AbortSignal;
	/** Values that came from variables; hidden in every message and log line. */
	readonly secrets: readonly string[];
	readonly login?: TransportLogin;
	/** Of the profile; absent: a server that wants a sandbox cannot be started. */
	readonly sandbox?: OpenServerSandbox | undefined;
	/** Called once when the connection has ended without having been asked to; may come before the first answer. */
	readonly onLost?: () => void;
};

/**
 * Makes the way to a server whose references are expanded. Nothing is sent, and no process started, before `client.connect()`.
 *
 * @throws ConnectError for a URL, a certificate or a CA bundle that cannot be used.
 * @see manual/tool-servers.md#settings
 */
export type OpenTransport = (
	server: ToolServerConfig,
	options: OpenOptions,
) => Promise<OpenedTransport>;
