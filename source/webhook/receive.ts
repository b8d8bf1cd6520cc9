import type {Route} from '../config/route.ts';
import {unresolvedWords} from '../core/delivery.ts';
import {type JsonValue, isJsonObject} from '../core/json.ts';
import {type RunPlan, prefetchWords, readWords, wholePayload} from '../core/run.ts';
import type {BodyRead} from '../http/http-messages.ts';
import {
	type CompiledRoute,
	type RequestedRoute,
	authenticate,
	findRoute,
	spendRate,
} from './admission.ts';
import {acknowledgementOf, answerChallenge, answerGreeting, shakeHands} from './challenge.ts';
import {dispatchEvent} from './dispatch-event.ts';
import {
	isAboutOwnComment,
	maxSubjectLength,
	prefetchOf,
	repositoryOf,
	subjectOf,
} from './event-subject.ts';
import {explainMismatch} from './filter.ts';
import {bodyIdOf, eventOf, isConnectivityCheck, unnamedSource} from './identity.ts';
import {
	type DeliveryDraft,
	type ReceiverServices,
	cleanDetail,
	nameDraft,
	note,
	stop,
} from './receive-context.ts';
import {
	type Reply,
	bodyReply,
	emptyReply,
	ignoredEventReply,
	ignoredReply,
	refusals,
} from './replies.ts';
import {type ParsedBody, parseBody} from './request-content.ts';
import {transformPayload} from './script-step.ts';
import {type RenderContext, type Rendered, rawDump, renderTemplate} from './template.ts';

const maxNameLength = 256;

/** A request to `/webhooks/…` whose body was not read yet. */
export type WebhookRequest = RequestedRoute & {
	readonly method: string;
	/** The value of `Content-Length`; `undefined` for a chunked body. */
	readonly declaredBytes: number | undefined;
	readBody(limit: number): Promise<BodyRead>;
};

/**
 * Applies the response table, from top to bottom; the first row that applies ends the request. The rows after authentication and rate limit are in `receiveAuthenticated`.
 * Rejects only when the store cannot be read or written.
 *
 * @see manual/receiver.md#answers, manual/receiver.md#order-of-decisions
 */
export async function receive(
	draft: DeliveryDraft,
	request: WebhookRequest,
	services: ReceiverServices,
): Promise<Reply> {
	if (services.stopping.aborted || services.isDraining()) {
		return stop(draft, refusals.stopping, {step: 'route', detail: 'the gateway is stopping'});
	}

	// A path without a route gets the answer for unknown routes, whatever the method.
	if (request.method !== 'POST' && request.route !== undefined) {
		const refuse = () =>
			stop(draft, refusals.method, {
				step: 'route',
				detail: `${cleanDetail(draft, request.method)} is not POST`,
			});
		return (
			shakeHands(draft, request, services) ?? answerGreeting(draft, request, services) ?? refuse()
		);
	}

	const found = findRoute(draft, request, services);
	if (found.kind === 'unknown') {
		return refusals.unknownRoute;
	}

	if (found.kind === 'invalid') {
		// Refused before its body is read: without a valid route the event cannot be authenticated.
		return stop(draft, refusals.invalid, {
			step: 'route',
			detail: cleanDetail(draft, found.reason),
		});
	}

	const {route} = found;
	const {maxBodyBytes} = route;
	if (request.declaredBytes !== undefined && request.declaredBytes > maxBodyBytes) {
		return stop(draft, refusals.size, {
			step: 'size',
			detail: `${request.declaredBytes} bytes declared, at most ${maxBodyBytes}`,
		});
	}

	const read = await request.readBody(maxBodyBytes);
	if (read.kind === 'too-large') {
		return stop(draft, refusals.size, {step: 'size', detail: `more than ${maxBodyBytes} bytes`});
	}

	if (read.kind === 'cut') {
		return stop(draft, refusals.cut, {
			step: 'size',
			detail: `the connection ended after ${read.bytes} bytes`,
		});
	}

	const {body} = read;
	draft.body = body;
	note(draft, 'size', {verdict: 'pass', detail: `${body.length} of ${maxBodyBytes} bytes`});

	const refusal =
		authenticate(draft, {route, body, path: request.path}, services) ??
		(await spendRate(draft, route, services.limits));
	return refusal ?? receiveAuthenticated(draft, {route, body}, services);
}

/** The remaining rows of the response table, for authenticated events; replays start here. Rejects as `receive` does. */
export async function receiveAuthenticated(
	draft: DeliveryDraft,
	{route, body}: {readonly route: Route; readonly body: Buffer},
	services: ReceiverServices,
): Promise<Reply> {
	const {headers} = draft;
	draft.keepsBody = true;
	const parsed = parseBody(body, headers);
	if (!parsed.ok) {
		return stop(draft, bodyReply(parsed.error), {step: 'body', detail: parsed.error});
	}

	note(draft, 'body', {verdict: 'pass', detail: parsed.kind});

	const idInBody = draft.hasFixedId
		? undefined
		: bodyIdOf(route, {headers, payload: parsed.payload});
	if (idInBody) {
		nameDraft(draft, idInBody);
		draft.hasSignedId = true;
	}

	const acknowledge = route.signature && acknowledgementOf(route.signature, parsed.payload);
	const reply = decide(draft, {route, body, parsed}, services);
	// Awaited only if needed, since waiting here keeps the payload in memory until the journal is written.
	return acknowledge ? acknowledge(await reply) : reply;
}

/** The rows of the response table from the event type on. */
async function decide(
	draft: DeliveryDraft,
	{
		route,
		body,
		parsed,
	}: {
		readonly route: Route;
		readonly body: Buffer;
		readonly parsed: ParsedBody & {readonly ok: true};
	},
	services: ReceiverServices,
): Promise<Reply> {
	const {headers} = draft;
	const compiled = services.compile(route);
	const type = eventOf(route, {headers, payload: parsed.payload});
	const event = type.name;
	draft.event = cleanDetail(draft, event, maxNameLength);
	const answered =
		route.signature && answerChallenge(draft, {route, body, payload: parsed.payload});
	if (answered) {
		return answered;
	}

	if (type.source === unnamedSource && isEmptyList(parsed.payload)) {
		return stop(draft, emptyReply(draft), {
			step: 'event',
			detail: 'its list of events is empty: the sender tries the address',
		});
	}

	const about = compiled.subjectOf({payload: parsed.payload, event, headers});
	if (about !== undefined) {
		draft.subject = cleanDetail(draft, about, maxSubjectLength);
	}

	const isWanted = compiled.events ? compiled.events.has(event) : !isConnectivityCheck(type);
	if (!isWanted) {
		return stop(draft, ignoredEventReply(route.name, event), {
			step: 'event',
			detail: cleanDetail(draft, `${event} (${type.source}) is not in events`),
		});
	}

	note(draft, 'event', {verdict: 'pass', detail: type.source});

	const mismatch = compiled.matches({payload: parsed.payload, event, headers});
	if (mismatch) {
		return stop(draft, ignoredReply('filter', draft), {
			step: 'filter',
			detail: cleanDetail(draft, explainMismatch(mismatch)),
		});
	}

	if (route.filters.length > 0) {
		note(draft, 'filter', {verdict: 'pass', detail: `${route.filters.length} matched`});
	}

	if (isAboutOwnComment(parsed.payload, services.ownMark)) {
		return stop(draft, ignoredReply('own', draft), {
			step: 'filter',
			detail: 'this gateway wrote the comment itself',
		});
	}

	if (!route.enabled) {
		// The delivery is stored with its body but does not reserve its identifier, so that it can be sent again or replayed.
		return stop(draft, refusals.paused, {
			step: 'dispatch',
			detail: 'the route is paused: lost unless its sender tries again, or it is replayed later',
		});
	}

	let {payload} = parsed;
	if (route.script !== undefined) {
		const transformed = await transformPayload(
			{draft, route, script: route.script, payload, rawJson: parsed.rawJson},
			services,
		);
		if ('reply' in transformed) {
			return transformed.reply;
		}

		({payload} = transformed);
	}

	const context = {payload, event};
	const sent = {headers, payload: parsed.payload};
	const prefetch = prefetchOf(route, sent);
	const repository = repositoryOf(route, sent);
	const {text: prompt, read} = renderPrompt(draft, compiled, {context, prefetch});
	const extra = compiled.renderExtra(context);
	// Read from the received payload, since a script may have changed it into anything.
	const subject = subjectOf(parsed.payload);
	const ready = {
		draft,
		route,
		compiled,
		event,
		prompt,
		read,
		context,
		extra,
		subject,
		repository,
		prefetch,
	};
	return dispatchEvent(ready, services);
}

/** Whether the payload is an empty list of events: `[]`, or `{"events": []}` as LINE sends it. */
const isEmptyList = (payload: JsonValue): boolean => {
	const list =
		isJsonObject(payload) && Object.hasOwn(payload, 'events') ? payload['events'] : payload;
	return Array.isArray(list) && list.length === 0;
};

/** Renders the prompt. Notes its length, the payload keys that it contains, and the prefetch in the trace. */
function renderPrompt(
	draft: DeliveryDraft,
	{prompt}: CompiledRoute,
	{context, prefetch}: {readonly context: RenderContext; readonly prefetch: RunPlan['prefetch']},
): Pick<Rendered, 'text' | 'read'> {
	const {text, read, unresolved} = prompt
		? renderTemplate(prompt, context)
		: {text: rawDump(context.payload), read: [wholePayload], unresolved: []};
	const detail = [
		`${text.length} characters`,
		...(unresolved.length === 0 ? [] : [unresolvedWords(unresolved)]),
		`read: ${readWords(read)}${prefetch ? `; prefetch: ${prefetchWords(prefetch)}` : ''}`,
	].join(', ');
	note(draft, 'prompt', {verdict: 'pass', detail: cleanDetail(draft, detail)});
	return {text, read};
}
