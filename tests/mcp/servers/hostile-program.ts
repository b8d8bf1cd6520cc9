/**
 * A hostile tool server, see `hostile-peer.ts`. Arguments: how it is reached, `stdio`, `json`, `stream` or `sse`; how it lists its tools. All but `stdio` print the port.
 */
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {flushCompileCache} from 'node:module';
import type {AddressInfo} from 'node:net';
import {createInterface} from 'node:readline';
import type {Writable} from 'node:stream';
import {behave, type Victim} from './hostile-peer.ts';

const [way = 'stdio', manner = 'plain'] = process.argv.slice(2);

/** Writes no faster than it is read. */
const write = async (stream: Writable, bytes: string | Buffer): Promise<boolean> =>
	new Promise(resolve => {
		if (stream.destroyed) {
			resolve(false);
			return;
		}

		const gone = () => {
			resolve(false);
		};

		stream.once('close', gone);
		stream.write(bytes, error => {
			stream.off('close', gone);
			resolve(!error);
		});
	});

const victimAt = (stream: Writable, frame: (json: string) => string): Victim => ({
	say: async json => write(stream, frame(json)),
	raw: async bytes => write(stream, bytes),
});

const eventFrame = (json: string) => `event: message\ndata: ${json}\n\n`;

/** The standing stream of the old transport. */
let standing: ServerResponse | undefined;

const answerPost = async (request: IncomingMessage, response: ServerResponse) => {
	const message = JSON.parse((await request.toArray()).join('')) as {
		readonly id?: number;
		readonly method?: string;
	};
	if (way === 'sse' && standing) {
		response.writeHead(202).end();
		await behave(message, victimAt(standing, eventFrame), manner);
		return;
	}

	if (message.id === undefined || message.method === undefined) {
		response.writeHead(202).end();
		await behave(message, victimAt(response, eventFrame), manner);
		return;
	}

	const isJson = way === 'json';
	response.writeHead(200, {'content-type': isJson ? 'application/json' : 'text/event-stream'});
	let isAnswered = false;
	const victim = victimAt(response, json => {
		isAnswered ||= json.includes(`"id":${JSON.stringify(message.id)}`);
		return isJson ? json : eventFrame(json);
	});
	await behave(message, victim, manner);
	if (isAnswered) {
		response.end();
	}
};

const answerGet = (response: ServerResponse) => {
	if (way === 'sse') {
		standing = response;
		response.writeHead(200, {'content-type': 'text/event-stream'});
		response.write('event: endpoint\ndata: /message\n\n');
	} else {
		response.writeHead(405).end();
	}
};

if (way === 'stdio') {
	process.stdout.on('error', () => {});
	const victim = victimAt(process.stdout, json => `${json}\n`);
	createInterface({input: process.stdin}).on('line', line => {
		void behave(JSON.parse(line), victim, manner);
	});
} else {
	// Whoever started it may have been killed.
	process.stdin.once('end', () => process.exit()).resume();
	const server = createServer((request, response) => {
		response.on('error', () => {});
		if (request.method === 'POST') {
			void answerPost(request, response);
		} else {
			answerGet(response);
		}
	});
	server.listen(0, '127.0.0.1', () => {
		process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
	});
}

// It is seldom asked to end, which is when Node writes down what it compiled.
flushCompileCache();
