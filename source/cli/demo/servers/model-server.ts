import {randomUUID} from 'node:crypto';
import {z} from 'zod';
import {type Clock, sleep} from '../../../core/clock.ts';
import type {JsonObject} from '../../../core/json.ts';
import {type ModelAnswer, nextAnswer} from './model-answers.ts';
import {serve} from './serve.ts';
import world from './world.json' with {type: 'json'};

const thinkMs = 1300;
const slowMs = 14_000;

const requestShape = z.looseObject({
	messages: z.array(z.looseObject({role: z.string(), content: z.json().optional()})),
});

const modelName = world.config.model.name;

/**
 * A language model on this machine that knows a few answers by heart, behind the API that others speak, too. `isHurried`: it does not seem to think.
 */
export async function startModelServer({
	clock,
	isHurried,
}: {
	readonly clock: Clock;
	readonly isHurried: () => boolean;
}): Promise<AsyncDisposable & {readonly baseUrl: string}> {
	const server = await serve(async ({method, url, body}, gone) => {
		if (method === 'GET') {
			return {status: 200, body: {object: 'list', data: [{id: modelName, object: 'model'}]}};
		}

		if (url.pathname !== '/v1/chat/completions') {
			return {status: 404};
		}

		const {messages} = requestShape.parse(JSON.parse(body));
		const prompt = messages.find(({role}) => role === 'user')?.content;
		const answer = nextAnswer(
			typeof prompt === 'string' ? prompt : JSON.stringify(prompt),
			messages.filter(({role}) => role === 'tool').length,
		);
		if (!isHurried()) {
			await sleep(clock, 'slowly' in answer ? slowMs : thinkMs, gone);
		}

		return 'refusal' in answer
			? {status: 400, body: {error: {message: answer.refusal, type: 'insufficient_quota'}}}
			: {status: 200, body: completion(answer, body.length)};
	});
	return {
		baseUrl: `${server.origin}/v1`,
		[Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
	};
}

/** Some characters are a token. */
const charactersPerToken = 4;

function completion(
	answer: Exclude<ModelAnswer, {readonly refusal: string}>,
	askedLength: number,
): JsonObject {
	const asked = Math.ceil(askedLength / charactersPerToken);
	const said = Math.ceil(JSON.stringify(answer).length / charactersPerToken);
	const message: JsonObject =
		'text' in answer
			? {content: answer.text}
			: {
					content: null,
					tool_calls: [
						{
							id: `call_${randomUUID()}`,
							type: 'function',
							function: {name: answer.tool, arguments: JSON.stringify(answer.args)},
						},
					],
				};
	return {
		id: `chatcmpl-${randomUUID()}`,
		object: 'chat.completion',
		created: 0,
		model: modelName,
		choices: [
			{
				index: 0,
				message: {role: 'assistant', ...message},
				finish_reason: 'text' in answer ? 'stop' : 'tool_calls',
			},
		],
		usage: {prompt_tokens: asked, completion_tokens: said, total_tokens: asked + said},
	};
}
