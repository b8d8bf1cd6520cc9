/**
 * What Node is started with wherever this program starts itself; the first line of the bundle and `npm start` say the same. Left alone, V8 lets its young generation grow to tens of
 * megabytes, and its heap to twice of what is in use, for the sake of throughput that this program does not need.
 */
export const nodeFlags: readonly string[] = [
	'--max-semi-space-size=8',
	'--heap-growing-percent=25',
];
