import type {ServerToolView, ServerView} from '../../core/tool-server.ts';
import {block} from '../../core/untrusted.ts';
import {problemsIn} from '../forms/form.ts';
import {clean, wrapText} from '../panes/line.ts';
import type {Shell} from '../shell/shell.ts';
import {fit} from '../text/fit.ts';
import {own, ui} from '../text/safe.ts';
import {newTrial, trialArguments} from '../tools/tool-trial.ts';
import type {Command} from './command.ts';
import {change} from './navigate.ts';
import {changeOverlay, close, closing, isKind, openMenu} from './overlay-state.ts';

/** Asks for the arguments of a tool. */
export function tryTool(shell: Shell, server: ServerView, tool: ServerToolView): void {
	const {profile, name} = server;
	change(shell, {overlay: {kind: 'trial', trial: newTrial(tool, {profile, server: name})}});
}

const nameCells = 28;

/** Offers the tools of a server. */
export function chooseTool(shell: Shell, server: ServerView): void {
	openMenu(shell, {
		title: ui`Try a tool of ${clean(server.name)}`,
		items: server.tools.map((tool, index) => ({
			key: index < 9 ? String(index + 1) : '',
			label: ui`${fit(clean(tool.tool), nameCells)}  ${clean(tool.title ?? tool.description)}`,
			run() {
				tryTool(shell, server, tool);
			},
		})),
	});
}

/** Calls the tool as a run would, and shows what the model would read. */
function call(shell: Shell): void {
	const {overlay} = shell.view.get();
	if (!isKind(overlay, 'trial')) {
		return;
	}

	const {trial} = overlay;
	if (problemsIn(trial.form).size > 0) {
		shell.toast(own('Not called: ✗ says what an argument needs'), 'warn');
		return;
	}

	close(shell);
	const {profile, name, tool} = trial;
	shell.toast(ui`${clean(tool)} is called`);
	shell.attempt(async () => {
		const result = await shell.port.tryTool(name, trialArguments(trial), {by: shell.by, profile});
		const {overlay: open, field} = shell.view.get();
		if (open || field) {
			shell.toast(
				ui`${clean(tool)} ${result.isError === true ? own('failed') : own('has answered')}: ${clean(result.text)}`,
				result.isError === true ? 'bad' : 'good',
			);
			return;
		}

		change(shell, {
			overlay: {
				kind: 'text',
				title: ui`${clean(tool)} ${result.isError === true ? own('✗ failed') : own('✓ answered')}`,
				rows: wrapText(block(result.text).text, shell.view.get().size.columns - 2),
				top: 0,
			},
		});
	});
}

function scroll(shell: Shell, rows: number): void {
	changeOverlay(shell, 'text', overlay => ({
		...overlay,
		top: Math.max(0, Math.min(overlay.rows.length - shell.layout().bodyHeight, overlay.top + rows)),
	}));
}

/** Keys of the arguments of a tool, and of what it answered. */
export const trialCommands: readonly Command[] = [
	{
		id: 'trial.call',
		scope: 'trial',
		keys: ['a'],
		label: own('call the tool'),
		run: call,
	},
	closing('trial', ['esc', 'ctrl+c', 'q'], own('leave it')),
	...(
		[
			['text.down', ['j', 'down'], own('down'), 1],
			['text.up', ['k', 'up'], own('up'), -1],
			['text.page-down', ['pgdn', 'ctrl+d', 'space'], own('page down'), 10],
			['text.page-up', ['pgup', 'ctrl+u'], own('page up'), -10],
		] as const
	).map(([id, keys, label, rows]): Command => ({
		id,
		scope: 'text',
		keys,
		label,
		run(shell) {
			scroll(shell, rows);
		},
	})),
	closing('text', ['esc', 'ctrl+c', 'q', 'enter']),
];
