import type {SecureContext} from 'node:tls';
import type {Agent} from 'undici';
import type {Clock} from '../core/clock.ts';
import {codeOf, messageOf} from '../core/errors.ts';
import {parsedJson, type JsonValue} from '../core/json.ts';
import {createRedact} from '../core/redact.ts';
import {
	DeliveryError,
	platformFailure,
	platformFailures,
	type PlatformCode,
} from './delivery-error.ts';
import {exchangeWith, type Exchange, type WireRequest} from './exchange.ts';
import {minTokenLength, secretPartsOf} from './secret-parts.ts';
import {boundedWaitMs, toldWaitMs} from './told-wait.ts';

const connectTimeoutMs = 10_000;

/** A request. Messages show only the host of `url`. */
export type PlatformRequest = WireRequest & {
	/** The platform's kind, for messages. */
	readonly platform: string;
	/** Texts to redact in messages, besides the values of headers and queries and long parts of the path. */
	readonly secrets?: readonly string[];
	/** The request only reads: no message has been sent by it, whatever the outcome. `true` for GET by default. */
	readonly sendsNothing?: boolean;
	/** Path and query are documented: only other parts of `url` may be secrets. */
	readonly isPublicPath?: boolean;
	/** Time limit of the whole request, milliseconds. */
	readonly limitMs: number;
};

/** The answer of a platform with any status: redirects are not followed. */
export type PlatformAnswer = {
	readonly status: number;
	/** Reads a header by its lower-case name. */
	readonly header: (name: string) => string | undefined;
	/** `undefined` when the body is not JSON, or was not read to its end. */
	readonly json: JsonValue | undefined;
	/** Converts the answer to a failed delivery: by its status, unless `code` is more specific. `waitMs`: a wait found in an unusual place of the answer; the longest one counts. */
	failure(code?: PlatformCode, waitMs?: number): DeliveryError;
};

/**
 * Sends one request to a platform, never twice. Rejects with a `DeliveryError`: `platform_unreachable` or `delivery_aborted` before anything was written,
 * `delivery_uncertain` from then until a status has arrived, unless it sends nothing.
 */
export type Post = (request: PlatformRequest) => Promise<PlatformAnswer>;

/** What connections to platforms need. */
export type ConnectionWorld = {
	readonly clock: Clock;
	/** Makes foreign text safe for a message. */
	readonly clean: (text: string) => string;
	/** The certificate authorities that TLS connections trust; absent or `undefined` for Node's defaults. */
	readonly secureContext?: (() => SecureContext | undefined) | undefined;
};

/** Creates a `Post` with connections of its own. */
export function createPost({
	clock,
	clean,
	secureContext = () => undefined,
}: ConnectionWorld): {readonly post: Post} & AsyncDisposable {
	let current: {readonly context: SecureContext | undefined; readonly agent: Agent} | undefined;

	/** After a reload with other certificate authorities, the old agent closes after its last answer. */
	const agentFor = async (): Promise<Agent> => {
		// The default export: from packages in CommonJS format, the bundle exposes nothing else.
		const {default: undici} = await import('undici');
		const context = secureContext();
		if (!current || current.context !== context) {
			void current?.agent.close();
			const connect = {timeout: connectTimeoutMs, ...(context && {secureContext: context})};
			const options = {allowH2: false, headersTimeout: 0, bodyTimeout: 0, connect};
			current = {context, agent: new undici.Agent(options)};
		}

		return current.agent;
	};

	return {
		async post(request) {
			const {platform, url, limitMs, signal, sendsNothing = request.method === 'GET'} = request;
			const {host} = new URL(url);
			// Hidden before it is cut: half of a secret would not be recognised.
			const safe = (text: string) => clean(withoutSecrets(request, text));
			const say = (text: string) => `Cannot send to ${platform}: ${safe(text)}`;
			const fail = (code: PlatformCode, text: string, retryAfterMs?: number) =>
				platformFailure(code, say(text), {reason: safe(text), retryAfterMs});
			const uncertain = (text: string) =>
				new DeliveryError('delivery_uncertain', say(`${text}; the message may have arrived`));
			const deadline = new AbortController();
			const cancel = clock.after(limitMs, () => deadline.abort());
			const exchange: Exchange = {isWritten: false, status: undefined, headers: {}, parts: []};
			try {
				await exchangeWith(
					await agentFor(),
					{...request, signal: AbortSignal.any([signal, deadline.signal])},
					exchange,
				);
			} catch (error) {
				const why = deadline.signal.aborted
					? `${host} did not answer within ${limitMs / 1000} s`
					: signal.aborted
						? 'the delivery was ended'
						: `${host}: ${wordsOf(error)}`;
				if (exchange.status === undefined) {
					throw exchange.isWritten && !sendsNothing
						? uncertain(why)
						: signal.aborted
							? new DeliveryError('delivery_aborted', say(why))
							: fail('platform_unreachable', why);
				}

				// An unreadable answer with a success status may not be a success; any other status says enough.
				if (exchange.status < 300) {
					const what = `the answer broke off (${why})`;
					throw sendsNothing ? fail('platform_unreachable', what) : uncertain(what);
				}
			} finally {
				cancel();
			}

			const {status = 0, headers} = exchange;
			const text = Buffer.concat(exchange.parts).toString('utf8');
			const json = parsedJson(text);
			const header = (name: string) => {
				const value = headers[name];
				return typeof value === 'string' ? value : value?.[0];
			};
			return {
				status,
				header,
				json,
				failure(code = codeOfStatus(status), waitMs) {
					const told = Math.max(
						boundedWaitMs(waitMs) ?? -1,
						toldWaitMs({header, json}, clock.now()) ?? -1,
					);
					const shown = safe(text);
					const said = shown.trim() === '' ? '' : `: ${shown}`;
					return fail(
						code,
						`${host} answered ${status}${said}`,
						'passes' in platformFailures[code] && told >= 0 ? told : undefined,
					);
				},
			};
		},
		async [Symbol.asyncDispose]() {
			await current?.agent.destroy().catch(() => {});
		},
	};
}

/** Most system errors repeat their code, and the address that precedes it in the message. */
function wordsOf(error: unknown): string {
	const [code, message] = [codeOf(error), messageOf(error)];
	return message.includes(code) ? code : `${code} ${message}`;
}

function codeOfStatus(status: number): PlatformCode {
	if (status === 429 || status === 401) {
		return status === 429 ? 'platform_rate_limited' : 'platform_unauthorized';
	}

	// A success status only becomes a failure if the answer is unreadable.
	return status < 300 || status === 408 || status >= 500 ? 'platform_failed' : 'platform_rejected';
}

/** Redacts the request's secrets in `text`: a platform may quote them. */
function withoutSecrets(
	{url, isPublicPath = false, headers = {}, secrets = []}: PlatformRequest,
	text: string,
): string {
	const ofHeaders = Object.values(headers).flatMap(value => [
		value,
		...value.split(/\s+/).filter(({length}) => length >= minTokenLength),
	]);
	const {username, password} = new URL(url);
	const ofUrl = isPublicPath ? [username, password] : secretPartsOf(url);
	const values = [...secrets, ...ofHeaders, ...ofUrl];
	return createRedact(() => values)(text);
}
