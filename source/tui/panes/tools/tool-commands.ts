import type {ServerToolView, ServerView} from '../../../core/tool-server.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {serverActs} from '../../../nouns/server/server-acts.ts';
import {serverNoun} from '../../../nouns/server/server.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {placeNow} from '../../acts/place.ts';
import {goToLogin, noLogin, startLogin} from '../../acts/start-login.ts';
import {confirm} from '../../dialogs/questions.ts';
import {chooseTool, openTrial} from '../../dialogs/trial.ts';
import {placeIn} from '../../lines/detail-cursor.ts';
import {clean} from '../../lines/line.ts';
import {nounCommands} from '../../nouns/acts.ts';
import type {Shell} from '../../shell/shell.ts';
import {nounList} from '../../state/source.ts';
import {toolOfRow} from './server-detail.ts';
import {serverLine} from './server-line.ts';

/** The tool servers of all profiles. */
export const serverList = nounList<ServerView>('tools', serverNoun, state => state.servers);

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
		return server ? reasonFor(server) : literal('No tool server is selected');
	};

/** Says what reading the tool servers again would do, and asks. */
export function askToReload(shell: Shell): void {
	const isStillHere = placeNow(shell, literal('R'));
	shell.attempt(async () => {
		const {changes, closes} = await shell.port.planServerReload();
		if (changes.length === 0) {
			shell.toast(literal('Nothing to reload: what is saved in mcp_servers is applied by itself'));
			return;
		}

		if (!isStillHere(literal('The reload was not asked'))) {
			return;
		}

		confirm.open(shell, {
			title: literal('Reload the tool servers'),
			lines: [
				...changes.map(text => clean(text)),
				...(closes.length === 0
					? [literal('No connection ends.')]
					: [safe`Connections that end: ${clean(closes.join(', '))}.`]),
			],
			act: literal('reload'),
			run() {
				shell.attempt(async () => {
					await shell.port.reload();
					shell.toast(literal('Configuration was read again'), 'good');
				});
			},
		});
	});
}

/** Commands of pane 3. */
export const toolCommands: readonly PaneCommand[] = [
	...nounCommands({noun: serverNoun, acts: serverActs, list: serverList}),
	{
		id: 'tools.reload',
		changes: true,
		keys: ['R'],
		label: literal('show config changes'),
		run: askToReload,
	},
	{
		id: 'tools.login',
		changes: true,
		keys: ['l'],
		label: literal('log in'),
		quiet: shell => selected(shell)?.status !== 'needs login',
		why: why(noLogin),
		run(shell) {
			const server = selected(shell);
			if (server?.status === 'needs login') {
				startLogin(shell, server);
			} else if (server) {
				// It may be logged in already: there a second key does it anew.
				goToLogin(shell, server);
			}
		},
	},
	{
		id: 'tools.try',
		changes: true,
		keys: ['t'],
		label: literal('try a tool'),
		why: why(({tools}) => (tools.length === 0 ? literal('It has no tools now') : undefined)),
		run(shell) {
			const server = selected(shell);
			const tool = selectedTool(shell);
			if (server && tool) {
				openTrial(shell, server, tool);
			} else if (server) {
				chooseTool(shell, server);
			}
		},
	},
	{
		id: 'tools.try-this',
		changes: true,
		keys: ['enter'],
		label: literal('try this tool'),
		when: shell => selectedTool(shell) !== undefined,
		run(shell) {
			const server = selected(shell);
			const tool = selectedTool(shell);
			if (server && tool) {
				openTrial(shell, server, tool);
			}
		},
	},
	{
		id: 'tools.copy',
		keys: ['y'],
		label: literal('copy name'),
		why: why(() => undefined),
		run(shell) {
			const tool = selectedTool(shell);
			const name = tool?.name ?? selected(shell)?.name ?? '';
			shell.attempt(async () => copyText(shell, name, literal('name')));
		},
	},
	{
		id: 'tools.edit',
		changes: true,
		keys: ['T'],
		label: literal('config in $EDITOR'),
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
