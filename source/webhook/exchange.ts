import type {Clock} from '../core/clock.ts';
import {respond} from '../http/http-answer.ts';
import type {HttpAnswer, HttpPair} from '../http/http-answer.ts';
import {createOutbox} from '../http/outbox.ts';
import {declaredSize, readBody} from '../http/read-body.ts';
import {requestTargetOf} from '../http/request-target.ts';
import {metricsReader} from './metrics-reader.ts';
import type {Pipeline} from './pipeline.ts';
import type {WebhookRequest} from './receive.ts';
import {refusals} from './replies.ts';
import type {Reply} from './replies.ts';
import {parseRequestPath} from './request-path.ts';
import type {WebhookPath} from './request-path.ts';

export type Exchange = {
	/** Answers one request; never rejects. */
	handle(pair: HttpPair): Promise<void>;
};

type ExchangeDependencies = {
	readonly clock: Clock;
	readonly pipeline: Pipeline;
	readonly isDraining: () => boolean;
	readonly renderMetrics: () => Promise<string>;
	/** Whether nothing can be accepted now, and another gateway on the same store may do better. */
	readonly isUnavailable: () => boolean;
	/** `metrics.host`. */
	readonly metricsHost: () => string | undefined;
};

/** Between HTTP and the response table: paths and methods in, status and headers out. @see manual/receiver.md#answers */
export function createExchange({
	clock,
	pipeline,
	isDraining,
	isUnavailable,
	renderMetrics,
	metricsHost,
}: ExchangeDependencies): Exchange {
	const outbox = createOutbox();
	const answer = async (pair: HttpPair): Promise<HttpAnswer> => {
		const {request} = pair;
		const target = requestTargetOf(request);
		const path = parseRequestPath(target.path);
		if (path.kind === 'webhook') {
			return answerOf(await pipeline.post(webhookRequestOf(pair, path), request.headers));
		}

		if (path.kind === 'metrics') {
			const reader = metricsReader(request, target, metricsHost());
			if (reader !== 'allowed') {
				return answerOf(reader === 'misled' ? refusals.host : refusals.unknownRoute);
			}
		}

		if (request.method !== 'GET' && request.method !== 'HEAD') {
			return {...answerOf(refusals.method), allow: 'GET, HEAD'};
		}

		return path.kind === 'metrics'
			? metricsAnswer(await renderMetrics())
			: healthAnswer(isDraining() ? 'stopping' : isUnavailable() ? 'unavailable' : 'ok');
	};

	return {
		async handle(pair) {
			// A connection that breaks ends the reading of the body; there is nobody left to tell.
			pair.request.on('error', ignore);
			pair.response.on('error', ignore);
			outbox.open();
			const complete = await answer(pair);
			outbox.send(() => {
				respond(pair, isDraining() ? {...complete, close: true} : complete, clock);
			});
		},
	};
}

const ignore = () => {};

function webhookRequestOf(pair: HttpPair, {profile, route}: WebhookPath): WebhookRequest {
	const {request, response} = pair;
	return {
		method: request.method ?? '',
		profile,
		route,
		path: request.url ?? '',
		declaredBytes: declaredSize(request),
		async readBody(limit: number) {
			if (pair.awaitsContinue) {
				pair.awaitsContinue = false;
				response.writeContinue();
			}

			return readBody(request, limit);
		},
	};
}

const answerOf = ({status, body, contentType, retryAfterSeconds, headers}: Reply): HttpAnswer => ({
	status,
	body,
	close: false,
	...(contentType !== undefined && {contentType}),
	...(headers && {headers}),
	...(retryAfterSeconds !== undefined && {retryAfterSeconds}),
	...(status === refusals.method.status && {allow: 'POST'}),
});

const metricsAnswer = (body: string): HttpAnswer => ({
	status: 200,
	body,
	contentType: 'text/plain; version=0.0.4; charset=utf-8',
	close: false,
});

/** While the gateway drains, or its store is away, a balancer should send its requests elsewhere. */
const healthAnswer = (status: 'ok' | 'stopping' | 'unavailable'): HttpAnswer => ({
	status: status === 'ok' ? 200 : 503,
	body: JSON.stringify({status, platform: 'webhook'}),
	close: false,
	...(status !== 'ok' && {retryAfterSeconds: refusals.stopping.retryAfterSeconds}),
});
