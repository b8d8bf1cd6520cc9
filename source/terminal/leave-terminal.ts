import {closeSync, openSync, writeSync} from 'node:fs';

type Streams = {
	readonly stdin: NodeJS.ReadStream;
	readonly stdout: NodeJS.WriteStream;
	readonly stderr: NodeJS.WriteStream;
};

/**
 * Lets go of the terminal for good, whether it is still there or not: the standard streams of this process that were terminals read nothing from now on, and write to the file that `openOutput` opens.
 * Other streams stay as they are. Nothing may be drawn, read or lent after that.
 */
export function leaveTerminal({stdin, stdout, stderr}: Streams, openOutput: () => number): void {
	// `isTTY` of a stream still says that it was a terminal: once the terminal is gone, the system no longer knows this of the descriptor.
	if (stdin.isTTY) {
		stdin.on('error', nothing);
		stdin.destroy();
		reopen(0, () => openSync('/dev/null', 'r'));
	}

	for (const [fd, stream] of [
		[1, stdout],
		[2, stderr],
	] as const) {
		if (stream.isTTY) {
			release(stream);
			redirect(stream, reopen(fd, openOutput));
		}
	}
}

const nothing = () => {};

/** Node keeps the standard streams from being closed by a `_destroy` of their own. */
function release(stream: NodeJS.WriteStream): void {
	stream.on('error', nothing);
	Reflect.deleteProperty(stream, '_destroy');
	stream.destroy();
}

/** The descriptor of the opened file: the lowest free one, which is `fd`, unless another thread was quicker. */
function reopen(fd: number, open: () => number): number {
	closeSync(fd);
	return open();
}

/** Holders of the stream may go on writing to it. */
function redirect(stream: NodeJS.WriteStream, fd: number): void {
	const write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
		try {
			writeSync(fd, typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
		} catch {
			// A full disk must not end the program.
		}

		const done = rest.at(-1);
		if (typeof done === 'function') {
			process.nextTick(done);
		}

		return true;
	};

	stream.write = write;
}
