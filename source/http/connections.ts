import type {ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {ipv6Groups} from '../core/address-scope.ts';

type Connection = {
	readonly socket: Socket;
	readonly name: string;
	readonly peer: Peer;
	/** The newest answer; `undefined` before the first request. */
	answer: ServerResponse | undefined;
	/** The answers that are not sent yet, in the order of their requests. */
	readonly pending: Set<ServerResponse>;
	/** Bytes that had come when it was last looked at. */
	read: number;
};

/** The open connections of one sender, in the order in which they were opened or last sent a request. */
type Peer = Set<Connection>;

type Limits = {
	readonly most: number;
	/** An idle connection was closed for a new one. */
	readonly onEvicted: () => void;
	/** A new connection was closed: `most` are in use. */
	readonly onDropped: () => void;
};

/** The book of a server's open connections, and who leaves when there are too many. */
export function createConnections({most, onEvicted, onDropped}: Limits) {
	const open = new Map<Duplex, Connection>();
	const peers = new Map<string, Peer>();
	/** Peers by how many connections they have. */
	const bySize: Array<Set<Peer>> = [];
	let largest = 0;

	const moved = (peer: Peer, from: number) => {
		bySize[from]?.delete(peer);
		(bySize[peer.size] ??= new Set()).add(peer);
		largest = Math.max(largest, peer.size);
		while (largest > 0 && !bySize[largest]?.size) {
			largest -= 1;
		}
	};

	const peerNamed = (name: string): Peer => {
		const peer = peers.get(name) ?? new Set();
		peers.set(name, peer);
		return peer;
	};

	const forget = (connection: Connection) => {
		const {peer, name, socket} = connection;
		if (!open.delete(socket)) {
			return;
		}

		peer.delete(connection);
		moved(peer, peer.size + 1);
		if (peer.size === 0) {
			bySize[0]?.delete(peer);
			peers.delete(name);
		}
	};

	const leastUsed = (but?: Connection): Connection | undefined => {
		for (let size = largest; size > 0; size--) {
			for (const peer of bySize[size] ?? []) {
				const found = leastUsedOf(peer, but);
				if (found) {
					return found;
				}
			}
		}

		return undefined;
	};

	/** Others may come before the socket says that it is closed. */
	const close = (connection: Connection) => {
		forget(connection);
		connection.socket.destroy();
	};

	const evict = (but?: Connection): boolean => {
		const victim = leastUsed(but);
		if (victim) {
			close(victim);
			onEvicted();
		}

		return victim !== undefined;
	};

	return {
		get count() {
			return open.size;
		},
		/**
		 * Counts a new connection until it is closed. Above the limit the sender with the most connections gives one up, the one of its idle ones that was not used for longest, and
		 * only when none has an idle one is the newcomer closed. One sender can therefore neither lock out the others nor, behind a proxy that all share an address with, itself.
		 */
		open(socket: Socket) {
			const name = peerOf(socket.remoteAddress);
			const peer = peerNamed(name);
			const connection: Connection = {
				socket,
				name,
				peer,
				answer: undefined,
				pending: new Set(),
				read: 0,
			};
			open.set(socket, connection);
			peer.add(connection);
			moved(peer, peer.size - 1);
			socket.once('close', () => forget(connection));
			if (open.size > most && !evict(connection)) {
				close(connection);
				onDropped();
			}
		},
		/** A request has come whose answer this will be. */
		answer(socket: Duplex, response: ServerResponse) {
			const connection = open.get(socket);
			if (connection) {
				const {pending} = connection;
				connection.answer = response;
				connection.read = connection.socket.bytesRead;
				pending.add(response);
				response.once('close', () => {
					pending.delete(response);
				});
				toEnd(connection);
			}
		},
		/** The answers of a connection that are not sent yet, in the order of their requests. */
		pending: (socket: Duplex) => [...(open.get(socket)?.pending ?? [])],
		/** Closes the connection that `open` would close; false when every one is in use. */
		makeRoom: (): boolean => evict(),
		/** Closes the connections on which nothing is left to answer, also those that never sent a request. */
		closeIdle() {
			for (const {socket, answer} of open.values()) {
				if (!answer || answer.writableFinished) {
					socket.destroy();
				}
			}
		},
	};
}

function leastUsedOf(peer: Peer, but: Connection | undefined): Connection | undefined {
	let looks = peer.size;
	for (const connection of peer) {
		if (looks-- === 0) {
			break;
		}

		if (connection !== but && isIdle(connection)) {
			return connection;
		}

		// It is in use just now, and need not be looked at again so soon.
		toEnd(connection);
	}

	return undefined;
}

function toEnd(connection: Connection): void {
	const {peer} = connection;
	peer.delete(connection);
	peer.add(connection);
}

/** Whether the client is waited for: to send a request, the rest of one, or to take its answer. Who has sent more of a body since the last look is not. */
function isIdle(connection: Connection): boolean {
	const {answer, socket} = connection;
	if (!answer || answer.writableFinished) {
		return true;
	}

	if (!answer.req.complete && socket.bytesRead !== connection.read) {
		connection.read = socket.bytesRead;
		return false;
	}

	// Without its socket an answer is behind another one that is being worked on.
	return answer.socket !== null && (answer.writableEnded || !answer.req.complete);
}

/**
 * Who a connection counts for: an IPv4 address, or the first 64 bits of an IPv6 address, below which one sender has as many addresses as it likes.
 * `address` is one as sockets name it.
 */
export function peerOf(address = ''): string {
	const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
	return plain.includes(':') ? ipv6Groups(plain).slice(0, 4).join(':') : plain;
}
