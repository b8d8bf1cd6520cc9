import type {Route} from '../config/route.ts';
import {senderOf} from '../config/senders/senders.ts';
import type {JsonObject, JsonValue} from '../core/json.ts';
import {type RequestedRoute, findRoute} from './admission.ts';
import {type DeliveryDraft, type ReceiverServices, stop} from './receive-context.ts';
import {type Reply, challengeReply, greetingReply, handshakeReply, refusals} from './replies.ts';
import {headerOf} from './request-content.ts';
import {hmacOf} from './signature-claim.ts';
import {isSecretOf, signingKeyOf} from './signature.ts';

/**
 * Answers a challenge (a request by which a sender verifies the webhook URL) as the preset of the route prescribes; `undefined` for an event. A challenge starts no run and
 * reserves no delivery identifier.
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
	return answer === undefined || !maySend(answer.text ?? '0')
		? undefined
		: stop(draft, challengeReply(answer), {
				step: 'event',
				detail: `a challenge of ${kind}, answered`,
			});
}

/** Whether an untrusted text may be echoed: printable ASCII of at most 1,024 characters. */
const maySend = (text: string): boolean => /^[ -~]{1,1024}$/.test(text);

/**
 * Answers the unsigned `GET` by which some senders verify the webhook URL. `undefined` for other requests and routes: their usual refusal does not disclose which routes exist.
 * Does not count towards the rate limit; a successful answer is not stored.
 *
 * @see manual/receiver.md#challenges
 */
export function answerGreeting(
	draft: DeliveryDraft,
	request: RequestedRoute & {readonly method: string},
	services: Pick<ReceiverServices, 'routes' | 'multiplexing' | 'compile' | 'clock'>,
): Reply | undefined {
	const {method, path, route: name} = request;
	const asked =
		method === 'GET' && name !== undefined ? services.routes().routes.get(name) : undefined;
	const kind = asked?.signature?.kind;
	const answer =
		asked &&
		senderOf(kind)?.greet?.({
			query: new URLSearchParams(path.replace(/^[^?]*/, '')),
			header: header => headerOf(draft.headers, header),
			isSecret: text => isSecretOf(asked, text, services.clock.now()),
		});
	if (!answer || findRoute(draft, request, services).kind !== 'served') {
		return undefined;
	}

	const decide = (reply: Reply, said: string) =>
		stop(draft, reply, {step: 'event', detail: `a challenge of ${kind}, ${said}`});
	if ('problem' in answer) {
		return decide(refusals.method, `refused: ${answer.problem}`);
	}

	return maySend(answer.text)
		? decide(greetingReply(answer.text, answer.member), 'answered')
		: decide(refusals.method, 'refused: it is no plain text');
}

/**
 * Makes a function that rewrites successful replies for senders that show them to a waiting person; it leaves failures and challenges unchanged. `undefined` for other senders:
 * then the payload need not stay in memory until the reply is known.
 */
export function acknowledgementOf(
	signature: NonNullable<Route['signature']>,
	payload: JsonValue,
): ((reply: Reply) => Reply) | undefined {
	const acknowledge = senderOf(signature.kind)?.acknowledge;
	return (
		acknowledge &&
		(reply => {
			if (reply.status >= 400 || reply.outcome === 'challenge') {
				return reply;
			}

			const said = reply.outcome.startsWith('ignored') ? 'Nothing to do' : 'Accepted';
			const answer = acknowledge(payload, said);
			return answer ? {...reply, ...wholeAnswer(answer.body)} : reply;
		})
	);
}

const wholeAnswer = (body: JsonObject | undefined) =>
	body
		? {status: 200, body: JSON.stringify(body)}
		: {status: 200, body: '', contentType: 'text/plain; charset=utf-8'};

const requestOrigin = 'webhook-request-origin';

const requestRate = 'webhook-request-rate';

/** A name in the DNS, perhaps with a port; at most 255 characters. */
const dnsName = /^[a-z0-9._-]{1,249}(?::\d{1,5})?$/i;

/**
 * Answers the handshake (`OPTIONS`) by which a sender of CloudEvents asks for permission; `undefined` for other requests, and for routes that do not accept its origin. The
 * handshake is unsigned: the answer discloses nothing but the permission and the rate, and does not count towards the rate limit.
 *
 * @see manual/receiver.md#cloudevents, CloudEvents HTTP 1.1 Web Hooks §4
 */
export function shakeHands(
	draft: DeliveryDraft,
	request: RequestedRoute & {readonly method: string},
	services: Pick<ReceiverServices, 'routes' | 'multiplexing' | 'compile'>,
): Reply | undefined {
	const {headers} = draft;
	const origin = headerOf(headers, requestOrigin) ?? '';
	const asked =
		request.method === 'OPTIONS' && dnsName.test(origin) && request.route !== undefined
			? services.routes().routes.get(request.route)
			: undefined;
	if (!asked || !mayCome(origin, asked)) {
		return undefined;
	}

	const found = findRoute(draft, request, services);
	if (found.kind !== 'served') {
		return refusals.method;
	}

	const {rateLimit, overflow} = found.route;
	return stop(
		draft,
		handshakeReply({
			'WebHook-Allowed-Origin': origin,
			...(headerOf(headers, requestRate) !== undefined && {
				'WebHook-Allowed-Rate': overflow === 'queue' ? '*' : String(rateLimit),
			}),
			Allow: 'POST',
		}),
		{step: 'event', detail: `a handshake of ${origin}: its events may come`},
	);
}

const mayCome = (origin: string, {cloudevents}: Pick<Route, 'cloudevents'>): boolean =>
	typeof cloudevents === 'boolean'
		? cloudevents
		: cloudevents.some(allowed => allowed.toLowerCase() === origin.toLowerCase());
