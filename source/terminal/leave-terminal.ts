import {closeSync, openSync, writeSync} from 'node:fs';

type Streams = {
	readonly stdin: NodeJS.ReadStream;
	readonly stdout: NodeJS.WriteStream;
	readonly stderr: NodeJS.WriteStream;
};

/**
 * Detaches from the terminal for good, whether or not it still exists: standard streams that were terminals read nothing from now on, and write to the file opened
 * by `openOutput`. Other streams are unchanged. Afterwards nothing may be drawn, read or lent.
 */
export function leaveTerminal({stdin, stdout, stderr}: Streams, openOutput: () => number): void {
	// A stream's `isTTY` still tells that it was a terminal; the system no longer does so for the descriptor of a terminal that is gone.
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

/** Node protects standard streams from closing by a `_destroy` of their own, which this replaces. */
function release(stream: NodeJS.WriteStream): void {
	stream.on('error', nothing);
	Reflect.deleteProperty(stream, '_destroy');
	stream.destroy();
}

/** Opens a file, and returns its descriptor: the lowest free one, which is `fd`, unless another thread was quicker. */
function reopen(fd: number, open: () => number): number {
	closeSync(fd);
	return open();
}

/** Redirects a stream whose holders continue to write. */
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
