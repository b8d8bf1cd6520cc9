import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {listen} from '../../../http/listen.ts';
import {readBody} from '../../../http/read-body.ts';

/** An answer to a request; `undefined` after it was answered otherwise. */
export type Reply = {
	readonly status: number;
	/** JSON of it, unless it is text, which is a page. */
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
};

export type Asked = {
	readonly method: string;
	readonly url: URL;
	readonly headers: IncomingMessage['headers'];
	readonly body: string;
};

/** Nobody of the demo sends more; others of this machine might. */
const maxBodyBytes = 2 ** 20;

/** A server of the demo on a free port of this machine; requests that `answer` throws at get 500. */
export async function serve(
	answer: (asked: Asked, gone: AbortSignal) => Reply | Promise<Reply>,
): Promise<AsyncDisposable & {readonly origin: string}> {
	const server = createServer((request, response) => {
		const gone = new AbortController();
		response.once('close', () => {
			gone.abort();
		});
		void (async () => {
			try {
				const {method = '', url = '/', headers} = request;
				const read = await readBody(request, maxBodyBytes);
				if (read.kind !== 'whole') {
					send(response, {status: 413, headers: {connection: 'close'}});
					return;
				}

				const body = read.body.toString();
				const asked = {method, url: new URL(url, 'http://127.0.0.1'), headers, body};
				send(response, await answer(asked, gone.signal));
			} catch {
				send(response, {status: 500});
			}
		})();
	});
	const origin = await listen(server, {host: '127.0.0.1', port: 0}, 'the demo');
	return {
		origin: new URL(origin).origin,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise<void>(resolve => {
				server.close(() => {
					resolve();
				});
			});
		},
	};
}

function send(response: ServerResponse, {status, body, headers = {}}: Reply): void {
	if (response.destroyed || response.headersSent) {
		return;
	}

	const isPage = typeof body === 'string';
	response.writeHead(status, {
		...(body !== undefined && {
			'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json',
		}),
		...headers,
	});
	response.end(isPage || body === undefined ? body : JSON.stringify(body));
}
