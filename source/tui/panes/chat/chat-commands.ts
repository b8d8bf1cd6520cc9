import type {Safe} from '../../../core/untrusted.ts';
import {areaText, areaValue, editArea} from '../../../terminal/text/area-editor.ts';
import {lineText} from '../../../terminal/text/line-editor.ts';
import {literal} from '../../../terminal/text/safe.ts';
import {type PaneCommand, onKeys, type IdAndKeys} from '../../acts/command.ts';
import {copying} from '../../acts/copy.ts';
import {goToRun} from '../../acts/go-to.ts';
import {reviewOne} from '../../acts/settle.ts';
import type {Shell} from '../../shell/shell.ts';
import {
	beginSession,
	sessionAsText,
	lastAnswer,
	say,
	scrollChat,
	stopTurn,
	takeBack,
} from './chat-acts.ts';
import {conversationNow, isAnswerUnderWay} from './chat-loads.ts';
import {changeChat, chatNow} from './chat-state.ts';

const whole = Number.MAX_SAFE_INTEGER;

const scrolls: ReadonlyArray<
	readonly [id: string, keys: readonly string[], label: Safe, by: (page: number) => number]
> = [
	['down', ['j', 'down'], literal('down'), () => 1],
	['up', ['k', 'up'], literal('up'), () => -1],
	['first', ['g', 'home'], literal('the beginning'), () => -whole],
	['last', ['G', 'end'], literal('the end'), () => whole],
	['page-down', ['pgdn', 'space'], literal('page down'), page => Math.max(1, page - 1)],
	['page-up', ['pgup'], literal('page up'), page => -Math.max(1, page - 1)],
	['half-down', ['ctrl+d'], literal('half a page down'), page => Math.ceil(page / 2)],
	['half-up', ['ctrl+u'], literal('half a page up'), page => -Math.ceil(page / 2)],
];

const scrolling = (
	scope: string,
	only: (keys: readonly string[]) => readonly string[],
): readonly PaneCommand[] =>
	scrolls
		.map(([id, keys, label, by]) =>
			onKeys([`${scope}.${id}`, ...only(keys)], label, {
				quiet: true,
				run: shell => scrollChat(shell, by),
			}),
		)
		.filter(({keys}) => keys.length > 0);

/** A command on the last answer; unavailable until there is one. */
const ofAnswer = (keys: IdAndKeys, label: Safe, run: PaneCommand['run']): PaneCommand =>
	onKeys(keys, label, {
		quiet: keys[0] !== 'chat.copy',
		why: shell =>
			lastAnswer(shell) === undefined ? literal('The agent has not answered yet') : undefined,
		run,
	});

const stop = (scope: string, key: string): PaneCommand =>
	onKeys([`${scope}.stop`, key], literal('stop the agent'), {
		changes: true,
		why: shell => (isAnswerUnderWay(shell) ? undefined : literal('The agent does not answer now')),
		run: stopTurn,
	});

/** The run of the turn in progress, else of the last answer. */
const runNow = (shell: Shell): number | undefined =>
	chatNow(shell).turn?.run ??
	conversationNow(shell)?.session.conversation.findLast(({run}) => run !== undefined)?.run;

/** Keys of the conversation. */
export const chatCommands: readonly PaneCommand[] = [
	onKeys(['chat.write', 'enter', 'i'], literal('write'), {
		changes: true,
		run: shell => changeChat(shell, () => ({mode: 'write'})),
	}),
	stop('chat', 'x'),
	onKeys(['chat.new', 'n'], literal('new conversation'), {run: beginSession}),
	onKeys(['chat.find', 's', '/'], literal('find a conversation'), {
		run: shell => changeChat(shell, () => ({mode: 'find', query: lineText(), index: 0})),
	}),
	onKeys(['chat.take-back', 'r'], literal('take the text back'), {
		changes: true,
		quiet: true,
		why: shell =>
			chatNow(shell).turn === undefined || isAnswerUnderWay(shell)
				? literal('Nothing was said that came to nothing')
				: undefined,
		run: takeBack,
	}),
	ofAnswer(['chat.copy', 'y'], literal('copy the answer'), copying(literal('answer'), lastAnswer)),
	ofAnswer(
		['chat.copy-all', 'Y'],
		literal('copy all that was said'),
		copying(literal('conversation'), sessionAsText),
	),
	ofAnswer(['chat.pager', 'E'], literal('all that was said in $PAGER'), shell =>
		shell.attempt(async () => shell.desktop.page(sessionAsText(shell))),
	),
	onKeys(['chat.run', 'o'], literal('the run of the answer'), {
		quiet: true,
		why: shell =>
			runNow(shell) === undefined ? literal('There is no answer whose run it could be') : undefined,
		run(shell) {
			const run = runNow(shell);
			if (run !== undefined) {
				goToRun(shell, run);
			}
		},
	}),
	...scrolling('chat', keys => keys),
];

/** Edits the text as these keys would. */
function press(shell: Shell, ...keys: readonly string[]): void {
	for (const id of keys) {
		changeChat(shell, ({text}) => ({text: editArea(text, {id, text: ''}) ?? text}));
	}
}

/** Keys while writing. */
export const writeCommands: readonly PaneCommand[] = [
	onKeys(['chat-text.send', 'enter'], literal('send'), {
		changes: true,
		run(shell) {
			const {text} = chatNow(shell);
			if (text.lines[text.row]?.endsWith('\\')) {
				// A backslash at the end of a line makes Enter begin a new line.
				press(shell, 'end', 'backspace', 'ctrl+j');
			} else {
				say(shell, areaValue(text));
			}
		},
	}),
	// The field handles these keys itself; the command exists to list them in help and footer.
	onKeys(['chat-text.newline', 'alt+enter', 'shift+enter', 'ctrl+j'], literal('new line'), {
		run: shell => press(shell, 'ctrl+j'),
	}),
	stop('chat-text', 'ctrl+x'),
	onKeys(['chat-text.leave', 'esc'], literal('read; the text stays'), {
		run: shell => changeChat(shell, () => ({mode: 'read'})),
	}),
	onKeys(['chat-text.clear', 'ctrl+c'], literal('clear, then leave'), {
		quiet: true,
		run: shell =>
			changeChat(shell, ({text}) => (areaValue(text) === '' ? {mode: 'read'} : {text: areaText()})),
	}),
	onKeys(['chat-text.review', 'alt+a'], literal('review approvals'), {
		quiet: shell => shell.port.getState().approvals.length === 0,
		run: reviewOne,
	}),
	...scrolling('chat-text', keys => keys.filter(key => key.startsWith('pg'))),
];
