import {array, assert, asyncProperty, constantFrom, nat, option, record, string} from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {EventStream} from '../../source/api/http/event-stream.ts';
import {createEventStream} from '../../source/api/http/event-stream.ts';
import {readResponseRequest} from '../../source/api/responses/response-request.ts';
import {createResource} from '../../source/api/responses/response-shapes.ts';
import {createResponseStream} from '../../source/api/responses/response-stream.ts';
import {usageOf} from '../../source/api/shapes/chat-shapes.ts';
import {apiSettings} from '../../source/config/api-settings.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {responseEvents} from './responses-oracle.ts';

const {models} = apiSettings.read({models: {fast: {relay: true}}});

/** An answer to a request with these tools, into a stream whose reader takes an event when `taken` says so. */
function startAnswer(taken: () => Promise<void> = async () => {}) {
	const clock = createFakeClock(1_700_000_000_000);
	const tools = [
		{type: 'custom', name: 'patch'},
		{type: 'namespace', name: 'far', tools: [{type: 'function', name: 'look'}]},
	];
	const request = readResponseRequest({model: 'fast', input: 'x', tools}, () => models);
	let text = '';
	const stream: EventStream = {
		async send(data, event = '') {
			text += `event: ${event}\ndata: ${data}\n\n`;
			await taken();
		},
		keepAlive() {},
		end() {},
	};
	const answer = createResponseStream({
		clock,
		resource: createResource(request, clock.now()),
		names: request.names,
		open: () => stream,
	});
	return {answer, text: () => text};
}

const words = constantFrom('', 'a', 'Zürich 🏔', '"\n', '{"input":"x"}');

const said = record(
	{
		content: words,
		refusal: words,
		reasoning_content: words,
		tool_calls: array(
			record(
				{
					index: nat(3),
					function: record(
						{name: constantFrom('patch', 'far__look', 'other'), arguments: words},
						{requiredKeys: []},
					),
				},
				{requiredKeys: ['index']},
			),
			{maxLength: 3},
		),
	},
	{requiredKeys: []},
);

describe('the events of a response', () => {
	test('add up to its end, in whatever order a server says things', async () => {
		await assert(
			asyncProperty(
				array(said, {maxLength: 12}),
				constantFrom('stop', 'length', 'tool_calls'),
				option(string()),
				async (deltas, finishReason, progress) => {
					const {answer, text} = startAnswer();
					for (const delta of deltas) {
						await answer.delta(delta);
						await (progress !== null && answer.progress({event: progress}));
					}

					await answer.finish({message: {}, finishReason, usage: usageOf(1, 2)});
					const last = responseEvents(text()).at(-1)?.response;
					expect(last?.status).toBe(finishReason === 'length' ? 'incomplete' : 'completed');
					expect(last?.output).not.toEqual([]);
				},
			),
			{numRuns: 150},
		);
	});

	test('are no faster than they are taken', async () => {
		const {promise, resolve} = Promise.withResolvers<void>();
		const {answer} = startAnswer(async () => promise);
		let isTaken = false;
		const saying = answer.delta({content: 'a'}).then(() => {
			isTaken = true;
		});
		await new Promise(setImmediate);
		expect(isTaken).toBe(false);
		resolve();
		await saying;
	});

	test('have no gap in their numbers when a slow reader hears nothing meanwhile', () => {
		const clock = createFakeClock(0);
		const response = {
			writableNeedDrain: true,
			on() {},
			once() {},
			writeHead() {},
			flushHeaders() {},
			write: () => true,
		};
		const stream = createEventStream(
			response as unknown as Parameters<typeof createEventStream>[0],
			{clock, more: {}},
		);
		let asked = 0;
		stream.keepAlive(() => ({data: String(asked++)}));
		clock.advance(5000);
		expect(asked).toBe(0);
		response.writableNeedDrain = false;
		clock.advance(5000);
		expect(asked).toBe(1);
	});
});
