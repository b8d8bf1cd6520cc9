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
	/** Texts that no message may show, besides the values of headers and queries and the long parts of the path. */
	readonly secrets?: readonly string[];
	/** It only asks: however it ends, no message has arrived by it. True for GET when absent. */
	readonly sendsNothing?: boolean;
	/** The path and the query are documented: only other parts of `url` may be secrets. */
	readonly isPublicPath?: boolean;
	/** For all of it, milliseconds. */
	readonly limitMs: number;
};

/** The answer of a platform, whatever its status: redirects are answers, too. */
export type PlatformAnswer = {
	readonly status: number;
	/** By its name in small letters. */
	readonly header: (name: string) => string | undefined;
	/** `undefined`: it is no JSON, or was not read to its end. */
	readonly json: JsonValue | undefined;
	/** The answer as a failed delivery: by its status, unless `code` says better what it means. `waitMs`: a wait that is not in a usual place of the answer; the longest one counts. */
	failure(code?: PlatformCode, waitMs?: number): DeliveryError;
};

/**
 * One request to a platform. Rejects with a `DeliveryError`: `platform_unreachable` or `delivery_aborted` while nothing was written, and `delivery_uncertain` from then on until a status
 * has come, unless it sends nothing. Nothing is sent twice.
 */
export type Post = (request: PlatformRequest) => Promise<PlatformAnswer>;

/** What connections to platforms are made with. */
export type ConnectionWorld = {
	readonly clock: Clock;
	/** Makes what others said fit for a message. */
	readonly clean: (text: string) => string;
	/** Whom TLS connections trust; absent or `undefined`: those that Node trusts. */
	readonly secureContext?: (() => SecureContext | undefined) | undefined;
};

/** `Post` over connections of its own. */
export function createPost({
	clock,
	clean,
	secureContext = () => undefined,
}: ConnectionWorld): {readonly post: Post} & AsyncDisposable {
	let current: {readonly context: SecureContext | undefined; readonly agent: Agent} | undefined;

	/** After a reload with other CAs, the old agent closes with its last answer. */
	const agentFor = async (): Promise<Agent> => {
		// Its default export, since the bundle gives packages in the old module format nothing else.
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

				// A success that cannot be read may be none; any other status says enough.
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

/** Most messages of the system repeat their code, and the address that stands before it. */
function wordsOf(error: unknown): string {
	const [code, message] = [codeOf(error), messageOf(error)];
	return message.includes(code) ? code : `${code} ${message}`;
}

function codeOfStatus(status: number): PlatformCode {
	if (status === 429 || status === 401) {
		return status === 429 ? 'platform_rate_limited' : 'platform_unauthorized';
	}

	// A success is no failure, unless what it says cannot be read.
	return status < 300 || status === 408 || status >= 500 ? 'platform_failed' : 'platform_rejected';
}

/** `text` without what the request must not show: a platform may quote it. */
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
