import {
	Client,
	type DiscoverResult,
	SdkError,
	SdkErrorCode,
	type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {Clock} from '../../core/clock.ts';
import {version} from '../../core/program.ts';
import {listTools} from '../catalogue/list-tools.ts';
import {factsOf} from '../catalogue/server-facts.ts';
import {ConnectError, passing} from '../wire/connect-error.ts';
import type {ConnectFailure, OpenedTransport} from '../wire/open-transport.ts';
import type {TransportLogin} from '../wire/server-login.ts';
import type {TransportFactory} from '../wire/transport-factory.ts';
import type {ClientSide, OpenConnection} from './open-connection.ts';
import {withDeadline} from './with-deadline.ts';

export type ConnectDependencies = {
	readonly clock: Clock;
	readonly transports: TransportFactory;
	readonly clientSide: ClientSide;
	readonly login?: TransportLogin | undefined;
};

export type OpenConnectionOptions = {
	/** Values of the server's references, to be redacted. */
	readonly secrets: readonly string[];
	/** Called at most once, when the connection ends unasked. */
	readonly onLost: (failure: ConnectFailure) => void;
};

/** An attempt to connect. */
export type ConnectionAttempt = {
	readonly server: ToolServerConfig;
	readonly mode: VersionNegotiationMode;
	readonly discover: DiscoverResult | undefined;
	/** Aborts at the time limit. */
	readonly limited: AbortSignal;
	/** Aborts when the connection is no longer wanted. */
	readonly ended: AbortController;
	readonly timeoutMs: number;
	/** Called with the transport once it exists. */
	readonly onTransport: (opened: OpenedTransport) => void;
};

/**
 * Opens a transport and a client, and lists the server's tools. Cleans up on failure.
 *
 * @throws ConnectError, whose cause is what the SDK threw when the handshake failed; the reason of `limited`
 */
export async function attemptConnection(
	{server, mode, discover, limited, ended, timeoutMs, onTransport}: ConnectionAttempt,
	{secrets, onLost}: OpenConnectionOptions,
	{clock, transports, clientSide, login}: ConnectDependencies,
): Promise<OpenConnection> {
	const gone = new AbortController();
	let shaken = false;
	let established = false;
	let opened: OpenedTransport | undefined;
	const lose = () => {
		if (!gone.signal.aborted) {
			const closed = new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed');
			const failure = opened?.explain(closed) ?? passing('The connection was closed');
			gone.abort(new ConnectError(failure));
			if (established) {
				onLost(failure);
			}
		}
	};
	const {capabilities, validator, calls} = clientSide;
	const client = new Client(
		{name: 'svc', version},
		{capabilities, versionNegotiation: {mode}, ...(validator && {jsonSchemaValidator: validator})},
	);
	clientSide.register(client);
	// oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's only way
	client.onclose = lose;
	const close = async () => {
		gone.abort(new ConnectError(passing('The connection was ended')));
		await client.close().catch(() => {});
		await opened?.[Symbol.asyncDispose]();
	};

	try {
		opened = await transports.open(server, {
			signal: ended.signal,
			secrets,
			...(login && {login}),
			onLost: lose,
		});
		onTransport(opened);
		limited.throwIfAborted();
		await client.connect(opened.transport, {
			signal: limited,
			timeout: timeoutMs,
			...(discover && {prior: {kind: 'modern', discover}}),
		});
		shaken = true;
		const listing = await listTools(client, {signal: limited, timeoutMs});
		gone.signal.throwIfAborted();
		established = true;
		const {signal} = gone;
		const own = {client, calls, listing, signal, [Symbol.asyncDispose]: close};
		return {...own, ...overTime(own, opened, {clock, timeoutMs})};
	} catch (error) {
		const failure = limited.aborted ? undefined : failureOf(error, opened, {isRefusal: !shaken});
		await close();
		limited.throwIfAborted();
		throw failure ?? error;
	}
}

/** Keeps the error as a cause only if it answered the handshake: it decides whether another protocol is tried. */
const failureOf = (
	error: unknown,
	opened: OpenedTransport | undefined,
	{isRefusal = false} = {},
): unknown =>
	error instanceof ConnectError || !opened
		? error
		: new ConnectError(opened.explain(error), isRefusal ? {cause: error} : {});

/** The operations of an established connection. */
function overTime(
	{client, signal: gone}: Pick<OpenConnection, 'client' | 'signal'>,
	opened: OpenedTransport,
	{clock, timeoutMs}: {readonly clock: Clock; readonly timeoutMs: number},
) {
	const facts = factsOf(client);
	const checkNow = createLivenessCheck(client, clock);
	const message = () => `It did not list its tools within ${timeoutMs / 1000} s`;
	const explained = async <T>(task: () => Promise<T>): Promise<T> => {
		try {
			return await task();
		} catch (error) {
			gone.throwIfAborted();
			throw failureOf(error, opened);
		}
	};

	return {
		era: facts.era,
		facts,
		lastStderr: () => opened.lastStderr(),
		explain: (error: unknown) => opened.explain(error),
		list: async (signal: AbortSignal) =>
			explained(async () =>
				withDeadline({clock, timeoutMs, signal, message}, async limited =>
					listTools(client, {signal: limited, timeoutMs}),
				),
			),
		check: async (signal: AbortSignal) => explained(async () => checkNow(signal)),
	};
}

const checkTimeoutMs = 30_000;

const message = () => 'It did not answer a liveness check within 30 s';

const methodNotFound = -32_601;

/** Checks whether a connection is alive. Resolves with the round trip in milliseconds, rejects with the reason if not. */
type CheckLiveness = (signal: AbortSignal) => Promise<number>;

/**
 * Creates the check: a ping for a legacy server, `server/discover` for a modern one; time limit 30 s. A legacy server that does not know or answer pings is asked
 * to list its tools instead, from then on: some work well but never learnt to ping.
 *
 * @see manual/tool-servers.md#settings
 */
function createLivenessCheck(client: Client, clock: Clock): CheckLiveness {
	let pings = true;
	const ask = async (
		request: (options: {signal: AbortSignal; timeout: number}) => Promise<unknown>,
		signal: AbortSignal,
	) =>
		withDeadline({clock, timeoutMs: checkTimeoutMs, signal, message}, async limited =>
			request({signal: limited, timeout: checkTimeoutMs}),
		);

	const list = async (signal: AbortSignal) =>
		ask(async options => client.listTools(undefined, {...options, cacheMode: 'bypass'}), signal);

	const ping = async (signal: AbortSignal) => {
		try {
			await ask(async options => client.ping(options), signal);
		} catch (error) {
			signal.throwIfAborted();
			if (!client.getServerCapabilities()?.tools || !mayNotPing(error)) {
				throw error;
			}

			await list(signal);
			pings = false;
		}
	};

	return async signal => {
		const start = clock.monotonic();
		if (client.getProtocolEra() === 'modern') {
			await ask(async options => client.discover(options), signal);
		} else {
			await (pings ? ping(signal) : list(signal));
		}

		return clock.monotonic() - start;
	};
}

const mayNotPing = (error: unknown): boolean =>
	error instanceof ConnectError ||
	(error instanceof Error &&
		'code' in error &&
		(error.code === methodNotFound || error.code === 'REQUEST_TIMEOUT'));
