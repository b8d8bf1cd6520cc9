import type {ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {ipv6Groups} from '../core/address-scope.ts';

type Connection = {
	readonly socket: Socket;
	readonly name: string;
	readonly peer: Peer;
	/** The response to the latest request; `undefined` before the first request. */
	answer: ServerResponse | undefined;
	/** Responses not sent yet, in the order of their requests. */
	readonly pending: Set<ServerResponse>;
	/** Bytes received at the last check of `isIdle`, or at the start of the request. */
	read: number;
};

/** The open connections of one sender, the least recently used first. */
type Peer = Set<Connection>;

type Limits = {
	readonly most: number;
	/** Called when an idle connection was closed for a new one. */
	readonly onEvicted: () => void;
	/** Called when a new connection was closed because `most` are in use. */
	readonly onDropped: () => void;
};

/** Tracks the open connections of a server, and closes one when there are too many. */
export function createConnections({most, onEvicted, onDropped}: Limits) {
	const open = new Map<Duplex, Connection>();
	const peers = new Map<string, Peer>();
	/** Peers, indexed by their number of connections. */
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

	/** Forgets the connection at once: new connections may arrive before its `close` event. */
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
		 * Tracks a new connection until it is closed. Above the limit, closes the least recently used idle connection of the sender with the most connections (of the next one,
		 * if none of these is idle); if no connection is idle, closes the new one. So one sender cannot lock out others, nor itself when all senders share the address of a
		 * proxy.
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
		/** Registers the response to a new request. Returns the number of unsent responses on its connection, this one included. */
		answer(socket: Duplex, response: ServerResponse): number {
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

			return connection?.pending.size ?? 0;
		},
		/** The unsent responses of a connection, in the order of their requests. */
		pending: (socket: Duplex) => [...(open.get(socket)?.pending ?? [])],
		/** Closes the idle connection that `open` would close above the limit; `false` when all are in use. */
		makeRoom: (): boolean => evict(),
		/** Closes all connections without an open request, also those that never sent one. */
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

		// A connection in use moves to the end, so that it is not checked again soon.
		toEnd(connection);
	}

	return undefined;
}

function toEnd(connection: Connection): void {
	const {peer} = connection;
	peer.delete(connection);
	peer.add(connection);
}

/**
 * Whether the server waits for the client: to send a request or the rest of one, or to read an answer. A client that has sent more of a body since the last check is not idle.
 */
function isIdle(connection: Connection): boolean {
	const {answer, socket} = connection;
	if (!answer || answer.writableFinished) {
		return true;
	}

	if (!answer.req.complete && socket.bytesRead !== connection.read) {
		connection.read = socket.bytesRead;
		return false;
	}

	// A response without a socket waits for an earlier one on the same connection.
	return answer.socket !== null && (answer.writableEnded || !answer.req.complete);
}

/**
 * The sender of a connection: an IPv4 address, or the first 64 bits of an IPv6 address, since one sender may use all addresses of such a network.
 * `address`: in the form of `socket.remoteAddress`.
 */
export function peerOf(address = ''): string {
	const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
	return plain.includes(':') ? ipv6Groups(plain).slice(0, 4).join(':') : plain;
}
