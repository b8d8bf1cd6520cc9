import {routePath} from '../../../core/route-path.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {receiverUrl} from '../../../nouns/delivery/delivery-copies.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {goToTraffic} from '../../acts/go-to.ts';
import {openMenu} from '../../dialogs/questions.ts';
import {routeList} from '../../entries/route-list.ts';
import {clean} from '../../lines/line.ts';
import type {Shell} from '../../shell/shell.ts';
import {sendTest} from '../traffic/send-event.ts';

const selected = ({list}: Shell) => list(routeList).selected();

/** Why nothing can be sent to the route: another one may have its name. */
function notServed(shell: Shell): Safe | undefined {
	const route = selected(shell);
	if (!route) {
		return literal('No route is selected');
	}

	return route.problem === undefined
		? undefined
		: safe`Route ${clean(route.name)} is not served: its detail says why`;
}

/** What can be done with a route beside editing it. */
export const routeActCommands: readonly PaneCommand[] = [
	{
		id: 'subs.test',
		changes: true,
		keys: ['T'],
		label: literal('test event'),
		why: notServed,
		run(shell) {
			const route = selected(shell);
			if (route) {
				sendTest(shell, route.name);
			}
		},
	},
	{
		id: 'subs.traffic',
		keys: ['o'],
		label: literal('its traffic'),
		why: shell => (selected(shell) ? undefined : literal('No route is selected')),
		run(shell) {
			const route = selected(shell);
			if (route) {
				goToTraffic(shell, route.name);
			}
		},
	},
	{
		id: 'subs.copy',
		keys: ['y'],
		label: literal('copy'),
		why: notServed,
		run(shell) {
			const route = selected(shell);
			if (!route) {
				return;
			}

			const entry = (key: string, label: Safe, text: () => Promise<string>) => ({
				key,
				label,
				run() {
					shell.attempt(async () => {
						await copyText(shell, await text(), label);
					});
				},
			});
			openMenu(shell, {
				title: safe`Copy of ${clean(route.name)}`,
				items: [
					entry(
						'u',
						literal('URL'),
						async () => receiverUrl(shell.feed.get().state) + routePath(route),
					),
					entry('c', literal('signed curl line'), async () => shell.port.curlLine(route.name)),
				],
			});
		},
	},
];
