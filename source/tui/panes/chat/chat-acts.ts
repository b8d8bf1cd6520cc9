import {sessionOwnerOf} from '../../../core/session.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import {saidText} from '../../../nouns/session/session.ts';
import {areaText, areaValue} from '../../../terminal/text/area-editor.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {typedRows, type TypedRows} from '../../forms/typed-rows.ts';
import {blankLine, line, type Line} from '../../lines/line.ts';
import {ruleLine} from '../../lines/title-parts.ts';
import type {Host, Shell} from '../../shell/shell.ts';
import {conversationNow, isAnswerUnderWay} from './chat-loads.ts';
import {chatLines} from './chat-rows.ts';
import {changeChat, chatNow} from './chat-state.ts';

/** Why the open conversation is read-only; absent if it is the person's own. */
function whyOthers(host: Host): Safe | undefined {
	const session = conversationNow(host)?.session;
	const owner = session && sessionOwnerOf(session);
	switch (owner?.kind) {
		case 'key':
			return literal('This conversation belongs to a key: it can only be read; n begins another');

		case 'chat':
			return safe`This conversation is on ${escapeLine(owner.platform)}: it can only be read here; n begins another`;

		case 'person':
		case undefined:
			return undefined;
	}
}

/** Why nothing can be sent now. */
const whySilent = (shell: Shell): Safe | undefined =>
	whyOthers(shell) ??
	(isAnswerUnderWay(shell) ? literal('The agent answers: wait for it, or stop it') : undefined);

/** Sends a message to the agent. If the gateway refuses it, the text stays in the field. */
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

/** Cancels the turn in progress. */
export function stopTurn(shell: Shell): void {
	const run = chatNow(shell).turn?.run;
	if (run !== undefined) {
		shell.attempt(async () => {
			const done = await shell.port.cancelRun(run);
			if (!done) {
				// No event will report this run's end.
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

/** Opens an empty conversation; text being written stays. */
export function beginSession(shell: Shell): void {
	changeChat(shell, () => ({session: undefined, turn: undefined, top: undefined, mode: 'read'}));
}

/** Puts the text of a failed turn back into the field. */
export function takeBack(shell: Shell): void {
	changeChat(shell, ({turn, text}) => ({
		text: areaText([areaValue(text), turn?.text ?? ''].filter(part => part !== '').join('\n')),
		turn: undefined,
		mode: 'write',
	}));
}

/** Scrolls the conversation; at its end it follows new rows. */
export function scrollChat(shell: Shell, by: (page: number) => number): void {
	const {bodyHeight, listWidth} = shell.layout();
	const {height} = chatLayout(shell, {width: listWidth, height: bodyHeight});
	const last = Math.max(0, chatLines(shell, listWidth).length - height);
	changeChat(shell, ({top = last}) => {
		const next = Math.max(0, top + by(height));
		return {top: next >= last ? undefined : next};
	});
}

/** The whole open conversation as plain text. */
export function sessionAsText(shell: Shell): string {
	const messages = conversationNow(shell)?.session.conversation ?? [];
	return messages
		.map(
			({message}) =>
				`${typeof message['role'] === 'string' ? message['role'] : '?'}:\n${saidText(message)}`,
		)
		.join('\n\n');
}

/** The agent's last answer. */
export const lastAnswer = (shell: Shell): string | undefined => {
	const last = conversationNow(shell)?.session.conversation.findLast(
		({message}) => message['role'] === 'assistant',
	);
	return last && saidText(last.message);
};

/** The most rows for writing. */
const mostRows = 8;

const margin = 1;

/** How the body is divided between conversation and field. */
type ChatLayout = {
	/** Rows of the conversation. */
	readonly height: number;
	/** The dividing rule and the text being written. */
	readonly field: readonly Line[];
	/** Its row counts within `field`. */
	readonly cursor?: TypedRows['cursor'];
};

export function chatLayout(
	host: Host,
	{width, height}: {readonly width: number; readonly height: number},
): ChatLayout {
	const {mode, text} = chatNow(host);
	const isWriting = mode === 'write';
	const isReadOnly = host.port.isReadOnly === true;
	const name = line(isReadOnly ? literal('Read-only') : literal('Write'), 'title');
	const title = ruleLine([name], width, {hasKeyboard: isWriting});
	if (!isWriting) {
		const [first = '', ...more] = text.lines;
		const draft = first === '' && more.length === 0;
		return {
			height: height - 2,
			field: [
				title,
				draft
					? line(
							isReadOnly
								? literal(' this interface only looks')
								: safe` ${whyOthers(host) ?? literal('Enter: write to the agent')}`,
							'quiet',
						)
					: line(safe` ${escapeLine(first)}${more.length > 0 ? literal(' …') : literal('')}`),
			],
		};
	}

	const {rows, cursor} = typedRows(text, width - 2 * margin, false);
	const most = Math.max(1, Math.min(mostRows, Math.floor(height / 2) - 1));
	const shown = Math.min(most, rows.length);
	const top = Math.max(0, Math.min(cursor.row - shown + 1, rows.length - shown));
	// Keeps a row free for the toast, which must not hide the text being written.
	const below = host.view.get().toast ? [blankLine] : [];
	return {
		height: height - shown - 1 - below.length,
		field: [title, ...rows.slice(top, top + shown).map(row => line(safe` ${row}`)), ...below],
		cursor: {row: 1 + cursor.row - top, column: margin + cursor.column},
	};
}
