import {once} from 'node:events';
import {createServer, type ServerResponse} from 'node:http';
import {connect, type Socket} from 'node:net';

/** A server on 127.0.0.1, port 0, whose requests a test answers itself. */
export type ResponseServer = AsyncDisposable & {
	/** A client that has asked and reads nothing until it is listened to, and the place for its answer. */
	asked(): Promise<{readonly client: Socket; readonly response: ServerResponse}>;
};

export async function startResponseServer(): Promise<ResponseServer> {
	const server = createServer();
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		async asked() {
			const address = server.address();
			const client = connect(
				typeof address === 'object' && address ? address.port : 0,
				'127.0.0.1',
			);
			client.on('error', () => {});
			// An answer of this version is not cut into chunks.
			client.write('GET / HTTP/1.0\r\n\r\n');
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the event has
			const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
			response.on('error', () => {});
			return {client, response};
		},
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			server.close();
		},
	};
}
