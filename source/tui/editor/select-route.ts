import {routeKey, routeList} from '../entries/route-list.ts';
import type {Shell} from '../shell/shell.ts';
import type {Draft} from './draft.ts';

/** How long a face may wait to hear of what it has just written. */
const mostMs = 5000;

/** Puts the cursor of the list on a route as soon as the state has it, unless the person has gone on by then. A filter that hides it goes. */
export function selectRoute(shell: Shell, {name, source}: Pick<Draft, 'name' | 'source'>): void {
	const routes = shell.list(routeList);
	const from = routes.selectedKey();
	const tryNow = (): boolean => {
		const route = shell.feed
			.get()
			.state.routes.find(one => one.name === name && one.source === source);
		if (!route) {
			return false;
		}

		const key = routeKey(route);
		if (!routes.select(key)) {
			routes.setFilter('');
			routes.select(key);
		}

		return true;
	};

	if (tryNow()) {
		return;
	}

	const stop = shell.feed.subscribe(() => {
		const hasMoved = routes.selectedKey() !== from && routes.get().items.length > 0;
		if (tryNow() || hasMoved) {
			end();
		}
	});
	const cancel = shell.clock.after(mostMs, () => {
		end();
	});
	const end = () => {
		stop();
		cancel();
	};
}
