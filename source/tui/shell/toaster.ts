import {type Clock, createTimer} from '../../core/clock.ts';
import type {Safe} from '../../core/untrusted.ts';
import type {ValueStore} from '../state/store.ts';
import type {ViewState} from '../state/view.ts';
import type {Tone} from '../theme/theme.ts';

/** How long a toast stays. */
const toastMs = 4000;

export type Toaster = Disposable & {
	toast(text: Safe, tone?: Tone): void;
	/** A key was pressed: an error that had its time goes. */
	noteKey(): void;
};

/** Shows one line at a time for four seconds. What went wrong stays beyond that, until somebody is there to press a key. */
export function createToaster(view: ValueStore<ViewState>, clock: Clock): Toaster {
	const timer = createTimer(clock);
	let wasSeen = true;
	let isDue = false;
	const hide = () => {
		isDue = false;
		view.set(state => (state.toast ? {...state, toast: undefined} : state));
	};

	return {
		toast(text, tone = 'plain') {
			wasSeen = tone !== 'bad';
			isDue = false;
			view.set(state => ({...state, toast: {text, tone}}));
			// Also what was begun before the end and comes to its own: it is shown, and no timer keeps the process alive for it.
			timer.set(toastMs, () => {
				if (wasSeen) {
					hide();
				} else {
					isDue = true;
				}
			});
		},
		noteKey() {
			wasSeen = true;
			if (isDue) {
				hide();
			}
		},
		[Symbol.dispose]: timer[Symbol.dispose],
	};
}
