import {hasEnded} from '../../core/run.ts';
import type {Safe} from '../../core/untrusted.ts';
import {lineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {openPane} from '../acts/navigate.ts';
import {askToQuit} from '../dialogs/leaving.ts';
import {clean, type Line} from '../lines/line.ts';
import {openSession, say} from '../panes/chat/chat-acts.ts';
import {chatLines} from '../panes/chat/chat-lines.ts';
import {
	conversationNow,
	conversations,
	foundNow,
	foundSessions,
	isUnderWay,
} from '../panes/chat/chat-loads.ts';
import {changeChat, chatNow, runOfTurn} from '../panes/chat/chat-state.ts';
import {sessionRow} from '../panes/chat/session-rows.ts';
import type {Shell} from '../shell/shell.ts';
import {choiceLines} from './answer.ts';
import type {Asked, Choice, Out} from './asked.ts';
import {choicesIn} from './choices.ts';
import {spoken, spokenLines} from './spoken.ts';

const width = 400;

const own = (word: string, label: Safe, run: Choice['run']): Choice => ({
	word,
	label,
	isExact: true,
	run,
});

/** The chat with the agent: what to do next, what to say, or which conversation to go on with. */
export function askChat(shell: Shell): Asked {
	const {mode} = chatNow(shell);
	return mode === 'write' ? askWords(shell) : mode === 'find' ? askSession(shell) : askNext(shell);
}

const words: Readonly<Record<string, string>> = {
	'chat.write': 'write',
	'chat.stop': 'stop',
	'chat.new': 'new',
	'chat.find': 'find',
	'chat.take-back': 'take back',
	'chat.copy': 'copy',
	'chat.copy-all': 'copy all',
	'chat.pager': 'pager',
	'chat.run': 'run',
};

/** From the last thing that the person said on. */
const lastTurn = (rows: readonly Line[]): readonly Line[] => {
	const from = rows.findLastIndex(([first]) => first?.text.startsWith(' you ') === true);
	return rows.slice(Math.max(0, from));
};

function askNext(shell: Shell): Asked {
	const chat = chatNow(shell);
	const run = runOfTurn(chat, shell.feed.get().state);
	const open = conversationNow(shell)?.session;
	const isBusy = isUnderWay(shell);
	const choices = [
		...choicesIn(shell, 'chat', words).map(choice => ({...choice, isExact: true})),
		own('all', literal('all that was said'), (_typed, out) => {
			out.read(spokenLines(chatLines(shell, width)));
		}),
		own('aside', literal('look at another pane; the conversation stays'), () => {
			openPane(shell, shell.panes[0]?.id ?? '');
		}),
		own('quit', literal('leave, after saying what that ends'), () => {
			askToQuit(shell);
		}),
	];
	const read = (out: Out) => {
		out.say(
			open && open.messages > 0
				? safe`Chat: ${clean(open.title)}, ${open.messages} messages.`
				: literal('Chat: a new conversation.'),
		);
		out.read(spokenLines(lastTurn(chatLines(shell, width))));
		out.say(
			isBusy
				? literal('The agent works. Say again to hear how far it is, stop, or aside.')
				: literal('Say write, find, new or aside; help tells the rest.'),
		);
	};
	return {
		of: ['chat', chat.session, open?.messages, chat.turn, run && hasEnded(run.state)],
		prompt: literal('chat'),
		choices,
		read,
		isPending: shell.loader(conversations).get().status === 'loading',
	};
}

function askWords(shell: Shell): Asked {
	const leave = () => {
		changeChat(shell, () => ({mode: 'read'}));
	};
	return {
		of: ['chat-text'],
		prompt: literal('say'),
		choices: [
			own('editor', literal('write it in $EDITOR'), () => {
				shell.attempt(async () => {
					const text = await shell.desktop.edit('', '.md');
					leave();
					if (text !== undefined) {
						say(shell, text);
					}
				});
			}),
			own('back', literal('say nothing'), leave),
		],
		read(out) {
			out.say(
				literal(
					'What do you say to the agent? One line; editor for more, back for nothing. A line that begins with = is said as it is.',
				),
			);
		},
		skip: leave,
		take({text}) {
			leave();
			say(shell, text.startsWith('=') ? text.slice(1) : text);
		},
	};
}

function askSession(shell: Shell): Asked {
	const {query} = chatNow(shell);
	const found = foundNow(shell).slice(0, mostRead);
	const choices: readonly Choice[] = [
		...found.map(one => ({
			word: '',
			label: spoken(sessionRow(one, width, false)),
			run() {
				openSession(shell, one.session.id);
			},
		})),
		own('back', literal('the conversation before'), () => {
			changeChat(shell, () => ({mode: 'read'}));
		}),
	];
	return {
		of: ['chat-find', query.value, found.length],
		prompt: literal('number, or words'),
		choices,
		read(out) {
			out.read(choiceLines(choices));
			out.say(literal('Say a number to go on with it, or words to look for.'));
		},
		take({text}) {
			changeChat(shell, () => ({query: lineText(text), index: 0}));
		},
		isPending: shell.loader(foundSessions).get().status === 'loading',
	};
}

const mostRead = 20;
