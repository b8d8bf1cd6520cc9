import type {Clock} from '../../core/clock.ts';
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

const nothing = () => {};

/** Shows one line at a time for four seconds. What went wrong stays beyond that, until somebody is there to press a key. */
export function createToaster(view: ValueStore<ViewState>, clock: Clock): Toaster {
	let cancel = nothing;
	let wasSeen = true;
	let isDue = false;
	let isOver = false;
	const hide = () => {
		isDue = false;
		view.set(state => (state.toast ? {...state, toast: undefined} : state));
	};

	return {
		toast(text, tone = 'plain') {
			cancel();
			wasSeen = tone !== 'bad';
			isDue = false;
			view.set(state => ({...state, toast: {text, tone}}));
			// What was begun before the end comes to its own: a timer would keep the process alive for it.
			if (isOver) {
				return;
			}

			cancel = clock.after(toastMs, () => {
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
		[Symbol.dispose]() {
			isOver = true;
			cancel();
		},
	};
}
