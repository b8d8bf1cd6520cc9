import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import {lookUp} from '../core/payload.ts';
import {escapeLine} from '../core/untrusted.ts';
import {DeliveryError, type PlatformCode} from './delivery-error.ts';
import type {PlatformAnswer, PlatformRequest} from './post.ts';
import type {MessagePart, SenderWorld} from './target-kind.ts';

/** A request to a platform's API: a path behind its base, or a whole address. */
export type PlatformCall = Pick<
	PlatformRequest,
	'form' | 'headers' | 'json' | 'maxAnswerBytes' | 'method' | 'sendsNothing'
> &
	({readonly path: string} | {readonly url: string}) & {
		/** It changes a message. Rejected, it fails with `message_gone`: that message cannot be changed any more, and its text is sent as another one. */
		readonly isEdit?: true;
	};

const refusals = ['platform_rejected', 'platform_unauthorized'] as const;

/** The meaning of an answer: `true` is a success, a code a failure; `false`: the status decides. */
export type Judgement =
	| boolean
	/** The message has the new text already, whatever the status. */
	| 'unchanged'
	| 'message_gone'
	| PlatformCode
	/** With the wait that the platform asks for or is known for. */
	| {readonly code: PlatformCode; readonly retryAfterMs: number | undefined};

/** Too many requests: the next one after `retryAfterMs`, where the answer does not tell. */
export const limited = (retryAfterMs: number | undefined) =>
	({code: 'platform_rate_limited', retryAfterMs}) as const;

/** The judge of a webhook that says in `errcode` what went wrong. `rejected`: codes about this webhook or this text, after which others go on. */
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

/** Asks a webhook by its address, and the API by a path. */
export const webhookOr =
	(askHook: Ask, askApi: Ask): Ask =>
	async (request, limits) =>
		('url' in request ? askHook : askApi)(request, limits);

/** The part of an answer that is judged. `json`: the body; a list as a mapping of its indexes; `{}` for anything else. */
export type Judged = Pick<PlatformAnswer, 'status' | 'header'> & {
	readonly json: JsonObject;
	/** Whether the body is a JSON mapping or list. */
	readonly isJson: boolean;
};

/**
 * Asks one platform's API, and gives the body of its answer.
 *
 * @throws DeliveryError as `Post`, `message_gone`, and `platform_*` for failures
 */
export type Ask = (request: PlatformCall, limits: AskLimits) => Promise<JsonObject>;

export type AskLimits = Pick<MessagePart, 'limitMs' | 'signal' | 'until'>;

/** The API of one platform. */
export type AskOptions = {
	/** The kind of the platform. */
	readonly platform: string;
	/** The part of the address before the paths. */
	readonly base?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly secrets?: readonly string[];
	/** The code for every refusal. Of a webhook it is `platform_rejected`, since its address is a credential for one chat alone; of a login `platform_unauthorized`, since there is no message yet. */
	readonly refusalIs?: (typeof refusals)[number];
	/** Tells successes from failures. */
	readonly judge: (answer: Judged, request: PlatformCall) => Judgement;
	/** The request that is made instead after a failure, once: with a new token, to another chat. */
	readonly again?: (
		answer: Judged,
		request: PlatformCall,
		limits: AskLimits,
	) => PlatformCall | undefined | Promise<PlatformCall | undefined>;
};

/** `Ask` for one platform. */
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
		// Whatever its body says: no error is a success.
		if ((judgement === true && status < 300) || judgement === 'unchanged') {
			return judged.json;
		}

		// Without JSON the answer may be a proxy's: its status says nothing about the message or the credentials. For a rate limit the status is enough.
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

/** How long a request may take now, milliseconds. */
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

/** The member of a body at `path`, through lists by their indexes; `undefined` where there is none. */
export const memberAt = (json: JsonObject, ...path: readonly string[]): JsonValue | undefined =>
	lookUp(json, path);

/** A mapping as it is; an empty one in the place of anything else. */
export const objectOf = (value: JsonValue | undefined): JsonObject =>
	isJsonObject(value) ? value : {};

/** The mapping at `path`; an empty one where there is none. */
export const objectAt = (json: JsonObject, ...path: readonly string[]): JsonObject =>
	objectOf(memberAt(json, ...path));

/** The list at `path`; an empty one where there is none. */
export function listAt(json: JsonObject, ...path: readonly string[]): readonly JsonValue[] {
	const value = memberAt(json, ...path);
	return Array.isArray(value) ? value : [];
}

/** A text or a number of a body, as text; empty for anything else. It may be of any length and hold anything. */
export function textAt(json: JsonObject, ...path: readonly string[]): string {
	const value = memberAt(json, ...path);
	// A lone surrogate cannot be encoded in a path.
	return typeof value === 'string' || typeof value === 'number' ? String(value).toWellFormed() : '';
}

/** For answers that list messages, bytes. */
export const maxAnswerBytes = 16 * 1024 * 1024;

const maxIdLength = 1000;

/**
 * The identifier of a message or a room on its platform: exact, since it is sent back, and fit to be shown. `undefined` where there is none, or where it has more than 1,000 characters or
 * hidden ones.
 */
export function idAt(json: JsonObject, ...path: readonly string[]): string | undefined {
	const text = textAt(json, ...path);
	return text !== '' && escapeLine(text, maxIdLength) === text ? text : undefined;
}

const maxNameLength = 80;

/** The name of a person, an account or a bot on a platform: cleaned, at most 80 characters; `undefined` where there is none. */
export const nameAt = (json: JsonObject, ...path: readonly string[]): string | undefined =>
	escapeLine(textAt(json, ...path), maxNameLength) || undefined;

/** The name by which a message can be changed: `id`, with its room in front where the chat that was asked for is an alias of it, as the name of a channel or a member is. */
export const idWithRoom = (
	id: string | undefined,
	room: string | undefined,
	chat: string,
): string | undefined =>
	id === undefined || room === undefined || room === chat ? id : `${room}/${id}`;

/** The room and the message of an id that `idWithRoom` made. */
export function roomAndId(id: string, chat: string): readonly [room: string, id: string] {
	const [last = id, room = chat] = id.split('/').toReversed();
	return [room, last];
}
