import type {RouteView} from '../../../core/config-view.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {openMenu} from '../../dialogs/questions.ts';
import {askForName} from '../../dialogs/questions.ts';
import {showSecret} from '../../editor/open-editor.ts';
import {routeList} from '../../entries/route-list.ts';
import {clean} from '../../lines/line.ts';
import type {Shell} from '../../shell/shell.ts';

const selected = ({list}: Shell): RouteView | undefined => list(routeList).selected();

/** A route of config.yaml is edited where its comments can be seen. */
function notHere(shell: Shell): Safe | undefined {
	const route = selected(shell);
	if (!route) {
		return literal('No route is selected');
	}

	return route.source === 'static'
		? safe`${clean(route.name)} stands in config.yaml: edit it with e`
		: undefined;
}

const withSelected =
	(act: (shell: Shell, route: RouteView) => void) =>
	(shell: Shell): void => {
		const route = selected(shell);
		if (route) {
			act(shell, route);
		}
	};

function togglePause(shell: Shell, {name, paused = false}: RouteView): void {
	shell.attempt(async () => {
		await shell.port.setRoutePaused(name, {paused: !paused});
		shell.toast(
			paused
				? safe`${clean(name)} goes on`
				: safe`${clean(name)} is paused: its events are answered 503 and kept`,
			'good',
		);
	});
}

const hourMs = 3_600_000;

function chooseOverlap(shell: Shell, {name}: RouteView): void {
	const entry = (key: string, label: Safe, overlapMs: number) => ({
		key,
		label,
		run() {
			const {pane} = shell.view.get();
			shell.attempt(async () => {
				const saved = await shell.port.rotateRoute(name, {overlap_ms: overlapMs});
				showSecret(shell, {name, pane, saved});
			});
		},
	});
	openMenu(shell, {
		title: safe`New secret for ${clean(name)}`,
		notes: [
			literal('The new secret is shown once. How long does the old one pass beside it?'),
			literal('What an earlier rotation kept passes no longer than that.'),
		],
		items: [
			entry('d', literal('a day'), 24 * hourMs),
			entry('w', literal('a week'), 7 * 24 * hourMs),
			entry('n', literal('not at all: its sender is refused until it has the new one'), 0),
		],
	});
}

function askToDelete(shell: Shell, {name}: RouteView): void {
	askForName(shell, {
		title: safe`Delete ${clean(name)}?`,
		lines: [
			literal(
				'Its entry goes from webhook_subscriptions.json, with its secret; its events are answered 404 then. Groups and runs that wait go on.',
			),
			literal('To stop it for a while only: p pauses it.'),
		],
		name,
		act: literal('delete it'),
		run() {
			shell.attempt(async () => {
				await shell.port.removeRoute(name);
				shell.toast(safe`${clean(name)} is deleted`, 'good');
			});
		},
	});
}

/** What changes a subscription without its form. */
export const routeChangeCommands: readonly PaneCommand[] = [
	{
		id: 'subs.pause',
		changes: true,
		keys: ['p'],
		label: literal('pause or resume'),
		why: notHere,
		run: withSelected(togglePause),
	},
	{
		id: 'subs.rotate',
		changes: true,
		keys: ['R'],
		label: literal('new secret'),
		why: notHere,
		run: withSelected(chooseOverlap),
	},
	{
		id: 'subs.delete',
		changes: true,
		keys: ['D'],
		label: literal('delete'),
		why: notHere,
		run: withSelected(askToDelete),
	},
];
