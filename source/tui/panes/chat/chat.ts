import {escapeLine} from '../../../core/untrusted.ts';
import {editArea, insertArea} from '../../../terminal/text/area-editor.ts';
import {editLine, insertText} from '../../../terminal/text/line-editor.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {line, type Line} from '../../lines/line.ts';
import type {Host} from '../../shell/shell.ts';
import type {Pane, PaneSection} from '../pane.ts';
import {chatCommands, writeCommands} from './chat-commands.ts';
import {conversationNow, wantChat, isAnswerUnderWay} from './chat-loads.ts';
import {changeChat, chatNow, type ChatState} from './chat-state.ts';
import {findSessionCommands, ownerOf} from './find-session.ts';

const sections: Readonly<Record<ChatState['mode'], PaneSection>> = {
	read: {id: 'chat', title: literal('Chat'), commands: chatCommands},
	write: {
		id: 'chat-text',
		title: literal('Chat, while writing'),
		commands: writeCommands,
		typing: {
			key: (shell, key) => changeChat(shell, ({text}) => ({text: editArea(text, key) ?? text})),
			paste: (shell, pasted) => changeChat(shell, ({text}) => ({text: insertArea(text, pasted)})),
		},
	},
	find: {
		id: 'chat-find',
		title: literal('Chat, finding a conversation'),
		commands: findSessionCommands,
		typing: {
			key: (shell, key) =>
				changeChat(shell, ({query}) => ({query: editLine(query, key) ?? query, index: 0})),
			paste: (shell, pasted) =>
				changeChat(shell, ({query}) => ({query: insertText(query, pasted), index: 0})),
		},
	},
};

const titleCharacters = 60;

/** The title of the open conversation. */
function titleOf(host: Host): Line {
	const {session, turn} = chatNow(host);
	const open = conversationNow(host)?.session;
	if (!open) {
		return line(session === undefined ? literal('new conversation') : literal('loading'), 'quiet');
	}

	// A session is titled by its first message, once that was answered; until then by the turn's text.
	const title = open.title || turn?.text.replaceAll(/\s+/g, ' ').trim().slice(0, titleCharacters);
	return line(
		title ? safe`${ownerOf({session: open})}${escapeLine(title)}` : literal('new conversation'),
		'quiet',
	);
}

/** The conversation between the person and the agent. */
export const chatPane: Pane = {
	id: 'chat',
	title: literal('Chat'),
	manual: 'chat',
	empty: () => [
		'Nothing was said yet.',
		'Enter writes to the agent: it has the tools of svc-webhook, and asks before it calls what is not trusted.',
		's finds an earlier conversation.',
	],
	isWide: true,
	sections: [sections.read, sections.write, sections.find],
	focus: {now: host => sections[chatNow(host).mode]},
	summary: host => [titleOf(host)],
	showsWords: isAnswerUnderWay,
	want: wantChat,
	waiting(host) {
		const run = chatNow(host).turn?.run;
		return run === undefined
			? undefined
			: host.port.getState().approvals.find(one => one.run === run);
	},
};
