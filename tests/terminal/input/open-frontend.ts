import {createInputFrontend} from '../../../source/terminal/input/input-frontend.ts';
import type {KeyEvent} from '../../../source/terminal/input/key-event.ts';
import type {MouseEvent} from '../../../source/terminal/input/mouse-event.ts';
import type {Paste} from '../../../source/terminal/input/paste-collector.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakeTerminal} from '../../helpers/fake-terminal.ts';

/** The input of a terminal that a test types on, and what came of it. */
export function openFrontend({reading = true}: {readonly reading?: boolean} = {}) {
	const clock = createFakeClock();
	const terminal = createFakeTerminal();
	const frontend = createInputFrontend(terminal.stream, {clock});
	const keys: KeyEvent[] = [];
	const pastes: Paste[] = [];
	const mouse: MouseEvent[] = [];
	const focus: boolean[] = [];
	const toInk: string[] = [];
	frontend.onKey(key => {
		keys.push(key);
		return false;
	});
	frontend.onPaste(paste => {
		pastes.push(paste);
		return false;
	});
	frontend.onMouse(event => mouse.push(event));
	frontend.onWindowFocus(focused => focus.push(focused));
	frontend.stdin.on('readable', () => {
		for (let piece = frontend.stdin.read(); piece !== null; piece = frontend.stdin.read()) {
			toInk.push(String(piece));
		}
	});
	if (reading) {
		frontend.stdin.setRawMode(true);
	}

	/** Delivers each piece as a read of its own and waits until the keys were handed out. */
	const type = async (...pieces: ReadonlyArray<string | Uint8Array>) => {
		for (const piece of pieces) {
			terminal.type(piece);
		}

		while (frontend.busy()) {
			// oxlint-disable-next-line no-await-in-loop -- each key has a turn of its own
			await new Promise(resolve => {
				setImmediate(resolve);
			});
		}
	};

	const pause = async (ms: number) => {
		clock.advance(ms);
		await type();
	};

	const ids = () => keys.map(({id}) => id);
	return {clock, terminal, frontend, keys, pastes, mouse, focus, toInk, type, pause, ids};
}
