import {once} from 'node:events';
import {connect, createServer, type Socket} from 'node:net';

/** Where a connection breaks: before a statement has gone to the database, or once the database has done it but before its answer is passed on. */
export type Cut = {
	readonly side: 'before' | 'after';
	/** Only commits count. */
	readonly commits: boolean;
	/** The n-th statement from now on breaks, 1 the next. */
	readonly nth: number;
};

export type CuttingProxy = AsyncDisposable & {
	/** The URL of the database through this proxy. */
	readonly url: string;
	/** Breaks the connection that sends the statement; resolves with whether one came within `limitMs`. */
	cut(what: Cut, limitMs: number): Promise<boolean>;
};

const query = 0x51;
const sync = 0x53;

/** Stands between a gateway and its database, and reads so much of the protocol that it knows where a statement ends. */
export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
	const target = new URL(url);
	const sockets = new Set<Socket>();
	let armed: (Cut & {readonly done: () => void; left: number}) | undefined;

	/** How the statement that ends here breaks, if it does. */
	const breaks = (isCommit: boolean): Cut['side'] | undefined => {
		if (!armed || (armed.commits && !isCommit)) {
			return undefined;
		}

		armed.left -= 1;
		if (armed.left > 0) {
			return undefined;
		}

		const {side, done} = armed;
		armed = undefined;
		done();
		return side;
	};

	const server = createServer(client => {
		const upstream = connect(Number(target.port), target.hostname);
		for (const socket of [client, upstream]) {
			sockets.add(socket);
			socket.on('error', () => {});
			socket.on('close', () => {
				sockets.delete(socket);
				client.destroy();
				upstream.end();
			});
		}

		let rest = Buffer.alloc(0);
		let isStarted = false;
		upstream.on('data', part => {
			if (!client.destroyed) {
				client.write(part);
			}
		});
		client.on('data', part => {
			rest = Buffer.concat([rest, part]);
			while (!client.destroyed) {
				const head = isStarted ? 1 : 0;
				const length = rest.length >= head + 4 ? rest.readInt32BE(head) + head : Infinity;
				if (rest.length < length) {
					return;
				}

				const message = rest.subarray(0, length);
				rest = rest.subarray(length);
				const isStatement = isStarted && (message[0] === query || message[0] === sync);
				const side = isStatement
					? breaks(message[0] === query && message.subarray(5, 11).toString() === 'commit')
					: undefined;
				isStarted = true;
				if (side !== 'before') {
					upstream.write(message);
				}

				if (side !== undefined) {
					// What the database was given it does; the gateway hears nothing of it.
					upstream.end();
					client.destroy();
				}
			}
		});
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	const through = new URL(url);
	through.hostname = '127.0.0.1';
	through.port = String(typeof address === 'object' && address ? address.port : 0);
	return {
		url: through.href,
		async cut(what, limitMs) {
			const {promise, resolve} = Promise.withResolvers<boolean>();
			armed = {
				...what,
				left: what.nth,
				done() {
					resolve(true);
				},
			};
			const limit = setTimeout(() => {
				armed = undefined;
				resolve(false);
			}, limitMs);
			try {
				return await promise;
			} finally {
				clearTimeout(limit);
			}
		},
		async [Symbol.asyncDispose]() {
			server.close();
			for (const socket of sockets) {
				socket.destroy();
			}
		},
	};
}
