import {routePath} from '../../core/route-path.ts';
import type {GatewayState} from '../../core/state.ts';
import {own, ui} from '../../terminal/text/safe.ts';
import type {PaneId} from '../state/view.ts';
import type {Tone} from '../theme/theme.ts';
import {blankLine, clean, line, wrapText, type Line} from './line.ts';

/** What a pane says when it has nothing: why, and what helps. */
export function emptyLines(
	pane: PaneId,
	{state, isFiltered}: {readonly state: GatewayState; readonly isFiltered: boolean},
	width: number,
): readonly Line[] {
	if (isFiltered) {
		return [
			line(own('Nothing passes the filter.')),
			line(own('Esc clears it, / changes it.'), 'quiet'),
		];
	}

	const indented = (text: string, tone: Tone) =>
		wrapText(text, width - 2).map(row => line(ui`  ${row}`, tone));
	const [first, ...rest] = noticeOf(pane, state);
	return [
		blankLine,
		...indented(first ?? '', 'strong'),
		...rest.flatMap(text => indented(text, 'quiet')),
	];
}

function noticeOf(pane: PaneId, state: GatewayState): readonly string[] {
	if (pane === 'traffic') {
		return noTraffic(state);
	}

	return pane === 'groups' ? noGroups(state) : notices[pane];
}

function noGroups({routes}: GatewayState): readonly string[] {
	const count = routes.filter(route => route.mode === 'coalesce').length;
	const waits =
		'Events of one key wait here with two clocks, the quiet window and the cap, then start one run.';
	return count === 0
		? ['No route coalesces. Add `coalesce: {key: …}` to a route – `5` Subs.', waits]
		: [`No group waits; ${count === 1 ? '1 route coalesces' : `${count} routes coalesce`}.`, waits];
}

function noTraffic({webhook, routes}: GatewayState): readonly string[] {
	switch (webhook.state) {
		case 'starting':
			return ['◐ The receiver is starting.', 'Deliveries appear here as they come.'];
		case 'refused':
			return [
				'No deliveries: the receiver is not running.',
				`Why: ${webhook.reason}`,
				'Mend the cause, then press r to try again.',
			];
		case 'disabled':
			return [
				'No deliveries: the webhook receiver is switched off.',
				'Set platforms.webhook.enabled: true in config.yaml, or run `svc gateway setup`.',
			];
		case 'closed':
			return ['No deliveries: the receiver is closed.', 'The gateway is stopping or has stopped.'];
		case 'listening': {
			const route = routes.find(({problem}) => problem === undefined);
			return route === undefined
				? [
						'No deliveries yet, and no route to send them to.',
						'Add one: `svc webhook subscribe NAME --prompt "…"`',
					]
				: [
						'No deliveries yet.',
						`POST to ${webhook.url.replace(/\/$/, '')}${routePath(route)}`,
						'y copies a signed curl line, T sends a test event.',
					];
		}
	}
}

const notices: Readonly<Record<Exclude<PaneId, 'traffic' | 'groups'>, readonly string[]>> = {
	tools: [
		'No tool servers: agents answer without tools.',
		'Add one: `svc mcp add NAME …`, or write it below mcp_servers in config.yaml.',
		'It appears here with its state, its tools, and what a call needs.',
	],
	logins: [
		'No login is waiting.',
		'Codes for tool servers that want a login will be shown here, to be copied with one key.',
	],
	subs: [
		'No routes.',
		'Add one: `svc webhook subscribe NAME --prompt "…"`; it appears here at once.',
	],
	approvals: [
		'Nothing waits for approval, and nothing did.',
		'Calls that need a person wait here, and deny themselves when nobody answers.',
	],
	runs: ['No runs yet.', 'An accepted delivery starts one; 1 shows the deliveries.'],
	logs: ['No records at these levels.', 'e w i d switch errors, warnings, info and debug.'],
};

/** What a pane shows in place of itself when drawing it failed. */
export const failedLines = (reason: string): readonly Line[] => [
	line(own('✗ This pane could not be drawn'), 'bad'),
	line(clean(reason)),
	line(ui`Another pane works on; Ctrl-l tries again.`, 'quiet'),
];
