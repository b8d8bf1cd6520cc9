import {stopAll, type Clock, createTimer} from '../../core/clock.ts';
import type {InputFrontend} from '../../terminal/input/input-frontend.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import type {TerminalModes} from '../../terminal/modes.ts';
import type {Shell} from '../shell/shell.ts';
import {createStore} from '../state/store.ts';

/** Milliseconds between a moment and the first key that may allow something. */
export const arming = {
	/** Since what is asked was on the screen, whole and flushed. */
	drawnMs: 500,
	/** Since the window of the terminal got the focus: a click or a switch must not answer. */
	focusMs: 300,
	/** Since a key that meant nothing here, or came too early: more keys of the same typing may follow. */
	disturbedMs: 500,
	/** Since what had the keyboard went away by itself. */
	goneMs: 500,
} as const;

export type Guard = ReturnType<typeof createGuard>;

const tickMs = 100;

/**
 * Decides which key presses may allow something. Denying needs no permission. Times are `Clock.monotonic()`. `of` names what is asked as it
 * is shown: another request, another step or another size of the screen is something else, and has to be drawn before it can be allowed.
 * At first nothing is drawn, nothing is permitted.
 */
export function createGuard(clock: Clock) {
	const ticks = createStore(0);
	let drawn: {readonly of: string; readonly at: number} | undefined;
	let notBefore = -Infinity;
	let deafUntil = -Infinity;
	let tickUntil = -Infinity;
	const timer = createTimer(clock);

	const armedAt = (of: string): number | undefined =>
		drawn?.of === of ? Math.max(drawn.at + arming.drawnMs, notBefore) : undefined;

	const tick = () => {
		timer.cancel();
		ticks.set(count => count + 1);
		if (drawn && Math.max(armedAt(drawn.of) ?? 0, tickUntil) > clock.monotonic()) {
			timer.set(tickMs, tick);
		}
	};

	const wait = (until: number) => {
		notBefore = Math.max(notBefore, until);
		tick();
	};

	return {
		/** `of` is on the screen now. */
		shown(of: string) {
			if (drawn?.of !== of) {
				drawn = {of, at: clock.monotonic()};
				tick();
			}
		},
		/** The window of the terminal got the focus. */
		focused: () => wait(clock.monotonic() + arming.focusMs),
		/** A key, paste or click was not meant for the sheet. */
		disturbed: (at: number) => wait(at + arming.disturbedMs),
		/** Something else is asked from now on, or the same anew: it has to be drawn first. */
		asked() {
			drawn = undefined;
			tick();
		},
		/** What had the keyboard is gone: keys that are on their way were meant for it. */
		gone() {
			deafUntil = clock.monotonic() + arming.goneMs;
			drawn = undefined;
		},
		/** Ticks until `at`, when something else than the guard stops keeping keys from allowing. */
		awaits(at: number) {
			tickUntil = at;
			tick();
		},
		/** Whether a key is heard at all. */
		hears: ({t}: Pick<KeyEvent, 't'>) => t >= deafUntil,
		/** Whether a key may allow `of`: it came alone, and late enough. */
		permits(of: string, {t, alone}: Pick<KeyEvent, 't' | 'alone'>): boolean {
			const at = armedAt(of);
			return alone && at !== undefined && t >= at;
		},
		/** Milliseconds until a key may allow `of`; `undefined` while it is not drawn. */
		waitMs(of: string): number | undefined {
			const at = armedAt(of);
			return at === undefined ? undefined : Math.max(0, at - clock.monotonic());
		},
		/** Changes when something is asked anew, and ten times a second while `waitMs` runs. */
		ticks: {get: ticks.get, subscribe: ticks.subscribe},
		[Symbol.dispose]: timer[Symbol.dispose],
	};
}

type FocusSources = {
	readonly frontend: InputFrontend;
	readonly modes: Pick<TerminalModes, 'setFocusReports'>;
};

/**
 * While a sheet is open the terminal says when its window gets the focus: a key that comes right then was meant for something else. So was a
 * click. Returns the way out.
 */
export function watchFocus(shell: Shell, {frontend, modes}: FocusSources): () => void {
	return stopAll([
		frontend.onWindowFocus(isFocused => {
			if (isFocused) {
				shell.guard.focused();
			}
		}),
		frontend.onMouse(({t}) => shell.guard.disturbed(t)),
		shell.view.subscribe(() =>
			modes.setFocusReports(shell.view.get().overlay?.kind === 'approval'),
		),
	]);
}
