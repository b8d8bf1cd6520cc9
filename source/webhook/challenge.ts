import type {Route} from '../config/route.ts';
import {senderOf} from '../config/senders/senders.ts';
import type {JsonValue} from '../core/json.ts';
import {stop} from './delivery-draft.ts';
import type {DeliveryDraft} from './delivery-draft.ts';
import {challengeReply} from './replies.ts';
import type {Reply} from './replies.ts';
import {hmacOf} from './signature-digest.ts';
import {signingKeyOf} from './signature.ts';

/**
 * The answer to a sender that asks whether we are there, as the preset of the route knows it; `undefined` for an event. It starts nothing and takes no identifier.
 *
 * @see manual/receiver.md#challenges
 */
export function answerChallenge(
	draft: DeliveryDraft,
	{
		route,
		body,
		payload,
	}: {readonly route: Route; readonly body: Buffer; readonly payload: JsonValue},
): Reply | undefined {
	const kind = route.signature?.kind;
	const sign = (text: string) => {
		const key = signingKeyOf(route, {headers: draft.headers, body});
		const content = {algorithm: 'sha256', before: '', after: ''} as const;
		return key ? hmacOf(key, content, Buffer.from(text)).toString('hex') : '';
	};

	const answer = senderOf(kind)?.challenge?.(payload, sign);
	return (
		answer &&
		stop(draft, challengeReply(answer.body), {
			step: 'event',
			detail: `a challenge of ${kind}, answered`,
		})
	);
}

/** `reply` in the words of a sender whose event a person waits for; itself where it failed, or the sender has none. */
export function acknowledged(
	reply: Reply,
	{route, payload}: {readonly route: Route; readonly payload: JsonValue},
): Reply {
	const isFailed = reply.status >= 400 || reply.outcome === 'challenge';
	const became = reply.outcome.startsWith('ignored') ? 'ignored' : 'accepted';
	const body = isFailed
		? undefined
		: senderOf(route.signature?.kind)?.acknowledge?.(payload, became);
	return body ? {...reply, status: 200, body: JSON.stringify(body)} : reply;
}
