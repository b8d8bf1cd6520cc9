import {writeSync} from 'node:fs';
import {escapeLine} from '../core/untrusted.ts';

/** `wheel`: presses and the wheel are reported, but only the wheel has an effect; `full`: clicks have one too. */
type MouseMode = 'off' | 'wheel' | 'full';

export type TerminalModes = ReturnType<typeof createTerminalModes>;

const mouseOn = '\u001B[?1000h\u001B[?1006h';
const mouseOff = '\u001B[?1006l\u001B[?1000l';
const focusOn = '\u001B[?1004h';
const focusOff = '\u001B[?1004l';
const pushTitle = '\u001B[22;2t';
const popTitle = '\u001B[23;2t';
const maxTitleLength = 80;

/**
 * Disables every mode that a crash could leave on: mouse, focus, paste, synchronised output, kitty keyboard, colours, hidden cursor. Harmless on a terminal in its
 * normal state. Never erases the scrollback or leaves the alternate screen (which would move the cursor of the primary one). Written at start, in case the last
 * svc was killed, and as a last resort at exit.
 */
export const resetSequence = `${mouseOff}\u001B[?1003l\u001B[?1002l${focusOff}\u001B[?2004l\u001B[?2026l\u001B[<u\u001B[0m\u001B[?25h`;

/** Controls the terminal modes that svc sets itself through `write`, each only on change; Ink manages the others. */
export function createTerminalModes(write: (sequence: string) => void) {
	let mouse: MouseMode = 'off';
	let focusReports = false;
	let title: string | undefined;
	/** Whether the terminal has saved its original title. */
	let isTitled = false;
	let released = false;

	const on = () => (mouse === 'off' ? '' : mouseOn) + (focusReports ? focusOn : '');
	const off = () => (mouse === 'off' ? '' : mouseOff) + (focusReports ? focusOff : '');
	const send = (sequence: string) => {
		if (sequence !== '' && !released) {
			write(sequence);
		}
	};

	const restoreTitle = () => (isTitled ? popTitle : '');

	const showTitle = () => {
		if (title !== undefined && !released) {
			send(`${isTitled ? '' : pushTitle}\u001B]2;${title}\u0007`);
			isTitled = true;
		}
	};

	const release = () => {
		send(off());
		released = true;
	};

	return {
		setMouse(mode: MouseMode) {
			if ((mouse === 'off') !== (mode === 'off')) {
				send(mode === 'off' ? mouseOff : mouseOn);
			}

			mouse = mode;
		},
		/** Requests reports when the window gains or loses the focus. */
		setFocusReports(wanted: boolean) {
			if (wanted !== focusReports) {
				send(wanted ? focusOn : focusOff);
			}

			focusReports = wanted;
		},
		/** Sets the window's title; the original one is restored at the end. Escapes foreign text. */
		setTitle(text: string) {
			const next = escapeLine(text, maxTitleLength);
			if (next !== title) {
				title = next;
				showTitle();
			}
		},
		/** Disables the modes before another program gets the terminal. */
		release,
		/** Enables the modes again. */
		reclaim() {
			released = false;
			send(on());
			// svc's title may have changed meanwhile, and editors set titles of their own.
			showTitle();
		},
		/** The sequence that restores the title, for a final write; empty if it was never changed. */
		restoreTitle,
		/** Disables all modes and restores the title. Idempotent. */
		[Symbol.dispose]() {
			released = false;
			send(off() + restoreTitle());
			mouse = 'off';
			focusReports = false;
			title = undefined;
			isTitled = false;
		},
	};
}

/**
 * When the process exits, by any means short of SIGKILL, writes `resetSequence` to `fd`, and restores the title of `modes`. Returns a function that ends it.
 * Synchronous, because asynchronous work no longer runs then.
 */
export function resetAtExit(
	program: Pick<NodeJS.Process, 'on' | 'off'>,
	fd: number,
	modes?: Pick<TerminalModes, 'restoreTitle'>,
): () => void {
	const onExit = () => {
		try {
			writeSync(fd, resetSequence + (modes?.restoreTitle() ?? ''));
		} catch {
			// The terminal is gone; there is nothing to reset.
		}
	};

	program.on('exit', onExit);
	return () => program.off('exit', onExit);
}

/**
 * Moves the cursor to the first column, and to the next row unless it is there already. Terminals keep the column when switching to the alternate screen, where a
 * frame that starts further right would break its rows. The cursor stays at the end of a full row until something follows, so blanks that begin in the first
 * column do not change the row.
 */
export const freshRow = (columns: number): string => `${' '.repeat(columns)}\r\u001B[K`;
