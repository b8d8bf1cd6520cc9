import type {ServerResponse} from 'node:http';
import type {JSONRPCMessage} from '@modelcontextprotocol/client';
import {expect, test} from 'vitest';
import {until} from '../../helpers/processes.ts';
import {remoteServer, startHttp} from '../servers/http-server.ts';
import {openTransports} from './open-transports.ts';

/** An SSE server that names the place for messages, and never answers what is posted there. */
async function startDeaf() {
	const streams: ServerResponse[] = [];
	let waiting = 0;
	const server = await startHttp((request, response) => {
		if (request.method === 'GET') {
			streams.push(response.writeHead(200, {'content-type': 'text/event-stream'}));
			response.write('event: endpoint\ndata: /messages\n\n');
			return;
		}

		waiting += 1;
		response.once('close', () => {
			waiting -= 1;
		});
	});
	return Object.assign(server, {
		/** Posts that have no answer. */
		waiting: () => waiting,
		end() {
			for (const stream of streams) {
				stream.end();
			}
		},
	});
}

const request = (id: number): JSONRPCMessage => ({jsonrpc: '2.0', id, method: 'tools/call'});

test('a call that is withdrawn lets its connection go, and has no answer when the stream is lost', async () => {
	await using transports = await openTransports();
	await using server = await startDeaf();
	await using opened = await transports.open(remoteServer(server.url, {transport: 'sse'}));
	const {transport} = opened;
	const answers: unknown[] = [];
	Object.assign(transport, {
		onmessage(message: JSONRPCMessage) {
			answers.push('id' in message ? message.id : message);
		},
	});
	await transport.start();
	const first = transport.send(request(1)).catch(() => {});
	void transport.send(request(2)).catch(() => {});
	await until(() => server.waiting() === 2);
	void transport
		.send({jsonrpc: '2.0', method: 'notifications/cancelled', params: {requestId: 1}})
		.catch(() => {});
	await first;
	// The second call, and the notification.
	await until(() => server.waiting() === 2);
	server.end();
	await until(() => opened.losses() > 0);

	expect(answers).toEqual([2]);
});
