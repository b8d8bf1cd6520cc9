import type {RouteTable} from '../config/config.ts';
import type {Route} from '../config/route.ts';
import type {JsonValue} from '../core/json.ts';
import {cell} from '../core/untrusted.ts';
import {acceptRun} from './accept-run.ts';
import type {CompiledRoute} from './compiled-route.ts';
import {dedupeBody} from './dedupe-body.ts';
import {deliverDirectly} from './direct-delivery.ts';
import {explainMismatch} from './filter.ts';
import {headerOf} from './headers.ts';
import {deliveryIdOf, eventTypeOf, isConnectivityCheck} from './identity.ts';
import {parseBody} from './parse-body.ts';
import type {PipelineParts} from './pipeline-parts.ts';
import type {BodyRead} from './read-body.ts';
import {bodyReply, ignoredEventReply, ignoredReply, rateReply, refusals} from './replies.ts';
import type {Reply} from './replies.ts';
import {transformPayload} from './script-step.ts';
import type {SignatureVerdict} from './signature-check.ts';
import {verifySignature} from './signature.ts';
import {rawDump, renderExtra, renderTemplate} from './template.ts';
import {cleanDetail, note, stop} from './visit.ts';
import type {Visit} from './visit.ts';

/** A request to `/webhooks/…`, its body unread. */
export type Knock = {
	readonly method: string;
	/** Decoded; `undefined` when the path names no route. */
	readonly route: string | undefined;
	readonly path: string;
	/** Bytes, as the client declared them; `undefined` for a chunked body. */
	readonly declaredBytes: number | undefined;
	readBody(limit: number): Promise<BodyRead>;
};

/**
 * The response table from its first row: everything up to the authentication of the sender. Each row that applies ends the request.
 * Rejects only when the store cannot be asked or written.
 *
 * @see Interface 4.2, Decisions 3
 */
export async function receive(visit: Visit, knock: Knock, parts: PipelineParts): Promise<Reply> {
	if (parts.stopping.aborted || parts.isDraining()) {
		return stop(visit, refusals.stopping, {step: 'route', detail: 'the gateway is stopping'});
	}

	if (knock.method !== 'POST') {
		return stop(visit, refusals.method, {
			step: 'route',
			detail: `${cleanDetail(visit, knock.method)} is not POST`,
		});
	}

	const route = findRoute(visit, knock, parts.routes());
	if (!route) {
		return refusals.unknownRoute;
	}

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

	if (route.insecure && parts.isLoopback) {
		note(visit, 'signature', {verdict: 'skip', detail: 'INSECURE_NO_AUTH'});
	} else {
		const signature = authenticate(visit, {route, body}, parts);
		if (!signature.ok) {
			return stop(visit, refusals.signature, {step: 'signature', detail: signature.detail});
		}

		note(visit, 'signature', {verdict: 'pass', detail: signature.detail});
		if (signature.signedIdHeader !== undefined) {
			const {deliveryId, idSource} = deliveryIdOf(visit.headers, [signature.signedIdHeader]);
			visit.deliveryId = deliveryId;
			visit.idSource = idSource;
		}
	}

	const rate = parts.rates.take(route.name, route.rateLimit);
	const usage = `${rate.count} of ${route.rateLimit} in this minute`;
	if (!rate.ok) {
		return stop(visit, rateReply(rate.retryAfterSeconds), {step: 'rate', detail: usage});
	}

	note(visit, 'rate', {verdict: 'pass', detail: usage});
	return receiveAuthenticated(visit, {route, body}, parts);
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

	const compiled = parts.compile(route);
	const type = eventTypeOf(headers, parsed.payload);
	const event = type.name;
	const name = cell(event, 256);
	visit.event = name.text;
	visit.flags += name.flags;
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

	const transformed = await transformPayload(
		{visit, route, payload: parsed.payload, rawJson: parsed.kind === 'JSON' ? body : undefined},
		parts,
	);
	if ('reply' in transformed) {
		return transformed.reply;
	}

	const context = {payload: transformed.payload, event};
	const prompt = renderPrompt(visit, compiled, context);
	const ready = {visit, route, event, prompt, extra: renderExtra(route.deliverExtra, context)};
	return dedupeBody(ready, parts, async () =>
		route.deliverOnly ? deliverDirectly(ready, parts) : acceptRun(ready, parts),
	);
}

/** Routes that are bound to another profile are not in the table. @see Interface 5.2 */
function findRoute(visit: Visit, knock: Knock, table: RouteTable): Route | undefined {
	const route = knock.route === undefined ? undefined : table.routes.get(knock.route);
	if (!route) {
		// A query may hold a secret, and names nothing.
		visit.route = cell(knock.route ?? knock.path.replace(/\?.*/, ''), 64).text;
		note(visit, 'route', {verdict: 'stop', detail: 'no such route'});
		return undefined;
	}

	visit.route = route.name;
	visit.profile = route.profile;
	visit.isKnownRoute = true;
	note(visit, 'route', {verdict: 'pass', detail: route.source});
	return route;
}

function authenticate(
	visit: Visit,
	{route, body}: {readonly route: Route; readonly body: Buffer},
	{clock, warnOnce}: PipelineParts,
): SignatureVerdict {
	const request = {headers: visit.headers, body};
	const verdict = verifySignature(route, request, clock.now());
	if (verdict.ok && verdict.scheme === 'v1') {
		warnOnce(
			route.name,
			`Route "${route.name}" is signed with X-Webhook-Signature (V1), which has no replay protection and is deprecated: use X-Webhook-Signature-V2`,
		);
	}

	return verdict;
}

function renderPrompt(
	visit: Visit,
	{prompt}: CompiledRoute,
	context: {readonly payload: JsonValue; readonly event: string},
): string {
	const {text, unresolved} = prompt
		? renderTemplate(prompt, context)
		: {text: rawDump(context.payload), unresolved: []};
	const missing =
		unresolved.length === 0 ? '' : `, unresolved: ${unresolved.map(key => `{${key}}`).join(' ')}`;
	note(visit, 'prompt', {
		verdict: 'pass',
		detail: cleanDetail(visit, `${text.length} characters${missing}`),
	});
	return text;
}
