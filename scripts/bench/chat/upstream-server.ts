import {createServer, type ServerResponse} from 'node:http';
import {answerBenchmark} from '../webhook/child-usage.ts';

// A model's server that costs as little as it can: an answer of 240 characters, or a stream of `max_tokens` chunks, one in each `top_p` seconds (0: all at once).

const text = 'word '.repeat(48);
const whole = JSON.stringify({
	id: 'chatcmpl-bench',
	object: 'chat.completion',
	created: 1,
	model: 'bench',
	choices: [{index: 0, message: {role: 'assistant', content: text}, finish_reason: 'stop'}],
	usage: {prompt_tokens: 10, completion_tokens: 48, total_tokens: 58},
});
const start =
	'{"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"bench",';
const word = `data: ${start}"choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}\n\n`;
const end = `data: ${start}"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;

function stream(response: ServerResponse, tokens: number, everyMs: number): void {
	let sent = 0;
	response.writeHead(200, {'content-type': 'text/event-stream'});
	if (everyMs === 0) {
		for (; sent < tokens; sent++) {
			response.write(word);
		}

		response.end(end);
		return;
	}

	const timer = setInterval(() => {
		response.write(word);
		sent += 1;
		if (sent >= tokens) {
			clearInterval(timer);
			response.end(end);
		}
	}, everyMs);
	response.on('close', () => {
		clearInterval(timer);
	});
}

const server = createServer((request, response) => {
	const chunks: Buffer[] = [];
	request.on('data', (chunk: Buffer) => chunks.push(chunk));
	request.on('end', () => {
		const body = JSON.parse(Buffer.concat(chunks).toString()) as {
			stream?: boolean;
			max_tokens: number;
			top_p: number;
		};
		if (body.stream) {
			stream(response, body.max_tokens, body.top_p * 1000);
		} else {
			response.writeHead(200, {
				'content-type': 'application/json',
				'content-length': String(whole.length),
			});
			response.end(whole);
		}
	});
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
	const address = server.address();
	answerBenchmark(typeof address === 'object' && address ? address.port : 0, async () => {
		server.closeAllConnections();
	});
});
