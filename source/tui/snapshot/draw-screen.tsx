import {EventEmitter} from 'node:events';
import {render} from 'ink';
import type {Clock} from '../../core/clock.ts';
import {createInputFrontend} from '../../terminal/input/input-frontend.ts';
import {bytesOfKey} from '../../terminal/input/key-event.ts';
import {App} from '../frame/app.tsx';
import {InputContext} from '../input/use-keys.ts';
import type {Shell} from '../shell/shell.ts';
import type {Size} from '../state/view.ts';

/** A screen that needs no terminal. */
export type DrawnScreen = AsyncDisposable & {
	/** The last frame: rows of text with colours (SGR) and no other sequence. */
	frame(): string;
	/** Presses a key by its `KeyEvent.id`. @throws Error for a name that no key has */
	press(key: string): void;
	/** Changes the size for the next frames. */
	resize(size: Size): void;
	/** Lets pending changes become a frame. Returns whether anything changed. */
	turn(): Promise<boolean>;
};

/** Draws the interface of `shell` as a terminal would receive it, each frame complete. A fatal drawing error rejects `turn()`. */
export function drawScreen(shell: Shell): DrawnScreen {
	let frame = '';
	let failure: {readonly error: unknown} | undefined;
	const stdout = Object.assign(new EventEmitter(), shell.view.get().size, {
		isTTY: true,
		write(text: string, done?: unknown) {
			// Ink also switches modes, and writes an empty text to learn whether all was flushed; only frames contain line breaks.
			frame = text.includes('\n') ? text : frame;
			if (typeof done === 'function') {
				done();
			}

			return true;
		},
	});
	const keyboard = createKeyboard();
	const frontend = createInputFrontend(keyboard.stream, {clock: {...shell.clock, after: atOnce}});
	const instance = render(
		<InputContext value={frontend}>
			<App
				shell={shell}
				onError={error => {
					failure = {error};
				}}
			/>
		</InputContext>,
		{
			stdin: frontend.stdin,
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that Ink asks of a stream that it writes whole frames to
			stdout: stdout as unknown as NodeJS.WriteStream,
			debug: true,
			interactive: true,
			exitOnCtrlC: false,
			patchConsole: false,
		},
	);

	return {
		frame: () => frame,
		press: key => keyboard.type(bytesOfKey(key)),
		resize(size) {
			Object.assign(stdout, size);
			shell.view.set(state => ({...state, size}));
		},
		async turn() {
			const before = frame;
			await new Promise<void>(resolve => {
				setImmediate(resolve);
			});
			await instance.waitUntilRenderFlush();
			if (failure) {
				throw failure.error;
			}

			return frontend.busy() || frame !== before;
		},
		async [Symbol.asyncDispose]() {
			instance.unmount();
			await instance.waitUntilExit().catch(() => {});
			frontend[Symbol.dispose]();
		},
	};
}

/** Timers fire at once: simulated keys arrive whole, so nothing has to be awaited. */
const atOnce: Clock['after'] = (_, callback) => {
	const planned = setImmediate(callback);
	return () => clearImmediate(planned);
};

/** A terminal's stdin whose keys come only from the program. */
function createKeyboard() {
	const emitter = new EventEmitter();
	const itself = () => stream;
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that the front-end asks of a terminal
	const stream = Object.assign(emitter, {
		isTTY: true,
		setRawMode: itself,
		ref: itself,
		unref: itself,
		resume: itself,
		pause: itself,
	}) as unknown as NodeJS.ReadStream;
	return {
		stream,
		type(bytes: string) {
			emitter.emit('data', Buffer.from(bytes));
		},
	};
}
