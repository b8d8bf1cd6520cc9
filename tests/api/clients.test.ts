import {spawn} from 'node:child_process';
import {createOpenAI} from '@ai-sdk/openai';
import {createOpenAICompatible} from '@ai-sdk/openai-compatible';
import {
	APICallError,
	generateText,
	jsonSchema,
	streamText,
	type LanguageModel,
	type ToolSet,
} from 'ai';
import {describe, expect, test} from 'vitest';
import {answerWithCity} from '../helpers/city-model.ts';
import {need} from '../helpers/need.ts';
import {startRelay} from '../helpers/relay.ts';

const clients: ReadonlyArray<
	readonly [name: string, make: (baseURL: string, apiKey: string) => Exclude<LanguageModel, string>]
> = [
	['@ai-sdk/openai', (baseURL, apiKey) => createOpenAI({baseURL, apiKey}).chat('fast')],
	[
		'@ai-sdk/openai-compatible',
		(baseURL, apiKey) =>
			createOpenAICompatible({name: 'svc', baseURL, apiKey, includeUsage: true}).chatModel('fast'),
	],
];

const tools = {
	look: {
		inputSchema: jsonSchema({type: 'object', properties: {at: {type: 'string'}}}),
	},
} as ToolSet;

describe.for(clients)('%s', ([, make]) => {
	test('gets texts, calls of tools and errors, in one piece and as a stream', async () => {
		await using relay = await startRelay(answerWithCity);
		const model = make(`${relay.api.url}/v1`, relay.api.key);
		const whole = await generateText({model, prompt: 'Where?', maxOutputTokens: 50});
		expect(whole.text).toBe('Paris');
		expect(whole.usage).toMatchObject({inputTokens: 11, outputTokens: 7});
		const called = await generateText({model, prompt: 'Where?', tools});
		expect(called.toolCalls).toMatchObject([{toolName: 'look', input: {at: 'x'}}]);

		const stream = streamText({model, prompt: 'Where?'});
		expect(await stream.text).toBe('Paris');
		expect(await stream.finishReason).toBe('stop');
		expect(await stream.usage).toMatchObject({inputTokens: 11, outputTokens: 7});
		const streamed = streamText({model, prompt: 'Where?', tools});
		expect(await streamed.toolCalls).toMatchObject([{toolName: 'look', input: {at: 'x'}}]);

		const failing = generateText({model, prompt: 'fail', maxRetries: 0});
		const error: unknown = await failing.then(
			() => undefined,
			(reason: unknown) => reason,
		);
		expect(APICallError.isInstance(error) ? [error.statusCode, error.message] : error).toEqual([
			400,
			"Cannot serve the request: the model's server refused it with 400: No",
		]);
	});
});

const python = `
import http.client, json, sys, urllib.parse
url, key = sys.argv[1:]
connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=30)
headers = {"Authorization": "Bearer " + key, "Content-Type": "application/json"}

def ask(**more):
    body = {"model": "fast", "messages": [{"role": "user", "content": "Where?"}], **more}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
    return connection.getresponse()

whole = json.load(ask())["choices"][0]["message"]["content"]
streamed = ""
answer = ask(stream=True)
for line in answer:
    line = line.decode().strip()
    if line.startswith("data: {"):
        for choice in json.loads(line[6:])["choices"]:
            streamed += choice["delta"].get("content") or ""
wrong = ask(n=2)
error = json.load(wrong)["error"]
connection.close()
print(json.dumps([whole, streamed, wrong.status, error["param"]]))
`;

test("Python's own HTTP client reads both on one connection", async context => {
	need('python3', context);
	await using relay = await startRelay(answerWithCity);
	const child = spawn('python3', ['-c', python, relay.api.url, relay.api.key], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	let said = '';
	for await (const part of child.stdout) {
		said += String(part);
	}

	expect(JSON.parse(said)).toEqual(['Paris', 'Paris', 400, 'n']);
});
