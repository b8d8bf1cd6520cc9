import type {RouteView} from '../../../core/config-view.ts';
import {parsedObject} from '../../../core/json.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import {answerWord, missingWord} from '../../../nouns/delivery/delivery-word.ts';
import {deliverText} from '../../../nouns/route/route.ts';
import {fit} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {type PaneCommand, onKeys} from '../../acts/command.ts';
import {openMenu, type Menu} from '../../dialogs/questions.ts';
import {selectedDelivery} from '../../entries/delivery-list.ts';
import type {Shell} from '../../shell/shell.ts';

/** Routes that accept deliveries now. */
export const servedRoutes = (shell: Shell): readonly RouteView[] =>
	shell.feed.get().state.routes.filter(route => route.problem === undefined);

const nameCells = 28;

type RouteChoice = Pick<Menu, 'notes' | 'title'> & {
	readonly routes: readonly RouteView[];
	readonly choose: (name: string) => void;
};

/** Shows a menu of `routes`; the first nine have a key. */
export function chooseRoute(shell: Shell, {routes, choose, ...rest}: RouteChoice): void {
	openMenu(shell, {
		...rest,
		items: routes.map(route => ({
			label: safe`${fit(escapeLine(route.name), nameCells)}  ${escapeLine(deliverText(route))}`,
			run: () => choose(route.name),
		})),
	});
}

/** Routes that a test event can be sent to: the selected one, else all. */
export function testableRoutes(shell: Shell): readonly RouteView[] {
	const served = servedRoutes(shell);
	const name = selectedDelivery(shell)?.route;
	const same = served.find(route => route.name === name);
	return same ? [same] : served;
}

/** Why no test event can be sent. */
export const noRoute = (shell: Shell): Safe | undefined =>
	testableRoutes(shell).length === 0
		? literal('No route is served: add one with `svc webhook subscribe`')
		: undefined;

/** Sends a signed test event to the gateway's own port. */
export function sendTest(shell: Shell, route: string): void {
	shell.attempt(async () => {
		const {status, body} = await shell.port.sendTestEvent(route);
		const answered = safe`Answered ${status} ${answerWord({body})}`;
		shell.toast(answered, status < 400 ? 'good' : 'bad');
		// The answer is there: what was missing is only worth a note.
		const missing = await missingIn(shell, route, body).catch(() => undefined);
		if (missing !== undefined) {
			shell.toast(safe`${answered}. ${escapeLine(missing)}`, 'warn');
		}
	});
}

/** What the template of a route names and the test event lacked. */
async function missingIn({port}: Shell, route: string, body: string): Promise<string | undefined> {
	const id = parsedObject(body)?.['delivery_id'];
	const [delivery] = await port.listDeliveries({route, limit: 1});
	return delivery?.deliveryId === id ? missingWord(delivery?.trace ?? []) : undefined;
}

export const testCommand: PaneCommand = onKeys(['traffic.test', 'T'], literal('test event'), {
	changes: true,
	quiet: shell => selectedDelivery(shell) !== undefined,
	why: noRoute,
	run(shell) {
		const routes = testableRoutes(shell);
		const [only] = routes;
		if (routes.length === 1 && only) {
			sendTest(shell, only.name);
			return;
		}

		chooseRoute(shell, {
			title: literal('Send a test event to'),
			routes,
			choose: route => sendTest(shell, route),
		});
	},
});
