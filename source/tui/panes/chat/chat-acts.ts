import type {Safe} from '../../../core/untrusted.ts';
import {areaText, areaValue} from '../../../terminal/text/area-editor.ts';
import {lineText} from '../../../terminal/text/line-editor.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {change} from '../../acts/navigate.ts';
import {clean} from '../../lines/line.ts';
import type {Shell} from '../../shell/shell.ts';
import {chatLayout} from './chat-layout.ts';
import {chatLines} from './chat-lines.ts';
import {conversationNow, foundNow, isUnderWay} from './chat-loads.ts';
import {textOf} from './chat-rows.ts';
import {changeChat, chatNow} from './chat-state.ts';

/** Why nothing can be said now. */
export function whySilent(shell: Shell): Safe | undefined {
	const key = conversationNow(shell)?.session.key;
	if (key) {
		return literal('This conversation belongs to a key: it can only be read; n begins another');
	}

	return isUnderWay(shell) ? literal('The agent answers: wait for it, or stop it') : undefined;
}

/** Says something to the agent. What the gateway does not take stays as it was written. */
export function say(shell: Shell, text: string): void {
	const reason = text.trim() === '' ? literal('There is nothing to say yet') : whySilent(shell);
	if (reason !== undefined) {
		shell.toast(reason, 'warn');
		return;
	}

	const {session} = chatNow(shell);
	const turn = {text, at: shell.clock.now()};
	changeChat(shell, () => ({turn, text: areaText(), top: undefined}));
	shell.attempt(async () => {
		try {
			const begun = await shell.port.sendChat({text, ...(session !== undefined && {session})});
			changeChat(shell, state =>
				state.turn === turn ? {session: begun.session, turn: {...turn, run: begun.run}} : {},
			);
		} catch (error) {
			changeChat(shell, state => ({
				...(state.turn === turn && {turn: undefined}),
				...(areaValue(state.text) === '' && {text: areaText(text)}),
			}));
			throw error;
		}
	});
}

/** Ends the turn that is under way. */
export function stopTurn(shell: Shell): void {
	const run = chatNow(shell).turn?.run;
	if (run !== undefined) {
		shell.attempt(async () => {
			const done = await shell.port.cancelRun(run);
			if (!done) {
				// Nobody will tell any more how it ended.
				changeChat(shell, ({turn}) =>
					isListed(shell, run) ? {} : {turn: turn?.run === run ? undefined : turn},
				);
			}

			shell.toast(
				done ? literal('Stopped') : literal('The agent had ended already'),
				done ? 'good' : 'warn',
			);
		});
	}
}

const isListed = (shell: Shell, id: number): boolean =>
	shell.port.getState().runs.some(run => run.id === id);

/** An empty conversation; what is written stays. */
export function beginSession(shell: Shell): void {
	changeChat(shell, () => ({session: undefined, turn: undefined, top: undefined, mode: 'read'}));
}

export function openSession(shell: Shell, id: string): void {
	changeChat(shell, state => ({
		session: id,
		turn: state.session === id ? state.turn : undefined,
		top: undefined,
		mode: 'read',
	}));
}

/** The text of a turn that came to nothing, back into the field. */
export function takeBack(shell: Shell): void {
	changeChat(shell, ({turn, text}) => ({
		text: areaText([areaValue(text), turn?.text ?? ''].filter(part => part !== '').join('\n')),
		turn: undefined,
		mode: 'write',
	}));
}

/** Scrolls the conversation; at its end it goes along with what comes. */
export function scrollChat(shell: Shell, by: (page: number) => number): void {
	const {bodyHeight, listWidth} = shell.layout();
	const {height} = chatLayout(shell, {width: listWidth, height: bodyHeight});
	const last = Math.max(0, chatLines(shell, listWidth).length - height);
	changeChat(shell, ({top = last}) => {
		const next = Math.max(0, top + by(height));
		return {top: next >= last ? undefined : next};
	});
}

/** All of the open conversation as plain text. */
export function chatText(shell: Shell): string {
	const messages = conversationNow(shell)?.session.conversation ?? [];
	return messages
		.map(
			({message}) =>
				`${typeof message['role'] === 'string' ? message['role'] : '?'}:\n${textOf(message)}`,
		)
		.join('\n\n');
}

/** What the agent said last. */
export const lastAnswer = (shell: Shell): string | undefined => {
	const last = conversationNow(shell)?.session.conversation.findLast(
		({message}) => message['role'] === 'assistant',
	);
	return last && textOf(last.message);
};

/** The session that is chosen among those that were found. */
export const chosenSession = (shell: Shell) => {
	const found = foundNow(shell);
	return found[Math.min(chatNow(shell).index, found.length - 1)];
};

export function moveSession(shell: Shell, step: number): void {
	const most = foundNow(shell).length - 1;
	changeChat(shell, ({index}) => ({
		index: Math.max(0, Math.min(Math.min(index, most) + step, most)),
	}));
}

/** Forgets the chosen session, after a question. */
export function askToForget(shell: Shell): void {
	const chosen = chosenSession(shell);
	if (!chosen) {
		return;
	}

	const {id, title, messages} = chosen.session;
	change(shell, {
		overlay: {
			kind: 'confirm',
			title: literal('Forget a conversation'),
			lines: [
				safe`"${clean(title)}"`,
				safe`${messages} messages are gone for good; the runs of its answers stay.`,
			],
			act: literal('forget it'),
			run() {
				shell.attempt(async () => {
					await shell.port.deleteSession(id);
					changeChat(shell, state => ({
						index: 0,
						query: lineText(),
						mode: 'read',
						...(state.session === id && {session: undefined, turn: undefined}),
					}));
					shell.toast(literal('The conversation is forgotten'), 'good');
				});
			},
		},
	});
}
