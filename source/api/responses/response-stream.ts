import type {JsonObject} from '../../core/json.ts';
import {openLate, type LateStream, type StreamOpening} from '../chat/late-stream.ts';
import type {EventStream} from '../http/event-stream.ts';
import {createOutput} from './response-output.ts';
import {isCut, type createResource} from './response-shapes.ts';
import type {CallableTools} from './tool-names.ts';

/** A streamed answer of named events, numbered consecutively from 0. */
export function createResponseStream({
	resource,
	names,
	...opening
}: StreamOpening & {
	readonly resource: ReturnType<typeof createResource>;
	readonly names: Pick<CallableTools, 'meant'>;
}): LateStream {
	let next = 0;
	const eventOf = (type: string, fields: JsonObject) => ({
		event: type,
		data: JSON.stringify({type, sequence_number: next++, ...fields}),
	});
	const now = resource({status: 'in_progress'});
	const inProgress = (more: JsonObject = {}) =>
		eventOf('response.in_progress', {response: now, ...more});

	/** Writes that are not finished. */
	let sent: Array<Promise<void>> = [];
	const {hasBegun, begin, cancel} = openLate(opening, stream => {
		stream.keepAlive(inProgress);
		send(stream, eventOf('response.created', {response: now}));
		send(stream, inProgress());
	});
	const send = (stream: EventStream, {event, data}: ReturnType<typeof eventOf>) => {
		const wait = stream.send(data, event);
		if (wait) {
			sent.push(wait);
		}
	};
	const taken = async () => {
		const waiting = sent;
		sent = [];
		await Promise.all(waiting);
	};
	const output = createOutput(names, (type, fields) => send(begin(), eventOf(type, fields)));
	const last = async (type: string, response: JsonObject) => {
		const stream = begin();
		send(stream, eventOf(type, {response}));
		await taken();
		stream.end();
	};

	return {
		get hasBegun() {
			return hasBegun();
		},
		async delta(said) {
			output.add(said);
			await taken();
		},
		async progress(svc) {
			send(begin(), inProgress({svc}));
			await taken();
		},
		async finish({finishReason: reason, usage}) {
			const items = output.end(reason);
			const at = opening.clock.now();
			const response = resource({status: 'ended', reason, output: items, usage, at});
			await last(isCut(reason) ? 'response.incomplete' : 'response.completed', response);
		},
		async fail({body: error}) {
			await last('response.failed', resource({status: 'failed', error, output: output.done()}));
		},
		[Symbol.dispose]: cancel,
	};
}
