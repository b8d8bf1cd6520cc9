import type {Clock} from '../core/clock.ts';

/** From this many unread bytes on the terminal counts as stalled. */
const stalledBytes = 64 * 1024;

/** How long to wait for the last output. */
const lastMs = 500;

/**
 * Buffers writes to a terminal that does not read (a stalled line, a sleeping laptop) in memory; Node would otherwise block everything, webhooks included. Call
 * again after the terminal was lent to another program. Does nothing to other streams.
 */
export function freeWrites(stream: NodeJS.WriteStream): void {
	const handle: unknown = stream.isTTY ? Reflect.get(stream, '_handle') : undefined;
	if (hasBlocking(handle)) {
		handle.setBlocking(false);
	}
}

const hasBlocking = (handle: unknown): handle is {setBlocking(isBlocking: boolean): void} =>
	typeof handle === 'object' && handle !== null && 'setBlocking' in handle;

/** Whether the terminal has stopped reading. */
export const isStalled = ({writableLength}: NodeJS.WriteStream): boolean =>
	writableLength > stalledBytes;

/** Resolves to whether the terminal took all output within half a second. */
export async function hasTaken(stream: NodeJS.WriteStream, clock: Clock): Promise<boolean> {
	if (stream.writableLength === 0) {
		return true;
	}

	const {promise, resolve} = Promise.withResolvers<boolean>();
	const cancel = clock.after(lastMs, () => resolve(false));
	stream.write('', error => resolve(!error));
	const taken = await promise;
	cancel();
	return taken;
}
