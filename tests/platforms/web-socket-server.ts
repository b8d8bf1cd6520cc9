import {createHash} from 'node:crypto';
import type {IncomingMessage, Server} from 'node:http';
import type {Duplex} from 'node:stream';

const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** The server's side of a web socket whose frames are texts. @see RFC 6455 */
export type ServerSocket = {
	readonly request: IncomingMessage;
	send(text: string): void;
	/** Closes it properly. */
	close(code?: number): void;
	/** Ends it without a word. */
	drop(): void;
	/** Whether it takes the other side's pings without an answer from now on. */
	isDead: boolean;
};

type Handlers = {
	/** Whether the request is taken; else it is answered with 403. */
	readonly accepts: (request: IncomingMessage) => boolean;
	readonly onOpen: (socket: ServerSocket) => void;
	readonly onText: (text: string, socket: ServerSocket) => void;
	readonly onClose: (socket: ServerSocket, code: number | undefined) => void;
};

/** Takes web sockets on `server`. */
export function takeWebSockets(server: Server, {accepts, onOpen, onText, onClose}: Handlers): void {
	server.on('upgrade', (request: IncomingMessage, line: Duplex) => {
		line.on('error', () => {});
		if (!accepts(request)) {
			line.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
			return;
		}

		const key = createHash('sha1')
			.update(`${request.headers['sec-websocket-key']}${magic}`)
			.digest('base64');
		line.write(
			`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`,
		);
		let left = Buffer.alloc(0);
		let closeCode: number | undefined;
		const socket: ServerSocket = {
			request,
			isDead: false,
			send(text) {
				if (line.writable) {
					line.write(frameOf(1, Buffer.from(text)));
				}
			},
			close(code = 1000) {
				const body = Buffer.alloc(2);
				body.writeUInt16BE(code);
				line.end(frameOf(8, body));
			},
			drop() {
				line.destroy();
			},
		};
		line.on('data', (chunk: Buffer) => {
			left = Buffer.concat([left, chunk]);
			for (let frame = firstFrame(left); frame; frame = firstFrame(left)) {
				left = left.subarray(frame.size);
				if (frame.opcode === 1) {
					onText(frame.body.toString(), socket);
				} else if (frame.opcode === 8) {
					closeCode = frame.body.length >= 2 ? frame.body.readUInt16BE(0) : undefined;
					line.end(frameOf(8, frame.body));
				} else if (frame.opcode === 9 && !socket.isDead) {
					line.write(frameOf(10, frame.body));
				}
			}
		});
		line.on('close', () => {
			onClose(socket, closeCode);
		});
		onOpen(socket);
	});
}

function frameOf(opcode: number, body: Buffer): Buffer {
	const {length} = body;
	const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
	head[0] = 0x80 | opcode;
	if (length < 126) {
		head[1] = length;
	} else if (length < 65_536) {
		head[1] = 126;
		head.writeUInt16BE(length, 2);
	} else {
		head[1] = 127;
		head.writeBigUInt64BE(BigInt(length), 2);
	}

	return Buffer.concat([head, body]);
}

/** The frame that `bytes` begin with, unmasked; `undefined` where it is not whole. A client masks each. */
function firstFrame(bytes: Buffer) {
	if (bytes.length < 6) {
		return undefined;
	}

	const short = bytes.readUInt8(1) & 0x7f;
	const start = short < 126 ? 2 : short === 126 ? 4 : 10;
	if (bytes.length < start + 4) {
		return undefined;
	}

	const length =
		short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
	const size = start + 4 + length;
	if (bytes.length < size) {
		return undefined;
	}

	const mask = bytes.subarray(start, start + 4);
	const body = Buffer.from(bytes.subarray(start + 4, size));
	for (let at = 0; at < body.length; at++) {
		body[at] = (body[at] ?? 0) ^ (mask[at % 4] ?? 0);
	}

	return {opcode: bytes.readUInt8(0) & 0x0f, body, size};
}
