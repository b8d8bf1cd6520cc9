import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {
	createAsk,
	idAt,
	memberAt,
	textAt,
	type ApiRequest,
	type Judged,
	type Judgement,
} from '../ask.ts';
import {DeliveryError} from '../delivery-error.ts';
import type {Place} from '../platform.ts';
import {platformFailures} from '../post.ts';
import type {SenderModule} from '../target-kind.ts';
import {signal} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import type {SignalSettings} from './descriptor.ts';

/** Bytes, marks included: clients drop texts of more than 2 KiB. */
const maxBytes = 2000;

/** Sends texts. Rejects as `Ask`. @see manual/delivery-signal.md */
export const connect: SenderModule<SignalSettings, Place>['connect'] = (
	{number, apiBase, headers = {}, maxParts},
	world,
) => {
	const ask = createAsk(world, {platform: 'signal', base: apiBase, headers, judge});

	return {
		split: splitAs(signal, maxBytes, maxParts),
		async check(limits) {
			await ask({method: 'GET', path: '/v1/about'}, limits);
			const accounts = await ask({method: 'GET', path: '/v1/accounts'}, limits);
			if (!Object.values(accounts).includes(number)) {
				throw new DeliveryError(
					'platform_unauthorized',
					`Cannot send to signal: the daemon has no account "${number}": link or register it there`,
					platformFailures.platform_unauthorized,
				);
			}

			return number;
		},
		async send({text}, {chat, replyTo, format}, limits) {
			const [stamp, author] = replyTo?.split('/') ?? [];
			const sent = await ask(
				{
					path: '/v2/send',
					json: {
						number,
						recipients: [chat],
						message: text,
						// Always there: the daemon may be set to another one.
						text_mode: format === 'plain' ? 'normal' : 'styled',
						...(stamp !== undefined &&
							author !== undefined && {quote_timestamp: Number(stamp), quote_author: author}),
					},
				},
				limits,
			);
			return {place: `signal ${chat}`, id: idAt(answerOf(sent), 'timestamp')};
		},
	};
};

/** What a daemon answers to a message: since July 2026 a list of one. */
function answerOf(json: JsonObject): JsonObject {
	const first = json['0'] ?? null;
	return isJsonObject(first) ? first : json;
}

/** Signal does not tell the waits, milliseconds. */
const busy = {code: 'platform_rate_limited', retryAfterMs: 60_000} as const;

/** A person has to solve a captcha. */
const challenged = {code: 'platform_unauthorized', retryAfterMs: 300_000} as const;

/** Why a message did not reach a person, where another try may help. */
const missed: ReadonlyMap<JsonValue | undefined, Judgement> = new Map<string, Judgement>([
	['NETWORK_FAILURE', 'platform_failed'],
	['RATE_LIMIT_FAILURE', busy],
	['PROOF_REQUIRED_FAILURE', challenged],
]);

function judge({json, status, isJson}: Judged, request: ApiRequest): Judgement {
	if (request.method === 'GET') {
		const isList = 'path' in request && request.path === '/v1/accounts';
		return status === 200 && (isList ? isJson : isJsonObject(json['capabilities']))
			? true
			: undefined;
	}

	const answer = answerOf(json);
	if (status === 201 && answer['timestamp'] !== undefined) {
		const reason = memberAt(answer, 'errors', 'recipients', '0', 'reason');
		// In a group these may be some of its members, and the others have it.
		const isGroup =
			isJsonObject(request.json) && textAt(request.json, 'recipients', '0').startsWith('group.');
		return reason === undefined || isGroup ? true : (missed.get(reason) ?? 'platform_rejected');
	}

	if (status === 429) {
		return json['challenge_tokens'] === undefined ? busy : challenged;
	}

	// The daemon has one status for all: these words are about its own connection.
	return status === 400 && textAt(json, 'error').startsWith('Failed to send message: ')
		? 'platform_failed'
		: undefined;
}
