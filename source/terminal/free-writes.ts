import type {Clock} from '../core/clock.ts';

/** Bytes that wait for a terminal that no longer reads. */
const stalledBytes = 64 * 1024;

/** How long the last words may take. */
const lastMs = 500;

/**
 * Makes writes to a terminal that does not read (a stalled line, a sleeping laptop) wait in memory; Node would block everything, webhooks
 * included. To be called again after the terminal was lent to another program. Does nothing to other streams.
 */
export function freeWrites(stream: NodeJS.WriteStream): void {
	const handle: unknown = stream.isTTY ? Reflect.get(stream, '_handle') : undefined;
	if (hasBlocking(handle)) {
		handle.setBlocking(false);
	}
}

const hasBlocking = (handle: unknown): handle is {setBlocking(isBlocking: boolean): void} =>
	typeof handle === 'object' && handle !== null && 'setBlocking' in handle;

/** Whether the terminal does not read. */
export const isStalled = ({writableLength}: NodeJS.WriteStream): boolean =>
	writableLength > stalledBytes;

/** Resolves with whether the terminal has taken everything within half a second. */
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
