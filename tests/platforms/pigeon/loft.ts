import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';

/** What the loft does with one request. `breaks`: the message arrives, and the connection ends without an answer; `hangs`: it arrives, and no answer comes. */
export type Reaction =
	| 'takes'
	| 'breaks'
	| 'hangs'
	| {
			readonly status: number;
			readonly headers?: Readonly<Record<string, string>>;
			readonly body?: string;
	  };

export type Carried = {readonly text: string; readonly key: string};

/** A server that answers requests in turn as `reactions` say, and takes what comes after those. What comes twice under one key has arrived once. */
export async function openLoft(...reactions: readonly Reaction[]) {
	const requests: Carried[] = [];
	const arrived = new Map<string, string>();
	const came = new Map<number, PromiseWithResolvers<void>>();
	const cameNth = (nth: number) => {
		const waiting = came.get(nth) ?? Promise.withResolvers<void>();
		came.set(nth, waiting);
		return waiting;
	};
	const answer = async (request: IncomingMessage, response: ServerResponse) => {
		const carried: Carried = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString());
		const reaction = reactions[requests.length] ?? 'takes';
		requests.push(carried);
		if (typeof reaction === 'string') {
			arrived.set(carried.key, arrived.get(carried.key) ?? carried.text);
		}

		if (reaction === 'takes') {
			response.end('{"ok":true}');
		} else if (reaction === 'breaks') {
			request.socket.destroy();
		} else if (reaction !== 'hangs') {
			response.writeHead(reaction.status, reaction.headers).end(reaction.body);
		}

		cameNth(requests.length).resolve();
	};
	const server = createServer((request, response) => {
		void answer(request, response);
	});
	await new Promise<void>(resolve => {
		server.listen(0, '127.0.0.1', resolve);
	});
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
	const {port} = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		requests,
		/** The texts, in the order in which they came first. */
		get arrived() {
			return [...arrived.values()];
		},
		/** Resolves once the request with that number (from 1) has come. */
		came: async (nth: number) => cameNth(nth).promise,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise(resolve => {
				server.close(resolve);
			});
		},
	};
}
