import type {Clock} from '../core/clock.ts';

/** So much waits for a terminal that does not read any more: a person sees nothing of it. */
const stalledBytes = 64 * 1024;

/** How long the last words may take. */
const lastMs = 500;

/**
 * Lets what is written to a terminal wait in memory when it does not read (a line that stalls, a laptop that sleeps). Node's own way is to wait in the middle of everything, webhooks
 * included. Whoever lends the terminal to another program says so again afterwards. Does nothing to what is no terminal of Node's.
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
