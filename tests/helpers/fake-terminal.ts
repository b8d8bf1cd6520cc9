import {EventEmitter} from 'node:events';

/** A terminal's stdin that tests write to. */
export type FakeTerminal = {
	readonly stream: NodeJS.ReadStream;
	/** Delivers bytes as one read. */
	type(bytes: string | Uint8Array): void;
	isRaw(): boolean;
	isPaused(): boolean;
};

export function createFakeTerminal(): FakeTerminal {
	let raw = false;
	let paused = true;
	const emitter = new EventEmitter();
	const members = {
		isTTY: true,
		setRawMode(isRaw: boolean) {
			raw = isRaw;
			return stream;
		},
		ref: () => stream,
		unref: () => stream,
		resume() {
			paused = false;
			return stream;
		},
		pause() {
			paused = true;
			return stream;
		},
	};
	const stream = Object.assign(emitter, members) as unknown as NodeJS.ReadStream;
	return {
		stream,
		type(bytes) {
			emitter.emit('data', Buffer.from(bytes as string));
		},
		isRaw: () => raw,
		isPaused: () => paused,
	};
}
