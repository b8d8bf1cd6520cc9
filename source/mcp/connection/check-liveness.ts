import type {Client} from '@modelcontextprotocol/client';
import type {Clock} from '../../core/clock.ts';
import {ConnectError} from '../wire/connect-error.ts';
import {withDeadline} from './with-deadline.ts';

const checkTimeoutMs = 30_000;

const message = () => 'It did not answer a liveness check within 30 s';

const methodNotFound = -32_601;

/** Asks one connection whether it is alive. Resolves with the round trip in milliseconds, rejects with what was in the way. */
export type CheckLiveness = (signal: AbortSignal) => Promise<number>;

/**
 * The check of one connection: a ping of a legacy server, `server/discover` of a modern one; 30 s for an answer. A legacy server that
 * does not know or does not answer pings has to list its tools instead, from then on: some serve well and never learnt to ping.
 *
 * @see manual/tool-servers.md#settings
 */
export function createLivenessCheck(client: Client, clock: Clock): CheckLiveness {
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
