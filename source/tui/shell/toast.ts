import type {Clock} from '../../core/clock.ts';
import {createTimer} from '../../core/clock.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {clip, widthOf} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {wrapText, type Line, fillLine, lineWidth} from '../lines/line.ts';
import {ruleLine} from '../lines/title-parts.ts';
import type {ValueStore} from '../state/store.ts';
import type {Toast, ViewState} from '../state/view.ts';
import type {Tone} from '../theme/theme.ts';

/** How long a toast stays. */
const toastMs = 4000;

/** Shows one toast at a time for four seconds; an error stays until a key is pressed. */
export function createToaster(view: ValueStore<ViewState>, clock: Clock) {
	const timer = createTimer(clock);
	let wasSeen = true;
	let isDue = false;
	const hide = () => {
		isDue = false;
		view.set(state => (state.toast ? {...state, toast: undefined} : state));
	};

	return {
		toast: (text: Safe, tone: Tone = 'plain') => {
			wasSeen = tone !== 'bad';
			isDue = false;
			view.set(state => ({...state, toast: {text, tone}}));
			// Also for work that ends after the interface: its toast is set, but the timer does not keep the process alive.
			timer.set(toastMs, () => {
				if (wasSeen) {
					hide();
				} else {
					isDue = true;
				}
			});
		},
		/** A key was pressed: hides an error whose time is over. */
		noteKey: () => {
			wasSeen = true;
			if (isDue) {
				hide();
			}
		},
		[Symbol.dispose]: timer[Symbol.dispose],
	};
}

const gap = 2;
const maxRows = 3;
const indent = 3;

/** The keys with the toast at the right end of their row; `undefined` if it does not fit. */
export function besideKeys(keys: Line, {text, tone}: Toast, width: number): Line | undefined {
	const free = width - lineWidth(keys) - widthOf(text) - 1;
	return free < gap
		? undefined
		: [...keys, {text: escapeLine(' '.repeat(free))}, {text, tone}, {text: literal(' ')}];
}

/** A toast as at most three rows of exactly `width` cells below a rule; a longer text ends with `…`. */
export function toastRows({text, tone}: Toast, width: number): readonly Line[] {
	const cells = width - indent - 1;
	const [first = text, ...rest] = wrapText(text, cells);
	const others = rest.slice(0, maxRows - 1);
	const last = others.length - 1;
	const isCut = rest.length > others.length;
	return [
		ruleLine([[{text: clip(first, cells), tone}]], width),
		...others.map((row, index) =>
			fillLine(
				[
					{text: literal('   ')},
					{text: isCut && index === last ? safe`${clip(row, cells - 1, '')}…` : row, tone},
				],
				width,
			),
		),
	];
}
