import {createServer} from 'node:http';
import {answerBenchmark} from './child-usage.ts';

// What any Node server has to do: read the body, answer. The other figures are shares of this one's.

const answer = JSON.stringify({status: 'accepted'});

const server = createServer((request, response) => {
	const chunks: Buffer[] = [];
	request.on('data', (chunk: Buffer) => chunks.push(chunk));
	request.on('end', () => {
		response.writeHead(202, [
			'Content-Type',
			'application/json; charset=utf-8',
			'Content-Length',
			String(answer.length),
		]);
		response.end(answer);
	});
});
server.listen(0, '127.0.0.1', () => {
	const address = server.address();
	answerBenchmark(typeof address === 'object' && address ? address.port : 0, async () => {
		server.closeAllConnections();
	});
});
