import type {ServerToolView, ServerView} from '../../../core/tool-server.ts';
import {escapeLine} from '../../../core/untrusted.ts';
import {serverActs} from '../../../nouns/server/server-acts.ts';
import {serverNoun} from '../../../nouns/server/server.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {type PaneCommand, onKeys} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {placeNow} from '../../acts/place.ts';
import {goToLogin, noLogin, startLogin} from '../../acts/start-login.ts';
import {confirmation} from '../../dialogs/questions.ts';
import {chooseTool, openTrial} from '../../dialogs/trial.ts';
import {cursorIn} from '../../lines/detail-cursor.ts';
import {nounCommands, onSelected} from '../../nouns/acts.ts';
import type {Shell} from '../../shell/shell.ts';
import {nounList} from '../../state/source.ts';
import {toolOfRow} from './server-detail.ts';

/** The tool servers of all profiles. */
export const serverList = nounList<ServerView>('tools', serverNoun, {read: state => state.servers});

const selected = (shell: Shell): ServerView | undefined => shell.list(serverList).selected();

/** The tool of the detail's selected row; `undefined` in the list. */
function selectedTool(shell: Shell): ServerToolView | undefined {
	const view = shell.view.get();
	if (view.pane !== serverList.id || view.region !== 'detail') {
		return undefined;
	}

	const rows = shell.detail.lines();
	return toolOfRow(rows[cursorIn(rows, view).cursor]);
}

/** Opens the form of the selected tool, or a menu of all. */
function tryTool(shell: Shell, server: ServerView): void {
	const tool = selectedTool(shell);
	if (tool) {
		openTrial(shell, server, tool);
	} else {
		chooseTool(shell, server);
	}
}

/** Asks before tool servers are reloaded, saying what that would do. */
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

		confirmation.open(shell, {
			title: literal('Reload the tool servers'),
			lines: [
				...changes.map(text => escapeLine(text)),
				...(closes.length === 0
					? [literal('No connection ends.')]
					: [safe`Connections that end: ${escapeLine(closes.join(', '))}.`]),
			],
			act: literal('reload'),
			run: () =>
				shell.attempt(async () => {
					await shell.port.reload();
					shell.toast(literal('Configuration was read again'), 'good');
				}),
		});
	});
}

/** Commands of pane 3. */
export const toolCommands: readonly PaneCommand[] = [
	...nounCommands({noun: serverNoun, acts: serverActs, list: serverList}),
	onKeys(['tools.reload', 'R'], literal('show config changes'), {changes: true, run: askToReload}),
	onSelected(serverList)(['tools.login', 'l'], literal('log in'), {
		changes: true,
		quiet: shell => selected(shell)?.status !== 'needs login',
		why: noLogin,
		run(shell, server) {
			if (server.status === 'needs login') {
				startLogin(shell, server);
			} else {
				// If already logged in, a second key press there starts a new login.
				goToLogin(shell, server);
			}
		},
	}),
	onSelected(serverList)(['tools.try', 't'], literal('try a tool'), {
		changes: true,
		of: server => (server.tools.length === 0 ? undefined : server),
		none: literal('It has no tools now'),
		run: tryTool,
	}),
	onSelected(serverList)(['tools.try-this', 'enter'], literal('try this tool'), {
		changes: true,
		when: shell => selectedTool(shell) !== undefined,
		run: tryTool,
	}),
	onSelected(serverList)(['tools.copy', 'y'], literal('copy name'), {
		run(shell, {name}) {
			const copied = selectedTool(shell)?.name ?? name;
			shell.attempt(async () => copyText(shell, copied, literal('name')));
		},
	}),
	onSelected(serverList)(['tools.edit', 'T'], literal('config in $EDITOR'), {
		changes: true,
		quiet: true,
		run(shell, {name}) {
			const {home} = shell.feed.get().state.gateway;
			shell.attempt(async () =>
				shell.desktop.openFile(`${home}/config.yaml`, text => serverLine(text, name)),
			);
		},
	}),
];

const maxLookedLength = 1_000_000;

const escaped = (name: string) => name.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** The line (from 1) of `config.yaml` where a tool server begins; that of `mcp_servers` if the server is not found; `undefined` without that section. */
export function serverLine(text: string, name: string): number | undefined {
	const lines = text.slice(0, maxLookedLength).split('\n');
	const start = lines.findIndex(line => /^["']?mcp_servers["']?\s*:/.test(line));
	if (start === -1) {
		return undefined;
	}

	const end = lines.findIndex((line, index) => index > start && /^[^\s#]/.test(line));
	const wanted = new RegExp(`^\\s+["']?${escaped(name)}["']?\\s*:`);
	const inside = lines.slice(start, end === -1 ? undefined : end);
	const found = inside.findIndex(line => wanted.test(line));
	return start + Math.max(0, found) + 1;
}
