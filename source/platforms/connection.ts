import {type Clock, sleep} from '../core/clock.ts';
import {isLoopbackHost} from '../core/hosts.ts';
import {isJsonObject, parsedJson, type JsonObject, type JsonValue} from '../core/json.ts';
import {objectOf} from './ask.ts';
import {DeliveryError, platformFailure, type PlatformCode} from './delivery-error.ts';
import type {Socket} from './socket.ts';

/** Maximum number of waiting tasks; beyond it the connection ends. */
const maxWaiting = 1000;

/** One connection to a platform that keeps reading its socket while messages are handled, so that neither a slow disk nor a catch-up holds back a heartbeat. */
export type Connection = {
	/** Aborts when the connection ends. */
	readonly signal: AbortSignal;
	/** Runs `task` after earlier tasks. A rejection ends the connection with its error; later tasks do not run. */
	readonly handle: (task: () => Promise<void>) => void;
};

/**
 * Reads one connection to its end, and waits for its tasks.
 *
 * @param read resolves where the connection ended as usual; what it read before is handled in either case
 * @throws the error of the first task that rejected, else that of `read`; nothing once `signal` has aborted
 */
export async function readConnection(
	platform: string,
	signal: AbortSignal,
	read: (connection: Connection) => Promise<void>,
): Promise<void> {
	const ending = new AbortController();
	const ended = AbortSignal.any([signal, ending.signal]);
	const errors: unknown[] = [];
	const fail = (error: unknown) => {
		if (!ended.aborted) {
			errors.push(error);
			ending.abort();
		}
	};
	let waiting = 0;
	let last = Promise.resolve();
	const run = async (task: () => Promise<void>) => {
		waiting -= 1;
		if (!ended.aborted) {
			await task().catch(fail);
		}
	};
	try {
		await read({
			signal: ended,
			handle(task) {
				if (waiting === maxWaiting) {
					fail(listenFailure(platform, `${maxWaiting} messages wait to be stored`));
				} else {
					waiting += 1;
					last = last.then(async () => run(task));
				}
			},
		});
		await last;
	} catch (error) {
		await last;
		fail(error);
	} finally {
		ending.abort();
	}

	if (errors.length > 0) {
		throw finalOf(errors[0]);
	}
}

/** Passes on each frame of `socket` as a JSON object, until the socket ends. `limitMs`: time limit for the next frame; `undefined` for none. Rejects as `Socket.next`. */
export async function readFrames(
	socket: Socket,
	limitMs: () => number | undefined,
	onFrame: (payload: JsonObject) => void,
): Promise<void> {
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- sequential frames
		const frame = await socket.next(limitMs());
		if (frame === undefined) {
			return;
		}

		onFrame(objectOf(parsedJson(frame)));
	}
}

/** The close code of the other side, as ` (code 4004)`; empty when it sent none. */
export const codeWords = ({closeCode}: Pick<Socket, 'closeCode'>): string =>
	closeCode === undefined ? '' : ` (code ${closeCode})`;

const pollPauseMs = 1000;

/**
 * One connection of a polling listener: `connect`, then `poll` again and again until `signal` aborts. `poll` resolves with whether anything arrived: a server that answers
 * at once that there is nothing is polled once a second.
 *
 * @throws as `readConnection`
 */
export const pollWhile = async (
	platform: string,
	{clock, signal}: {readonly clock: Clock; readonly signal: AbortSignal},
	connect: () => Promise<() => Promise<boolean>>,
): Promise<void> =>
	readConnection(platform, signal, async () => {
		const poll = await connect();
		while (!signal.aborted) {
			const since = clock.monotonic();
			// oxlint-disable-next-line no-await-in-loop -- sequential polls
			if (!(await poll()) && clock.monotonic() - since < pollPauseMs) {
				// oxlint-disable-next-line no-await-in-loop -- sequential polls
				await sleep(clock, pollPauseMs, signal);
			}
		}
	});

/** Marks refused credentials as final: retrying soon does not help. */
const finalOf = (error: unknown): unknown =>
	error instanceof DeliveryError && error.code === 'platform_unauthorized'
		? new DeliveryError(error.code, error.message, {isDown: true, reason: error.reason})
		: error;

/** The members of a cursor of `account`; empty for a cursor of another account, whose messages are numbered differently: that counts as a first start. */
export const keptFor = (cursor: JsonValue | undefined, account: string): JsonObject =>
	isJsonObject(cursor) && cursor['account'] === account ? cursor : {};

/** A connection that broke, or was ended by the platform; another may follow, after `retryAfterMs` if known. `reason` is clean. */
export const listenFailure = (
	platform: string,
	reason: string,
	{
		code = 'platform_failed',
		retryAfterMs,
	}: {readonly code?: PlatformCode; readonly retryAfterMs?: number | undefined} = {},
): DeliveryError =>
	platformFailure(code, `Cannot listen to ${platform}: ${reason}`, {reason, retryAfterMs});

/** The URL of a socket given by a platform: it must be encrypted, unless it is on this machine. @throws DeliveryError */
export function socketAddress(platform: string, text: string): URL {
	const url = URL.parse(text);
	if (url?.protocol === 'wss:' || (url?.protocol === 'ws:' && isLoopbackHost(url.hostname))) {
		return url;
	}

	throw listenFailure(platform, 'it gave no address that begins with wss://');
}
