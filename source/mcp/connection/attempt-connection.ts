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
import {type ToolListing, listTools} from '../catalogue/list-tools.ts';
import {factsOf} from '../catalogue/server-facts.ts';
import {ConnectError} from '../wire/connect-error.ts';
import type {ConnectFailure, OpenedTransport} from '../wire/open-transport.ts';
import type {TransportLogin} from '../wire/server-login.ts';
import type {TransportFactory} from '../wire/transport-factory.ts';
import type {CallsUnderWay} from './calls-under-way.ts';
import {createLivenessCheck} from './check-liveness.ts';
import type {ClientSide, OpenConnection} from './open-connection.ts';
import {withDeadline} from './with-deadline.ts';

export type ConnectDependencies = {
	readonly clock: Clock;
	readonly transports: TransportFactory;
	readonly clientSide: ClientSide;
	readonly login?: TransportLogin | undefined;
};

export type OpenConnectionOptions = {
	/** Values that the references of the server became. */
	readonly secrets: readonly string[];
	/** Called at most once, when the connection has ended without having been asked to. */
	readonly onLost: (failure: ConnectFailure) => void;
};

/** One try to connect. */
export type ConnectionAttempt = {
	readonly server: ToolServerConfig;
	readonly mode: VersionNegotiationMode;
	readonly discover: DiscoverResult | undefined;
	/** Aborts when the time is over. */
	readonly limited: AbortSignal;
	/** Aborts when the connection is not wanted any more. */
	readonly ended: AbortController;
	readonly timeoutMs: number;
	/** Called with the transport as soon as it is made. */
	readonly onTransport: (opened: OpenedTransport) => void;
};

/**
 * One transport, one client, and the list of the server's tools. Leaves nothing behind when it fails.
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
			const failure = opened?.explain(
				new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'),
			) ?? {kind: 'passing', message: 'The connection was closed'};
			gone.abort(new ConnectError(failure));
			if (established) {
				onLost(failure);
			}
		}
	};

	const client = new Client(
		{name: 'svc', version},
		{
			capabilities: clientSide.capabilities,
			versionNegotiation: {mode},
			...(clientSide.validator ? {jsonSchemaValidator: clientSide.validator} : {}),
		},
	);
	clientSide.register(client);
	// oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's only way
	client.onclose = lose;
	const close = async () => {
		gone.abort(new ConnectError({kind: 'passing', message: 'The connection was ended'}));
		await client.close().catch(() => {});
		await opened?.[Symbol.asyncDispose]();
	};

	try {
		opened = await transports.open(server, {
			signal: ended.signal,
			secrets,
			...(login ? {login} : {}),
			onLost: lose,
		});
		onTransport(opened);
		limited.throwIfAborted();
		const request = {signal: limited, timeout: timeoutMs};
		await client.connect(opened.transport, {
			...request,
			...(discover ? {prior: {kind: 'modern', discover}} : {}),
		});
		shaken = true;
		const listing = await listTools(client, {signal: limited, timeoutMs});
		gone.signal.throwIfAborted();
		established = true;
		return openConnectionOf({
			client,
			clock,
			calls: clientSide.calls,
			opened,
			listing,
			gone: gone.signal,
			close,
			timeoutMs,
		});
	} catch (error) {
		const failure = limited.aborted ? undefined : failureOf(error, opened, {isRefusal: !shaken});
		await close();
		limited.throwIfAborted();
		throw failure ?? error;
	}
}

/** Only what was said to the handshake is kept as a cause: that decides whether another protocol is tried. */
const failureOf = (
	error: unknown,
	opened: OpenedTransport | undefined,
	{isRefusal = false} = {},
): unknown =>
	error instanceof ConnectError || !opened
		? error
		: new ConnectError(opened.explain(error), isRefusal ? {cause: error} : {});

function openConnectionOf({
	client,
	clock,
	calls,
	opened,
	listing,
	gone,
	close,
	timeoutMs,
}: {
	readonly client: Client;
	readonly clock: Clock;
	readonly calls: CallsUnderWay;
	readonly opened: OpenedTransport;
	readonly listing: ToolListing;
	readonly gone: AbortSignal;
	readonly close: () => Promise<void>;
	readonly timeoutMs: number;
}): OpenConnection {
	const facts = factsOf(client);
	const checkNow = createLivenessCheck(client, clock);
	const explained = async <T>(task: () => Promise<T>): Promise<T> => {
		try {
			return await task();
		} catch (error) {
			gone.throwIfAborted();
			throw failureOf(error, opened);
		}
	};

	return {
		client,
		calls,
		era: facts.era,
		facts,
		listing,
		signal: gone,
		lastStderr: () => opened.lastStderr(),
		explain: error => opened.explain(error),
		list: async signal =>
			explained(async () =>
				withDeadline(
					{
						clock,
						timeoutMs,
						signal,
						message: () => `It did not list its tools within ${timeoutMs / 1000} s`,
					},
					async limited => listTools(client, {signal: limited, timeoutMs}),
				),
			),
		check: async signal => explained(async () => checkNow(signal)),
		[Symbol.asyncDispose]: close,
	};
}
