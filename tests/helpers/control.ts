import {once} from 'node:events';
import {request, type IncomingMessage} from 'node:http';
import {readEventStream} from '../../source/gateway/control/event-stream.ts';

export type ControlAnswer = {
	readonly status: number;
	// oxlint-disable-next-line typescript/no-explicit-any -- tests read it by path
	readonly json: any;
};

/** One raw request to the control socket: what any HTTP client would send. */
export async function control(
	socketPath: string,
	path: string,
	{method = 'GET', body}: {readonly method?: string; readonly body?: string} = {},
): Promise<ControlAnswer> {
	const response = await open(socketPath, path, {method, ...(body !== undefined && {body})});
	const chunks: Buffer[] = [];
	for await (const chunk of response) {
		chunks.push(chunk as Buffer);
	}

	return {
		status: response.statusCode ?? 0,
		json: JSON.parse(Buffer.concat(chunks).toString('utf8')),
	};
}

async function open(
	socketPath: string,
	path: string,
	{method, body}: {readonly method: string; readonly body?: string},
): Promise<IncomingMessage> {
	const outgoing = request({socketPath, path, method, agent: false});
	outgoing.end(body);
	const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
	return response;
}

/** The event stream as pairs of name and value, as they come. */
export async function* followEvents(
	socketPath: string,
): AsyncGenerator<readonly [string, unknown]> {
	const response = await open(socketPath, '/v1/events', {method: 'GET'});
	try {
		for await (const message of readEventStream(response)) {
			if ('unreadable' in message) {
				throw new Error(`The event stream cannot be read: ${message.unreadable}`);
			}

			yield [message.name, message.value];
		}
	} finally {
		response.destroy();
	}
}
