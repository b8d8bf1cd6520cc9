import type {ServerToolView, ServerView} from '../../core/tool-server.ts';
import {block} from '../../core/untrusted.ts';
import {fit} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {answerRows} from '../trial/answer-rows.ts';
import {newTrial, trialArguments} from '../trial/tool-trial.ts';
import type {Command} from './command.ts';
import {copyText} from './copy.ts';
import {isComplete} from './form.ts';
import {change} from './navigate.ts';
import {changeOverlay, close, closing, isKind, openMenu} from './overlay-state.ts';
import {review} from './review.ts';

/** Asks for the arguments of a tool. */
export function openTrial(shell: Shell, server: ServerView, tool: ServerToolView): void {
	const {profile, name} = server;
	change(shell, {overlay: {kind: 'trial', trial: newTrial(tool, {profile, server: name})}});
}

const nameCells = 28;

/** Offers the tools of a server. */
export function chooseTool(shell: Shell, server: ServerView): void {
	openMenu(shell, {
		title: safe`Try a tool of ${clean(server.name)}`,
		items: server.tools.map((tool, index) => ({
			key: index < 9 ? String(index + 1) : '',
			label: safe`${fit(clean(tool.tool), nameCells)}  ${clean(tool.title ?? tool.description)}`,
			run() {
				openTrial(shell, server, tool);
			},
		})),
	});
}

/** Calls the tool as a run would, and shows what the model would read. */
function call(shell: Shell): void {
	const {overlay, pane} = shell.view.get();
	if (!isKind(overlay, 'trial')) {
		return;
	}

	const {trial} = overlay;
	if (!isComplete(shell, literal('Not called'))) {
		return;
	}

	close(shell);
	const {profile, name, tool} = trial;
	shell.toast(safe`${clean(tool)} is called`);
	shell.attempt(async () => {
		const result = await shell.port.tryTool(name, {
			arguments: trialArguments(trial),
			by: shell.by,
			profile,
		});
		const isError = result.isError === true;
		const now = shell.view.get();
		if (now.overlay || now.field || now.pane !== pane) {
			shell.toast(
				safe`${clean(tool)} ${isError ? literal('failed') : literal('has answered')}: ${clean(result.text)}`,
				isError ? 'bad' : 'good',
			);
			return;
		}

		const {text} = block(result.text);
		change(shell, {overlay: {kind: 'answer', trial, isError, text, top: 0}, toast: undefined});
	});
}

function scroll(shell: Shell, rows: number): void {
	const {size} = shell.view.get();
	changeOverlay(shell, 'answer', overlay => {
		const most = answerRows(overlay.text, size.columns).length - shell.layout().bodyHeight;
		return {...overlay, top: Math.max(0, Math.min(most, Math.min(overlay.top, most) + rows))};
	});
}

/** What waits can be reviewed over a form or an answer, which come back then. */
const reviewing = (scope: 'trial' | 'answer' | 'form-text', key: string): Command => ({
	id: `${scope}.review`,
	scope,
	keys: [key],
	label: literal('review approvals'),
	quiet: true,
	when: shell => !isKind(shell.view.get().overlay, 'approval'),
	run: review,
});

/** Keys of the arguments of a tool, and of what it answered. */
export const trialCommands: readonly Command[] = [
	{
		id: 'trial.call',
		changes: true,
		scope: 'trial',
		keys: ['a'],
		label: literal('call the tool'),
		run: call,
	},
	reviewing('trial', '!'),
	closing('trial', ['esc', 'ctrl+c', 'q'], literal('leave it')),
	reviewing('form-text', 'alt+a'),
	{
		id: 'answer.again',
		scope: 'answer',
		keys: ['t'],
		label: literal('other arguments'),
		run(shell) {
			changeOverlay(shell, 'answer', ({trial}) => ({kind: 'trial', trial}));
		},
	},
	{
		id: 'answer.copy',
		scope: 'answer',
		keys: ['y'],
		label: literal('copy'),
		run(shell) {
			const {overlay} = shell.view.get();
			if (isKind(overlay, 'answer')) {
				shell.attempt(async () => copyText(shell, overlay.text, literal('answer')));
			}
		},
	},
	...(
		[
			['answer.down', ['j', 'down'], literal('down'), 1],
			['answer.up', ['k', 'up'], literal('up'), -1],
			['answer.page-down', ['pgdn', 'ctrl+d', 'space'], literal('page down'), 10],
			['answer.page-up', ['pgup', 'ctrl+u'], literal('page up'), -10],
			['answer.first', ['g', 'home'], literal('first row'), -Infinity],
			['answer.last', ['G', 'end'], literal('last row'), Infinity],
		] as const
	).map(([id, keys, label, rows]): Command => ({
		id,
		scope: 'answer',
		keys,
		label,
		quiet: rows !== 1,
		run(shell) {
			scroll(shell, rows);
		},
	})),
	reviewing('answer', '!'),
	closing('answer', ['esc', 'ctrl+c', 'q', 'enter']),
];
