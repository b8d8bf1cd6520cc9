import type {IncomingMessage} from 'node:http';
import type {Clock} from '../core/clock.ts';
import {sendAnswer, sendAnswerAndLinger} from '../http/http-answer.ts';
import type {HttpAnswer} from '../http/http-answer.ts';
import type {HttpPair} from '../http/http-server.ts';
import {createOutbox} from '../http/outbox.ts';
import {declaredSize, readBody} from '../http/read-body.ts';
import {mayReadMetrics} from './metrics-peer.ts';
import type {Pipeline} from './pipeline.ts';
import type {Knock} from './receive.ts';
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
	readonly renderMetrics: () => string;
	/** `metrics.host`. */
	readonly metricsHost: () => string;
};

/** Between HTTP and the response table: paths and methods in, status and headers out. @see Interface 4.2 */
export function createExchange({
	clock,
	pipeline,
	isDraining,
	renderMetrics,
	metricsHost,
}: ExchangeDependencies): Exchange {
	const outbox = createOutbox();
	const answer = async (pair: HttpPair): Promise<HttpAnswer> => {
		const {request} = pair;
		const path = parseRequestPath(request.url ?? '');
		if (path.kind === 'webhook') {
			return answerOf(await pipeline.post(knockOf(pair, path), request.headers));
		}

		if (path.kind === 'metrics' && !mayReadMetrics(request, metricsHost())) {
			return answerOf(refusals.unknownRoute);
		}

		if (request.method !== 'GET' && request.method !== 'HEAD') {
			return {...answerOf(refusals.method), allow: 'GET, HEAD'};
		}

		return path.kind === 'metrics' ? metricsAnswer(renderMetrics()) : healthAnswer(isDraining());
	};

	const send = (pair: HttpPair, complete: HttpAnswer) => {
		const {request, response, awaitsContinue} = pair;
		const isUnread = hasUnreadBody(request);
		// Who waits for "100 Continue" and is refused sends nothing.
		if (isUnread && !awaitsContinue) {
			sendAnswerAndLinger({request, response, clock}, complete);
		} else {
			sendAnswer(response, isUnread || isDraining() ? {...complete, close: true} : complete);
		}
	};

	return {
		async handle(pair) {
			// A connection that breaks ends the reading of the body; there is nobody left to tell.
			pair.request.on('error', ignore);
			pair.response.on('error', ignore);
			outbox.open();
			const complete = await answer(pair);
			outbox.send(() => {
				send(pair, complete);
			});
		},
	};
}

const ignore = () => {};

function knockOf(pair: HttpPair, {profile, route}: WebhookPath): Knock {
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

/** Whether the client may still be sending. */
const hasUnreadBody = ({complete, headers}: IncomingMessage): boolean =>
	!complete &&
	(headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0');

const answerOf = ({status, body, retryAfterSeconds}: Reply): HttpAnswer => ({
	status,
	body,
	close: false,
	...(retryAfterSeconds !== undefined && {retryAfterSeconds}),
	...(status === refusals.method.status && {allow: 'POST'}),
});

const metricsAnswer = (body: string): HttpAnswer => ({
	status: 200,
	body,
	contentType: 'text/plain; version=0.0.4; charset=utf-8',
	close: false,
});

/** While the gateway drains, a balancer should send its requests elsewhere. */
const healthAnswer = (draining: boolean): HttpAnswer => ({
	status: draining ? 503 : 200,
	body: JSON.stringify({status: draining ? 'stopping' : 'ok', platform: 'webhook'}),
	close: false,
	...(draining && {retryAfterSeconds: refusals.stopping.retryAfterSeconds}),
});
