import {stopAll, type Clock, createTimer} from '../../core/clock.ts';
import type {InputFrontend} from '../../terminal/input/input-frontend.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import type {TerminalModes} from '../../terminal/modes.ts';
import type {Shell} from '../shell/shell.ts';
import {createStore} from '../state/store.ts';

/** Milliseconds between an event and the first key that may allow something. */
export const arming = {
	/** After what is asked was drawn, complete and flushed. */
	drawnMs: 500,
	/** After the terminal's window got the focus: the click or switch itself must not answer. */
	focusMs: 300,
	/** After a key without a meaning here, or one that came too early: more keys of the same typing may follow. */
	disturbedMs: 500,
	/** After a dialog that had the keyboard closed without a key. */
	goneMs: 500,
} as const;

export type Guard = ReturnType<typeof createGuard>;

const tickMs = 100;

/**
 * Decides which key presses may allow something; denying is always possible. Times are `Clock.monotonic()`. `of` names what is asked in its current form: another
 * request, step or screen size has another name, and must be drawn before it can be allowed. Initially nothing is drawn, and nothing permitted.
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
		/** The terminal's window got the focus. */
		focused: () => wait(clock.monotonic() + arming.focusMs),
		/** A key, paste or click was not meant for the sheet. */
		disturbed: (at: number) => wait(at + arming.disturbedMs),
		/** Something else is asked, or the same thing again: it must be drawn first. */
		asked() {
			drawn = undefined;
			tick();
		},
		/** What had the keyboard has closed: keys already typed were meant for it. */
		gone() {
			deafUntil = clock.monotonic() + arming.goneMs;
			drawn = undefined;
		},
		/** Makes `ticks` run until `at`, when a lock outside of the guard ends. */
		awaits(at: number) {
			tickUntil = at;
			tick();
		},
		/** Whether a key counts at all. */
		hears: ({t}: Pick<KeyEvent, 't'>) => t >= deafUntil,
		/** Whether a key may allow `of`: it must come alone, and late enough. */
		permits(of: string, {t, alone}: Pick<KeyEvent, 't' | 'alone'>): boolean {
			const at = armedAt(of);
			return alone && at !== undefined && t >= at;
		},
		/** Milliseconds until a key may allow `of`; `undefined` until it is drawn. */
		waitMs(of: string): number | undefined {
			const at = armedAt(of);
			return at === undefined ? undefined : Math.max(0, at - clock.monotonic());
		},
		/** Emits when something new is asked, and ten times a second while a wait runs. */
		ticks: {get: ticks.get, subscribe: ticks.subscribe},
		[Symbol.dispose]: timer[Symbol.dispose],
	};
}

type FocusSources = {
	readonly frontend: InputFrontend;
	readonly modes: Pick<TerminalModes, 'setFocusReports'>;
};

/**
 * While a sheet is open, has the terminal report when its window gets the focus: a key right after that, or a click, was meant for something else. Returns a
 * function that ends it.
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
