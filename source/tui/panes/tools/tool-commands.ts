import type {ServerToolView, ServerView} from '../../../core/tool-server.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {own, ui} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../commands/command.ts';
import {copyText} from '../../commands/copy.ts';
import {change} from '../../commands/navigate.ts';
import {placeNow} from '../../commands/place.ts';
import {chooseTool, tryTool} from '../../commands/trial.ts';
import type {Shell} from '../../shell/shell.ts';
import {placeIn} from '../detail-cursor.ts';
import {clean} from '../line.ts';
import {serverWords} from './server-columns.ts';
import {toolOfRow} from './server-detail.ts';
import {serverName} from './server-key.ts';
import {serverLine} from './server-line.ts';
import {serverList} from './server-list.ts';

const selected = (shell: Shell): ServerView | undefined => shell.list(serverList).selected();

/** The tool of the chosen row of the detail; `undefined` in the list. */
function selectedTool(shell: Shell): ServerToolView | undefined {
	const view = shell.view.get();
	if (view.pane !== serverList.id || view.region !== 'detail') {
		return undefined;
	}

	const rows = shell.detail.lines();
	return toolOfRow(rows[placeIn(rows, view).cursor]);
}

const why =
	(reasonFor: (server: ServerView) => Safe | undefined) =>
	(shell: Shell): Safe | undefined => {
		const server = selected(shell);
		return server ? reasonFor(server) : own('No tool server is selected');
	};

function connect(shell: Shell): void {
	const server = selected(shell);
	if (!server) {
		return;
	}

	const {name, profile} = server;
	shell.toast(ui`${clean(serverName(server))} is being connected`);
	shell.attempt(async () => {
		const after = await shell.port.connectServer(name, {profile});
		const word = serverWords[after.status];
		const reason = after.reason === undefined ? own('') : ui`: ${clean(after.reason)}`;
		shell.toast(
			ui`${clean(serverName(after))} ${word.text}${reason}`,
			after.status === 'connected' ? 'good' : 'bad',
		);
	});
}

function disconnect(shell: Shell): void {
	const server = selected(shell);
	if (!server) {
		return;
	}

	const {name, profile, activeCalls} = server;
	const run = () => {
		shell.attempt(async () => {
			await shell.port.disconnectServer(name, {profile});
			shell.toast(
				ui`${clean(serverName(server))} is disconnected; the next call connects it`,
				'good',
			);
		});
	};

	if (activeCalls === 0) {
		run();
		return;
	}

	change(shell, {
		overlay: {
			kind: 'confirm',
			title: ui`Disconnect ${clean(serverName(server))}`,
			lines: [
				ui`${activeCalls} ${activeCalls === 1 ? own('call is') : own('calls are')} under way and would fail; what ${activeCalls === 1 ? own('it') : own('they')} did already stays done.`,
				own('Its tools stay: the next call connects it again.'),
			],
			act: own('disconnect'),
			run,
		},
	});
}

/** Says what reading the tool servers again would do, and asks. */
export function askToReload(shell: Shell): void {
	const isStillHere = placeNow(shell, own('R'));
	shell.attempt(async () => {
		const {changes, closes} = await shell.port.planServerReload();
		if (changes.length === 0) {
			shell.toast(own('Nothing to reload: what is saved in mcp_servers is applied by itself'));
			return;
		}

		if (!isStillHere(own('The reload was not asked'))) {
			return;
		}

		change(shell, {
			overlay: {
				kind: 'confirm',
				title: own('Reload the tool servers'),
				lines: [
					...changes.map(text => clean(text)),
					...(closes.length === 0
						? [own('No connection ends.')]
						: [ui`Connections that end: ${clean(closes.join(', '))}.`]),
				],
				act: own('reload'),
				run() {
					shell.attempt(async () => {
						await shell.port.reload();
						shell.toast(own('Configuration was read again'), 'good');
					});
				},
			},
		});
	});
}

/** Commands of pane 3. */
export const toolCommands: readonly PaneCommand[] = [
	{
		id: 'tools.connect',
		keys: ['c'],
		label: own('connect'),
		why: why(({status}) => {
			if (status === 'skipped') {
				return own('It is switched off: set enabled: true in config.yaml');
			}

			return status === 'connected' ? own('It is connected') : undefined;
		}),
		run: connect,
	},
	{
		id: 'tools.disconnect',
		keys: ['x'],
		label: own('disconnect'),
		why: why(({status}) =>
			status === 'connected' || status === 'connecting' ? undefined : own('It is not connected'),
		),
		run: disconnect,
	},
	{
		id: 'tools.reload',
		keys: ['R'],
		label: own('show config changes'),
		run: askToReload,
	},
	{
		id: 'tools.login',
		keys: ['l'],
		label: own('login'),
		quiet: true,
		why: () => own('Logins come with the next version: svc mcp login'),
		run() {},
	},
	{
		id: 'tools.try',
		keys: ['t'],
		label: own('try a tool'),
		why: why(({tools}) => (tools.length === 0 ? own('It has no tools now') : undefined)),
		run(shell) {
			const server = selected(shell);
			const tool = selectedTool(shell);
			if (server && tool) {
				tryTool(shell, server, tool);
			} else if (server) {
				chooseTool(shell, server);
			}
		},
	},
	{
		id: 'tools.try-this',
		keys: ['enter'],
		label: own('try this tool'),
		when: shell => selectedTool(shell) !== undefined,
		run(shell) {
			const server = selected(shell);
			const tool = selectedTool(shell);
			if (server && tool) {
				tryTool(shell, server, tool);
			}
		},
	},
	{
		id: 'tools.copy',
		keys: ['y'],
		label: own('copy name'),
		why: why(() => undefined),
		run(shell) {
			const tool = selectedTool(shell);
			const name = tool?.name ?? selected(shell)?.name ?? '';
			shell.attempt(async () => copyText(shell, name, own('name')));
		},
	},
	{
		id: 'tools.edit',
		keys: ['T'],
		label: own('config in $EDITOR'),
		quiet: true,
		why: why(() => undefined),
		run(shell) {
			const {name = ''} = selected(shell) ?? {};
			const {home} = shell.feed.get().state.gateway;
			shell.attempt(async () =>
				shell.desktop.openFile(`${home}/config.yaml`, text => serverLine(text, name)),
			);
		},
	},
];
