import {text} from 'node:stream/consumers';
import {setImmediate as turn} from 'node:timers/promises';
import {array, assert, asyncProperty, constantFrom, nat, option, record, string} from 'fast-check';
import {afterAll, describe, expect, test} from 'vitest';
import {createEventStream} from '../../source/api/http/event-stream.ts';
import {readResponseRequest} from '../../source/api/responses/response-request.ts';
import {createResource} from '../../source/api/responses/response-shapes.ts';
import {createResponseStream} from '../../source/api/responses/response-stream.ts';
import {chatUsageOf} from '../../source/api/shapes/chat-shapes.ts';
import {apiSettings} from '../../source/config/api-settings.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {startResponseServer} from '../helpers/one-response.ts';
import {propertyRuns} from '../helpers/property-runs.ts';
import {responseEvents} from './responses-oracle.ts';

const server = await startResponseServer();

afterAll(async () => server[Symbol.asyncDispose]());

const {models} = apiSettings.read({models: {fast: {relay: true}}});

/** An answer to a request with these tools. */
async function startAnswer() {
	const {client, response} = await server.asked();
	const clock = createFakeClock(1_700_000_000_000);
	const tools = [
		{type: 'custom', name: 'patch'},
		{type: 'namespace', name: 'far', tools: [{type: 'function', name: 'look'}]},
	];
	const request = readResponseRequest({model: 'fast', input: 'x', tools}, () => models);
	const answer = createResponseStream({
		clock,
		resource: createResource(request, clock.now()),
		names: request.names,
		open: () => createEventStream(response, {clock, more: {}}),
	});
	return {answer, client, clock, response};
}

const bodyOf = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4);

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
					const {answer, client} = await startAnswer();
					const heard = text(client);
					for (const delta of deltas) {
						await answer.delta(delta);
						await (progress !== null && answer.progress({event: progress}));
					}

					await answer.finish({message: {}, finishReason, usage: chatUsageOf(1, 2)});
					const last = responseEvents(bodyOf(await heard)).at(-1)?.response;
					expect(last?.status).toBe(finishReason === 'length' ? 'incomplete' : 'completed');
					expect(last?.output).not.toEqual([]);
				},
			),
			{numRuns: propertyRuns(150)},
		);
	});

	test('are no faster than they are taken', async () => {
		const {answer, client, response} = await startAnswer();
		let isTaken = true;
		let saying = Promise.resolve();
		while (!response.writableNeedDrain) {
			isTaken = false;
			saying = Promise.resolve(answer.delta({content: 'x'.repeat(65_536)})).then(() => {
				isTaken = true;
			});
			await turn();
		}

		expect(isTaken).toBe(false);
		client.resume();
		await saying;
		client.destroy();
	});

	test('begin after five seconds, unless they were given up before', async () => {
		const waiting = await startAnswer();
		waiting.clock.advance(5000);
		expect(waiting.response.headersSent).toBe(true);
		waiting.client.destroy();

		const given = await startAnswer();
		given.answer[Symbol.dispose]();
		given.clock.advance(5000);
		expect(given.response.headersSent).toBe(false);
		given.client.destroy();
	});
});
