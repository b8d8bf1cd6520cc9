import type {Feed} from '../state/feed.ts';
import type {Shell} from './shell.ts';

/** Lets the feed know when what is shown changes, so that bars begin to run at once. */
export function watchPace(view: Shell['view'], feed: Feed): () => void {
	let last = view.get();
	return view.subscribe(() => {
		const next = view.get();
		if (next.pane !== last.pane || next.region !== last.region || next.overlay !== last.overlay) {
			feed.repace();
		}

		last = next;
	});
}

/** Calls back when the screen has another size. */
export function watchSize(view: Shell['view'], onChange: () => void): () => void {
	let last = view.get().size;
	return view.subscribe(() => {
		const {size} = view.get();
		const isOther = size.columns !== last.columns || size.rows !== last.rows;
		last = size;
		if (isOther) {
			onChange();
		}
	});
}
