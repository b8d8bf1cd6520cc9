import {writeSync} from 'node:fs';
import {escapeLine} from '../core/untrusted.ts';

/** `wheel`: presses and the wheel are reported, but only the wheel acts; `full`: clicks act, too. */
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
 * Switches off every mode that a crash could leave on: mouse, focus, paste, synchronised output, kitty keyboard, colours,
 * hidden cursor. Does nothing to a terminal in order. Never erases the scrollback, never leaves the alternate screen (that
 * would move the cursor of the primary one). Written when we start, in case the last one was killed, and as the last net.
 */
export const resetSequence = `${mouseOff}\u001B[?1003l\u001B[?1002l${focusOff}\u001B[?2004l\u001B[?2026l\u001B[<u\u001B[0m\u001B[?25h`;

/** The modes of the terminal that we set ourselves, through `write`, each only when it changes; Ink sets the others and takes them back. */
export function createTerminalModes(write: (sequence: string) => void) {
	let mouse: MouseMode = 'off';
	let focusReports = false;
	let title: string | undefined;
	/** The terminal has put the title that it had aside. */
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
		/** Asks for reports when the window gets or loses the focus. */
		setFocusReports(wanted: boolean) {
			if (wanted !== focusReports) {
				send(wanted ? focusOn : focusOff);
			}

			focusReports = wanted;
		},
		/** Sets the window's title; the old one comes back at the end. A stranger's text is cleaned. */
		setTitle(text: string) {
			const next = escapeLine(text, maxTitleLength);
			if (next !== title) {
				title = next;
				showTitle();
			}
		},
		/** Switches the modes off, before another program gets the terminal. */
		release,
		/** Switches it on again. */
		reclaim() {
			released = false;
			send(on());
			// It may be another one by now, and editors write their own.
			showTitle();
		},
		/** The sequence that restores the title, for a last write; empty when it was never changed. */
		restoreTitle,
		/** Releases everything and gives the title back. Idempotent. */
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
 * Writes `resetSequence` to `fd`, and gives the title of `modes` back, when the process exits, whichever way that happens short of SIGKILL.
 * Returns the way out. Synchronous, because nothing else is heard any more then.
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
 * Moves the cursor to the first column, to the next row if it is in another one. A terminal takes its column along to the alternate screen, where a frame that starts further right would
 * break its rows. The cursor stays at the end of a full row until something follows; blanks that begin in the first column thus leave it in their row.
 */
export const freshRow = (columns: number): string => `${' '.repeat(columns)}\r\u001B[K`;
