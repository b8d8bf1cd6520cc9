import type {Route} from '../config/route.ts';
import type {BodyRead} from '../http/read-body.ts';
import {authenticate} from './authentication.ts';
import type {CompiledRoute} from './compiled-route.ts';
import {dedupeBody} from './dedupe-body.ts';
import {dispatchEvent} from './dispatch-event.ts';
import {explainMismatch} from './filter.ts';
import {findRoute} from './find-route.ts';
import type {Named} from './find-route.ts';
import {headerOf} from './headers.ts';
import {eventTypeOf, isConnectivityCheck} from './identity.ts';
import {parseBody} from './parse-body.ts';
import type {PipelineParts} from './pipeline-parts.ts';
import {spendRate} from './rate-step.ts';
import {bodyReply, ignoredEventReply, ignoredReply, refusals} from './replies.ts';
import type {Reply} from './replies.ts';
import {transformPayload} from './script-step.ts';
import {eventHeadersFor, signedIdOf} from './sender-identity.ts';
import {rawDump, renderTemplate} from './template.ts';
import type {RenderContext} from './template.ts';
import {cleanDetail, nameVisit, note, stop} from './visit.ts';
import type {Visit} from './visit.ts';

const longestName = 256;

/** A request to `/webhooks/…`, its body unread. */
export type Knock = Named & {
	readonly method: string;
	/** Bytes, as the client declared them; `undefined` for a chunked body. */
	readonly declaredBytes: number | undefined;
	readBody(limit: number): Promise<BodyRead>;
};

/**
 * The response table from its first row: everything up to the authentication of the sender. Each row that applies ends the request.
 * Rejects only when the store cannot be asked or written.
 *
 * @see manual/receiver.md#answers, manual/receiver.md#order-of-decisions
 */
export async function receive(visit: Visit, knock: Knock, parts: PipelineParts): Promise<Reply> {
	if (parts.stopping.aborted || parts.isDraining()) {
		return stop(visit, refusals.stopping, {step: 'route', detail: 'the gateway is stopping'});
	}

	// A path that names no route has no method of its own.
	if (knock.method !== 'POST' && knock.route !== undefined) {
		return stop(visit, refusals.method, {
			step: 'route',
			detail: `${cleanDetail(visit, knock.method)} is not POST`,
		});
	}

	const found = findRoute(visit, knock, parts);
	if (found.kind === 'unknown') {
		return refusals.unknownRoute;
	}

	if (found.kind === 'slipped') {
		// Before anything is read: what cannot be checked is not taken in.
		return stop(visit, refusals.slipped, {
			step: 'route',
			detail: cleanDetail(visit, found.reason),
		});
	}

	const {route} = found;
	const {maxBodyBytes} = route;
	if (knock.declaredBytes !== undefined && knock.declaredBytes > maxBodyBytes) {
		return stop(visit, refusals.size, {
			step: 'size',
			detail: `${knock.declaredBytes} bytes declared, at most ${maxBodyBytes}`,
		});
	}

	const read = await knock.readBody(maxBodyBytes);
	if (read.kind === 'too-large') {
		return stop(visit, refusals.size, {step: 'size', detail: `more than ${maxBodyBytes} bytes`});
	}

	if (read.kind === 'cut') {
		return stop(visit, refusals.cut, {
			step: 'size',
			detail: `the connection ended after ${read.bytes} bytes`,
		});
	}

	const {body} = read;
	visit.body = body;
	note(visit, 'size', {verdict: 'pass', detail: `${body.length} of ${maxBodyBytes} bytes`});

	const refusal =
		authenticate(visit, {route, body}, parts) ??
		spendRate(visit, {route, id: parts.compile(route).id}, parts);
	return refusal ?? receiveAuthenticated(visit, {route, body}, parts);
}

/** The rest of the response table, for events whose sender is known; a replay enters here. Rejects as `receive` does. */
export async function receiveAuthenticated(
	visit: Visit,
	{route, body}: {readonly route: Route; readonly body: Buffer},
	parts: PipelineParts,
): Promise<Reply> {
	const {headers} = visit;
	visit.keepsBody = true;
	const parsed = parseBody(body, headerOf(headers, 'content-type'));
	if (!parsed.ok) {
		return stop(visit, bodyReply(parsed.error), {step: 'body', detail: parsed.error});
	}

	note(visit, 'body', {verdict: 'pass', detail: parsed.kind});

	const signedId = visit.hasFixedId ? undefined : signedIdOf(route, parsed.payload);
	if (signedId) {
		nameVisit(visit, signedId);
		visit.hasSignedId = true;
	}

	const compiled = parts.compile(route);
	const type = eventTypeOf(headers, parsed.payload, eventHeadersFor(route));
	const event = type.name;
	visit.event = cleanDetail(visit, event, longestName);
	const isWanted = compiled.events ? compiled.events.has(event) : !isConnectivityCheck(type);
	if (!isWanted) {
		return stop(visit, ignoredEventReply(route.name, event), {
			step: 'event',
			detail: cleanDetail(visit, `${event} (${type.source}) is not in events`),
		});
	}

	note(visit, 'event', {verdict: 'pass', detail: type.source});

	const mismatch = compiled.matches({payload: parsed.payload, event, headers});
	if (mismatch) {
		return stop(visit, ignoredReply('filter', visit), {
			step: 'filter',
			detail: cleanDetail(visit, explainMismatch(mismatch)),
		});
	}

	if (route.filters.length > 0) {
		note(visit, 'filter', {verdict: 'pass', detail: `${route.filters.length} matched`});
	}

	let {payload} = parsed;
	if (route.script !== undefined) {
		const rawJson = parsed.kind === 'JSON' ? body : undefined;
		const transformed = await transformPayload(
			{visit, route, script: route.script, payload, rawJson},
			parts,
		);
		if ('reply' in transformed) {
			return transformed.reply;
		}

		({payload} = transformed);
	}

	const context = {payload, event};
	const prompt = renderPrompt(visit, compiled, context);
	const extra = compiled.renderExtra(context);
	const ready = {visit, route, compiled, event, prompt, context, extra};
	return route.dedupeBody
		? dedupeBody(ready, parts, async () => dispatchEvent(ready, parts))
		: dispatchEvent(ready, parts);
}

function renderPrompt(visit: Visit, {prompt}: CompiledRoute, context: RenderContext): string {
	const {text, unresolved} = prompt
		? renderTemplate(prompt, context)
		: {text: rawDump(context.payload), unresolved: []};
	const length = `${text.length} characters`;
	const missing = unresolved.map(key => `{${key}}`).join(' ');
	note(visit, 'prompt', {
		verdict: 'pass',
		detail: missing === '' ? length : cleanDetail(visit, `${length}, unresolved: ${missing}`),
	});
	return text;
}
