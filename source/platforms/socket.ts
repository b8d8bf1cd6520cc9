import type {Socket as Line} from 'node:net';
import type {ErrorEvent, MessageEvent} from 'undici';
import {createTimer} from '../core/clock.ts';
import {messageOf} from '../core/errors.ts';
import {createRedact} from '../core/redact.ts';
import {listenFailure} from './connection.ts';
import type {DeliveryError} from './delivery-error.ts';
import type {ConnectionWorld} from './post.ts';
import {secretPartsOf} from './secret-parts.ts';

const openMs = 10_000;
/** Maximum size of a message, unpacked, bytes; a larger one ends the connection. */
const maxMessageBytes = 4 * 1024 * 1024;
/** Maximum number of unread frames, and of characters in them; beyond it the connection ends. */
const maxWaiting = 10_000;
const maxWaitingLength = 32 * 1024 * 1024;

/** A web socket of a platform, whose frames are texts. */
export type Socket = Disposable & {
	/** The next frame, in order; `undefined` once the socket has ended. Rejects with `DeliveryError` if it broke, or after `limitMs` without a frame. */
	next(limitMs?: number): Promise<string | undefined>;
	send(text: string): void;
	/** Ends it with a code of 1000, or 3000 to 4999. */
	close(code: number): void;
	/** The close code of the other side. */
	readonly closeCode: number | undefined;
};

/** Opens a socket within 10 s. Aborting `signal` closes it: `next` resolves with `undefined`. @throws DeliveryError `platform_unreachable` */
export type OpenSocket = (
	url: string,
	options: {
		readonly platform: string;
		readonly headers?: Readonly<Record<string, string>>;
		/** Texts to redact in messages, besides those in headers and in the URL. */
		readonly secrets?: readonly string[];
		/** Interval of pings, milliseconds: if nothing arrives between two of them, the socket counts as broken. Absent if the platform has its own heartbeats. */
		readonly pingMs?: number;
		readonly signal: AbortSignal;
	},
) => Promise<Socket>;

/** Creates an `OpenSocket` with undici. */
export function createOpenSocket({
	clock,
	clean,
	secureContext = () => undefined,
}: ConnectionWorld): OpenSocket {
	return async (url, {platform, headers = {}, secrets = [], pingMs, signal}) => {
		signal.throwIfAborted();
		const {default: undici} = await import('undici');
		signal.throwIfAborted();
		const {host} = new URL(url);
		const hidden = [
			...secrets,
			...secretPartsOf(url),
			...Object.values(headers).flatMap(value => value.split(/\s+/)),
		].filter(({length}) => length > 5);
		const redact = createRedact(() => hidden);
		const fail = (why: string) =>
			listenFailure(platform, `${host}: ${clean(redact(why))}`, {code: 'platform_unreachable'});
		const context = secureContext();
		const secured = context && {secureContext: context};
		const connect = undici.buildConnector({timeout: openMs, ...secured});
		let line: Line | undefined;
		const dispatcher = new undici.Agent({
			allowH2: false,
			// Of a whole message, while its fragments come.
			webSocket: {maxPayloadSize: maxMessageBytes},
			connect(options, callback) {
				connect(options, (...result) => {
					line = result[1] ?? undefined;
					callback(...result);
				});
			},
		});
		const socket = new undici.WebSocket(url, {headers: {...headers}, dispatcher});
		const waiting: string[] = [];
		let waitingLength = 0;
		/** Timer of the opening, then of pings. */
		const timer = createTimer(clock);
		let wake = Promise.withResolvers<void>();
		let failure: DeliveryError | undefined;
		let closeCode: number | undefined;
		let isOver = false;
		const opened = Promise.withResolvers<void>();
		const end = (error?: DeliveryError) => {
			if (!isOver) {
				isOver = true;
				failure = error;
				opened.reject(error ?? fail('it was closed before it opened'));
				wake.resolve();
				timer[Symbol.dispose]();
				socket.close();
				void dispatcher.destroy();
				// Some platforms never close their side. Destroyed only after our last frame is written.
				line?.destroySoon();
			}
		};
		const abort = () => end();
		opened.promise.catch(() => {});
		signal.addEventListener('abort', abort, {once: true});
		let isOpen = false;
		socket.addEventListener('open', () => {
			isOpen = true;
			opened.resolve();
		});
		socket.addEventListener('message', ({data}: MessageEvent) => {
			if (
				typeof data !== 'string' ||
				Buffer.byteLength(data) > maxMessageBytes ||
				waiting.length >= maxWaiting ||
				waitingLength >= maxWaitingLength
			) {
				end(fail('it sent a frame that is no text, is too large, or too many of them'));
				return;
			}

			waiting.push(data);
			waitingLength += data.length;
			wake.resolve();
		});
		socket.addEventListener('error', ({error, message}: ErrorEvent) => {
			const why = error === undefined ? message : messageOf(error);
			// An answer without an upgrade, a line that is cut, and a message above the limit have no text of their own.
			const usual = isOpen
				? 'the web socket broke off, or a message was too large'
				: 'it did not accept a web socket';
			end(fail(why === '' ? usual : why));
		});
		socket.addEventListener('close', ({code}) => {
			closeCode = code;
			end();
		});
		timer.set(openMs, () => end(fail(`it did not open within ${openMs / 1000} s`)));
		await opened.promise;
		timer.cancel();
		let bytesRead = 0;
		const planPing = (ms: number) =>
			timer.set(ms, () => {
				if (line?.bytesRead === bytesRead) {
					end(fail(`nothing came for ${ms / 1000} s`));
					return;
				}

				bytesRead = line?.bytesRead ?? 0;
				undici.ping(socket);
				planPing(ms);
			});
		if (pingMs !== undefined) {
			planPing(pingMs);
		}

		const isWaiting = () => waiting.length === 0 && !isOver;
		return {
			get closeCode() {
				return closeCode;
			},
			async next(limitMs) {
				using silence = createTimer(clock);
				if (limitMs !== undefined) {
					silence.set(limitMs, () => end(fail(`nothing came for ${limitMs / 1000} s`)));
				}

				while (isWaiting()) {
					// oxlint-disable-next-line no-await-in-loop -- sequential frames
					await wake.promise;
					wake = Promise.withResolvers();
				}

				const frame = waiting.shift();
				waitingLength -= frame?.length ?? 0;
				if (frame === undefined && failure) {
					throw failure;
				}

				return frame;
			},
			send(text) {
				if (!isOver) {
					socket.send(text);
				}
			},
			close(code) {
				if (!isOver) {
					socket.close(code);
					end();
				}
			},
			[Symbol.dispose]() {
				signal.removeEventListener('abort', abort);
				end();
			},
		};
	};
}
