import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {apiSender} from '../api-sender.ts';
import {
	createAsk,
	idAt,
	limited,
	memberAt,
	textAt,
	type PlatformCall,
	type Judged,
	type Judgement,
} from '../ask.ts';
import {platformFailure} from '../delivery-error.ts';
import type {Connect} from '../platform.ts';
import {signal} from '../text/dialects.ts';
import {splitAs} from '../text/messages.ts';
import type {SignalSettings} from './descriptor.ts';

/** Maximum size including marks, bytes: clients drop texts of more than 2 KiB. */
const maxBytes = 2000;

/** Sends texts. Rejects as `Ask`. @see manual/delivery-signal.md */
export const connect: Connect<SignalSettings> = (
	{number, apiBase, headers = {}, maxParts},
	world,
) => {
	const ask = createAsk(world, {platform: 'signal', base: apiBase, headers, judge});

	return apiSender(ask, {
		split: splitAs(signal, maxBytes, maxParts),
		async check(limits) {
			await ask({method: 'GET', path: '/v1/about'}, limits);
			const accounts = await ask({method: 'GET', path: '/v1/accounts'}, limits);
			if (!Object.values(accounts).includes(number)) {
				throw platformFailure(
					'platform_unauthorized',
					`Cannot send to signal: the daemon has no account "${number}": link or register it there`,
				);
			}

			return number;
		},
		send({text}, {chat, replyTo, format}) {
			const [stamp, author] = replyTo?.split('/') ?? [];
			return {
				path: '/v2/send',
				json: {
					number,
					recipients: [chat],
					message: text,
					// Always sent, since the daemon's default may be the other one.
					text_mode: format === 'plain' ? 'normal' : 'styled',
					...(stamp !== undefined &&
						author !== undefined && {quote_timestamp: Number(stamp), quote_author: author}),
				},
			};
		},
		sentId: sent => idAt(answerOf(sent), 'timestamp'),
	});
};

/** The daemon's answer to a message: since July 2026 a list with one member. */
const answerOf = (json: JsonObject): JsonObject => (isJsonObject(json['0']) ? json['0'] : json);

/** Signal does not say how long to wait. */
const busy = limited(60_000);

/** A person must solve a captcha. */
const challenged = {code: 'platform_unauthorized', retryAfterMs: 300_000} as const;

/** Reasons why a message did not reach a person and a retry may succeed. */
const missed = new Map<unknown, Judgement>([
	['NETWORK_FAILURE', 'platform_failed'],
	['RATE_LIMIT_FAILURE', busy],
	['PROOF_REQUIRED_FAILURE', challenged],
]);

function judge({json, status, isJson}: Judged, request: PlatformCall): Judgement {
	if (request.method === 'GET') {
		const isList = 'path' in request && request.path === '/v1/accounts';
		return status === 200 && (isList ? isJson : isJsonObject(json['capabilities']));
	}

	const answer = answerOf(json);
	if (status === 201 && answer['timestamp'] !== undefined) {
		const reason = memberAt(answer, 'errors', 'recipients', '0', 'reason');
		// In a group, only some members may have failed, while the others have the message.
		const isGroup =
			isJsonObject(request.json) && textAt(request.json, 'recipients', '0').startsWith('group.');
		return reason === undefined || isGroup ? true : (missed.get(reason) ?? 'platform_rejected');
	}

	if (status === 429) {
		return json['challenge_tokens'] === undefined ? busy : challenged;
	}

	// The daemon uses one status for all failures: these words mean its own connection.
	return (
		status === 400 &&
		textAt(json, 'error').startsWith('Failed to send message: ') &&
		'platform_failed'
	);
}
