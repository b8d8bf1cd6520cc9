import type {RouteView} from '../../../core/config-view.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {fit} from '../../../terminal/text/fit.ts';
import {safe} from '../../../terminal/text/safe.ts';
import {openMenu} from '../../dialogs/questions.ts';
import type {MenuItem} from '../../dialogs/questions.ts';
import {deliverText} from '../../entries/route-columns.ts';
import {clean} from '../../lines/line.ts';
import type {Shell} from '../../shell/shell.ts';

/** Routes that take deliveries now. */
export const servedRoutes = (shell: Shell): readonly RouteView[] =>
	shell.feed.get().state.routes.filter(route => route.problem === undefined);

const nameCells = 28;
const keyed = 9;

/** Offers `routes` to choose one of; the first nine have a key. */
export function chooseRoute(
	shell: Shell,
	{
		title,
		notes,
		routes,
		choose,
	}: {
		readonly title: Safe;
		/** What is said above the choice. */
		readonly notes?: readonly Safe[];
		readonly routes: readonly RouteView[];
		readonly choose: (name: string) => void;
	},
): void {
	const items = routes.map((route, index): MenuItem => ({
		key: index < keyed ? String(index + 1) : '',
		label: safe`${fit(clean(route.name), nameCells)}  ${clean(deliverText(route))}`,
		run() {
			choose(route.name);
		},
	}));
	openMenu(shell, {title, ...(notes && {notes}), items});
}
