import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {lookUp} from '../core/payload.ts';
import {escapeLine} from '../core/untrusted.ts';
import {DeliveryError, type PlatformCode} from './delivery-error.ts';
import type {PlatformAnswer, PlatformRequest} from './post.ts';
import type {MessagePart, SenderWorld} from './target-kind.ts';

/** A request to a platform's API: a path below its base, or a complete URL. */
export type PlatformCall = Pick<
	PlatformRequest,
	'form' | 'headers' | 'json' | 'maxAnswerBytes' | 'method' | 'sendsNothing'
> &
	({readonly path: string} | {readonly url: string}) & {
		/** The request changes a message. A refusal becomes `message_gone`: the message can no longer be changed, and its text is sent as a new one. */
		readonly isEdit?: true;
	};

const refusals = ['platform_rejected', 'platform_unauthorized'] as const;

/** What an answer means: `true` for success, a code for a failure; with `false` and `undefined` the status decides. */
export type Judgement =
	| boolean
	/** The message has the new text already, whatever the status. */
	| 'unchanged'
	| 'message_gone'
	| PlatformCode
	/** With the wait that the platform asks for, or is known to need. */
	| {readonly code: PlatformCode; readonly retryAfterMs: number | undefined};

/** Too many requests: the next one after `retryAfterMs`, unless the answer says when. */
export const limited = (retryAfterMs: number | undefined) =>
	({code: 'platform_rate_limited', retryAfterMs}) as const;

/** The judge for webhooks that report errors in `errcode`. `rejected`: codes that concern only this webhook or this text, so that other messages go on. */
export const judgeByErrcode =
	(codes: {
		readonly waitMs: number;
		readonly limited: readonly unknown[];
		readonly rejected: readonly unknown[];
	}) =>
	({json: {errcode}, status}: Judged): Judgement =>
		errcode === 0 ||
		(status === 429 || codes.limited.includes(errcode)
			? limited(codes.waitMs)
			: codes.rejected.includes(errcode) && 'platform_rejected');

/** Uses one `Ask` for complete URLs (webhooks), the other for paths (the API). */
export const webhookOr =
	(askHook: Ask, askApi: Ask): Ask =>
	async (request, limits) =>
		('url' in request ? askHook : askApi)(request, limits);

/** The judged part of an answer. `json`: the body; a list becomes an object with its indexes as keys; anything else is `{}`. */
export type Judged = Pick<PlatformAnswer, 'status' | 'header'> & {
	readonly json: JsonObject;
	/** Whether the body is a JSON mapping or list. */
	readonly isJson: boolean;
};

/**
 * Sends a request to one platform's API; resolves with the body of its answer.
 *
 * @throws DeliveryError as `Post`, `message_gone`, and `platform_*` for failures
 */
export type Ask = (request: PlatformCall, limits: AskLimits) => Promise<JsonObject>;

export type AskLimits = Pick<MessagePart, 'limitMs' | 'signal' | 'until'>;

/** Options for the API of one platform. */
export type AskOptions = {
	/** The kind of the platform. */
	readonly platform: string;
	/** The part of the address before the paths. */
	readonly base?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly secrets?: readonly string[];
	/**
	 * The code for all refusals: `platform_rejected` for a webhook, since its URL is a credential for only one chat; `platform_unauthorized` for a login, since there is no
	 * message yet.
	 */
	readonly refusalIs?: (typeof refusals)[number];
	/** Tells successes from failures. */
	readonly judge: (answer: Judged, request: PlatformCall) => Judgement;
	/** The request to send instead after a failure, once: with a new token, or to another chat. */
	readonly again?: (
		answer: Judged,
		request: PlatformCall,
		limits: AskLimits,
	) => PlatformCall | undefined | Promise<PlatformCall | undefined>;
};

/** Creates the `Ask` of one platform. */
export function createAsk(
	{post, clock}: Pick<SenderWorld, 'clock' | 'post'>,
	{platform, base = '', headers = {}, secrets = [], refusalIs, judge, again}: AskOptions,
): Ask {
	const ask = async (
		request: PlatformCall,
		limits: AskLimits,
		isLast: boolean,
	): Promise<JsonObject> => {
		const answer = await post({
			...request,
			platform,
			url: 'url' in request ? request.url : base + request.path,
			headers: {...headers, ...request.headers},
			secrets,
			limitMs: leftOf(limits, clock),
			isPublicPath: 'path' in request,
			signal: limits.signal,
		});
		const members = membersOf(answer.json);
		const {status, header} = answer;
		const judged = {status, header, json: members ?? {}, isJson: members !== undefined};
		const judgement = judge(judged, request);
		// Whatever its body says, an answer with an error status is not a success.
		if ((judgement === true && status < 300) || judgement === 'unchanged') {
			return judged.json;
		}

		// Without JSON the answer may come from a proxy, so its status says nothing about the message or the credentials. For a rate limit the status is enough.
		const isSaid = judged.isJson || status === 429;
		const next = isLast || !isSaid ? undefined : await again?.(judged, request, limits);
		if (next) {
			return ask(next, limits, true);
		}

		const named = typeof judgement === 'string' ? judgement : undefined;
		const told = typeof judgement === 'object' ? judgement : {code: named, retryAfterMs: undefined};
		const code = told.code === 'message_gone' ? 'platform_rejected' : told.code;
		const failed = answer.failure(isSaid ? code : 'platform_failed', told.retryAfterMs);
		const failure =
			refusalIs && refusals.some(refusal => refusal === failed.code)
				? answer.failure(refusalIs, told.retryAfterMs)
				: failed;
		throw named === 'message_gone' || (request.isEdit && failure.code === 'platform_rejected')
			? new DeliveryError('message_gone', failure.message)
			: failure;
	};

	return async (request, limits) => ask(request, limits, false);
}

/** How long a request may take from now, milliseconds. */
export const leftOf = (
	{limitMs, until = Infinity}: AskLimits,
	clock: Pick<SenderWorld['clock'], 'monotonic'>,
): number => Math.max(1, Math.min(limitMs, until - clock.monotonic()));

const membersOf = (value: JsonValue | undefined): JsonObject | undefined =>
	Array.isArray(value)
		? Object.fromEntries(Object.entries<JsonValue>(value))
		: isJsonObject(value)
			? value
			: undefined;

/** The member of a body at `path`, with indexes for lists; `undefined` when there is none. */
export const memberAt = (json: JsonObject, ...path: readonly string[]): JsonValue | undefined =>
	lookUp(json, path);

/** The value if it is an object, otherwise an empty object. */
export const objectOf = (value: JsonValue | undefined): JsonObject =>
	isJsonObject(value) ? value : {};

/** The object at `path`; empty when there is none. */
export const objectAt = (json: JsonObject, ...path: readonly string[]): JsonObject =>
	objectOf(memberAt(json, ...path));

/** The list at `path`; empty when there is none. */
export function listAt(json: JsonObject, ...path: readonly string[]): readonly JsonValue[] {
	const value = memberAt(json, ...path);
	return Array.isArray(value) ? value : [];
}

/** The text or number at `path`, as a text; empty for anything else. It is of any length and not cleaned. */
export function textAt(json: JsonObject, ...path: readonly string[]): string {
	const value = memberAt(json, ...path);
	// A lone surrogate cannot be encoded in a path.
	return typeof value === 'string' || typeof value === 'number' ? String(value).toWellFormed() : '';
}

/** Limit for answers that list messages, bytes. */
export const maxAnswerBytes = 16 * 1024 * 1024;

const maxIdLength = 1000;

/**
 * The identifier of a message or a room: unchanged, since it is sent back, and safe to show. `undefined` when it is missing, longer than 1,000 characters, or contains
 * hidden characters.
 */
export function idAt(json: JsonObject, ...path: readonly string[]): string | undefined {
	const text = textAt(json, ...path);
	return text !== '' && escapeLine(text, maxIdLength) === text ? text : undefined;
}

const maxNameLength = 80;

/** The name of a person, an account or a bot: cleaned, at most 80 characters; `undefined` when it is missing. */
export const nameAt = (json: JsonObject, ...path: readonly string[]): string | undefined =>
	escapeLine(textAt(json, ...path), maxNameLength) || undefined;

/** An identifier by which a message can be changed: `id`, preceded by its room if the chat was given as an alias, such as the name of a channel or a member. */
export const idWithRoom = (
	id: string | undefined,
	room: string | undefined,
	chat: string,
): string | undefined =>
	id === undefined || room === undefined || room === chat ? id : `${room}/${id}`;

/** Splits an identifier from `idWithRoom` into room and message. */
export function roomAndId(id: string, chat: string): readonly [room: string, id: string] {
	const [last = id, room = chat] = id.split('/').toReversed();
	return [room, last];
}
